// A block of examples <-> the bytes of a page: what caches are made of.
//
// A checksum over all the rest, a head, then the arrays, the widest first: row ends, weights, column numbers (2 bytes where
// that is enough), values (left out where all are 1; as whole numbers of 2 or 4 bytes and a power of ten where that is exact),
// labels. A dense block has no row ends and no column numbers.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "cache/pack_numbers.hpp"
#include "core/pool.hpp"
#include "isa/native.hpp"
#include "rows/functions.hpp"

namespace rosenblatt {

// Eight sums of words, each multiplied by an odd constant between two words, so that every bit and its place count;
// then the rest byte by byte.
inline std::uint64_t checksum(const std::uint8_t* at, std::size_t size) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
    std::uint64_t sum[8];
    for (std::uint64_t i = 0; i < 8; ++i) sum[i] = i;
    std::size_t left = size;
    for (; left >= 64; left -= 64, at += 64) {
        std::uint64_t word[8];
        std::memcpy(word, at, 64);
        for (int i = 0; i < 8; ++i) sum[i] = (sum[i] ^ word[i]) * odd;
    }
    std::uint64_t total = size;
    for (const std::uint64_t part : sum) total = (total ^ (part ^ (part >> 29))) * odd;
    for (; left > 0; --left, ++at) total = (total ^ *at) * odd;
    return total ^ (total >> 32);
}

struct PageHead {
    static constexpr unsigned most_places = 9;
    enum Value : std::uint8_t { ones, singles, doubles, shorts, wholes };
    enum Index : std::uint8_t { ints, longs, narrow };

    std::uint64_t rows = 0, entries = 0, features = 0;
    std::uint8_t sparse = false;
    Value value = ones;
    std::uint8_t places = 0;  // of whole numbers: they are to be divided by ten to this
    std::uint8_t weighed = false;
    Index index = ints;
    std::uint8_t unused[3] = {};

    std::size_t value_width() const { return value == shorts ? 2 : value == doubles ? 8 : 4; }
    std::size_t index_width() const { return index == narrow ? 2 : index == longs ? 8 : 4; }
    // Could a page of so many bytes have this head? If so, none of its numbers is too large to be reckoned with.
    bool possible(std::size_t size) const {
        const bool known = value <= wholes && index <= narrow && places <= most_places && sparse <= 1 && weighed <= 1;
        if (!known || rows > size || entries > size) return false;
        return sparse || ((value == singles || value == doubles) && entries == 0 && (features == 0 || rows <= size / features));
    }

    std::size_t values() const { return !sparse ? rows * features : value == ones ? 0 : entries; }
};
inline constexpr std::size_t sum_size = sizeof(std::uint64_t), head_size = 32;
static_assert(sizeof(PageHead) == head_size);

// Where the arrays of a page begin: the widest first, so that each lies at a multiple of its own width.
struct PagePlaces {
    std::size_t starts = 0, weights = 0, indices = 0, values = 0, labels = 0, end = sum_size + head_size;

    explicit PagePlaces(const PageHead& head) {
        const std::pair<std::size_t&, std::pair<std::size_t, std::size_t>> arrays[] = {
            {starts, {8, head.sparse ? head.rows + 1 : 0}}, {weights, {8, head.weighed ? head.rows : 0}},
            {indices, {head.index_width(), head.entries}},  {values, {head.value_width(), head.values()}},
            {labels, {4, head.rows}},
        };
        for (const std::size_t width : {8, 4, 2})
            for (const auto& [place, size] : arrays)
                if (size.first == width) {
                    place = end;
                    end += width * size.second;
                }
    }
};

// 10^places, which is a double to the bit.
inline double power_of_ten(unsigned places) {
    double power = 1.0;
    for (; places > 0; --places) power *= 10.0;
    return power;
}

// Makes pages. The number of decimal places never falls, so that few are tried in all.
class Packer {
public:
    Grown<std::uint8_t> page(const Rows& rows, const std::int32_t* labels, const double* weights) {
        PageHead head;
        head.rows = rows.count;
        head.features = rows.features;
        head.sparse = rows.sparse;
        head.weighed = weights != nullptr;
        head.entries = rows.sparse ? rows.entries() : 0;
        if (rows.sparse && rows.wide_indices) head.index = PageHead::longs;
        else if (rows.sparse && rows.features <= std::size_t{1} << 16) head.index = PageHead::narrow;
        head.value = kind_of(rows);
        if (head.value >= PageHead::shorts) head.places = static_cast<std::uint8_t>(places);
        const PagePlaces at(head);
        Grown<std::uint8_t> page;
        page.reserve(at.end);
        page.resize(at.end);
        std::uint8_t* const first = page.data();
        const auto put = [&](std::size_t place, const void* from, std::size_t bytes) {
            if (bytes) std::memcpy(first + place, from, bytes);
        };
        put(sum_size, &head, head_size);
        put(at.starts, rows.starts, rows.sparse ? 8 * (head.rows + 1) : 0);
        put(at.weights, weights, weights ? 8 * head.rows : 0);
        put(at.labels, labels, 4 * head.rows);
        if (head.index == PageHead::narrow)
            native().pages->narrowed(static_cast<const std::int32_t*>(rows.indices), head.entries,
                                      reinterpret_cast<std::uint16_t*>(first + at.indices));
        else put(at.indices, rows.indices, head.index_width() * head.entries);
        if (head.value == PageHead::shorts)
            native().pages->shortened(whole.data(), whole.size(), reinterpret_cast<std::int16_t*>(first + at.values));
        else put(at.values, head.value == PageHead::wholes ? whole.data() : rows.values, head.value_width() * head.values());
        const std::uint64_t sum = checksum(first + sum_size, at.end - sum_size);
        put(0, &sum, sum_size);
        return page;
    }

private:
    // In how few bytes the values can be written; whole ones are left in `whole`.
    PageHead::Value kind_of(const Rows& rows) {
        if (rows.single) return PageHead::singles;
        if (!rows.sparse) return PageHead::doubles;
        const auto* const value = static_cast<const double*>(rows.values);
        const std::size_t count = rows.entries();
        if (count && std::all_of(value, value + count, [](double x) { return x == 1.0; })) return PageHead::ones;
        for (; places <= PageHead::most_places; ++places) {
            std::int32_t most = 0;
            if (all_whole(value, count, most)) return most > 32767 ? PageHead::wholes : PageHead::shorts;
        }
        return PageHead::doubles;
    }

    bool all_whole(const double* value, std::size_t count, std::int32_t& most) {
        constexpr std::size_t step = 4096;  // most values that are not whole are among the first
        whole.reserve(count);
        whole.resize(count);
        const double power = power_of_ten(places);
        for (std::size_t i = 0; i < count; i += step)
            if (!native().pages->whole(value + i, std::min(step, count - i), power, whole.data() + i, most)) return false;
        return true;
    }

    unsigned places = 0;
    Grown<std::int32_t> whole;
};

// A page that was read, and the examples in it. They lie in the page itself where it holds them as they are used.
struct Page {
    Grown<std::uint8_t> content;
    Grown<std::int32_t> indices;
    Grown<double> values;
    Rows rows;
    const std::int32_t* labels = nullptr;
    const double* weights = nullptr;
    bool checked = false;  // the rows are fit to learn from

    // False: the content is not what was written.
    bool open() {
        PageHead head;
        std::uint64_t sum;
        const std::uint8_t* const first = content.data();
        const std::size_t size = content.size();
        if (size < sum_size + head_size) return false;
        std::memcpy(&sum, first, sum_size);
        if (checksum(first + sum_size, size - sum_size) != sum) return false;
        std::memcpy(&head, first + sum_size, head_size);
        if (!head.possible(size)) return false;
        const PagePlaces at(head);
        if (at.end != size) return false;
        labels = reinterpret_cast<const std::int32_t*>(first + at.labels);
        if (head.weighed) weights = reinterpret_cast<const double*>(first + at.weights);
        rows.count = head.rows;
        rows.features = head.features;
        rows.sparse = head.sparse;
        rows.single = head.value == PageHead::singles;
        rows.values = first + at.values;
        rows.row_stride = static_cast<std::ptrdiff_t>(head.features);
        rows.column_stride = 1;
        checked = (head.sparse && open_sparse(head, at)) || native().rows->check(rows).kind == Fault::none;
        return true;
    }

private:
    // True: what was seen of the numbers while they were unpacked says that the rows are fit to learn from.
    bool open_sparse(const PageHead& head, const PagePlaces& at) {
        const std::uint8_t* const first = content.data();
        rows.starts = reinterpret_cast<const std::int64_t*>(first + at.starts);
        rows.stored = head.entries;
        rows.wide_indices = head.index == PageHead::longs;
        rows.indices = first + at.indices;
        Unpacked columns, numbers;
        if (head.index == PageHead::narrow) {
            indices.reserve(head.entries);
            indices.resize(head.entries);
            columns = native().pages->widened(reinterpret_cast<const std::uint16_t*>(first + at.indices), head.entries, indices.data());
            rows.indices = indices.data();
        }
        if (head.value == PageHead::singles || head.value == PageHead::doubles) return false;
        values.reserve(head.entries);
        values.resize(head.entries);
        const double power = power_of_ten(head.places);
        const std::uint8_t* const from = first + at.values;
        if (head.value == PageHead::ones) std::fill_n(values.data(), head.entries, 1.0);
        else if (head.value == PageHead::shorts)
            numbers = native().pages->divided_short(reinterpret_cast<const std::int16_t*>(from), head.entries, power, values.data());
        else numbers = native().pages->divided(reinterpret_cast<const std::int32_t*>(from), head.entries, power, values.data());
        rows.values = values.data();
        if (head.index != PageHead::narrow || head.value == PageHead::ones) return false;
        rows.largest = static_cast<double>(numbers.largest) / power;  // as of the numbers themselves: division keeps the order
        return fit(columns);
    }

    // What rows/check.hpp finds, where it need not look at the column numbers again. False: it must.
    bool fit(const Unpacked& columns) {
        const std::int64_t* const starts = rows.starts;
        const auto end = static_cast<std::int64_t>(rows.stored);
        if (starts[0] != 0 || starts[rows.count] != end || columns.largest >= static_cast<std::int64_t>(rows.features)) return false;
        std::size_t between = 0;
        for (std::size_t row = 0; row < rows.count; ++row) {
            const std::int64_t first = starts[row], next = starts[row + 1];
            if (next < first) return false;
            between += first < next && next < end && indices[next] <= indices[next - 1];
        }
        rows.canonical = columns.falls == between;
        return true;
    }
};

}  // namespace rosenblatt
