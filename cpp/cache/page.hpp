// A block of examples <-> the bytes of a page. A cache is a sequence of pages.
//
// A checksum over the rest, a header, then the arrays, widest elements first: row starts, weights, targets, column numbers (2 bytes if
// that is enough, else 3, the highest ones in an array of their own), values (omitted if all are 1; as integers of 2 or 4 bytes and a
// power of ten if that is exact; if few are different, these once, and 1 or 2 bytes that number them), labels. A dense block has no
// row starts and no column numbers.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "cache/distinct_numbers.hpp"
#include "cache/pack_numbers.hpp"
#include "core/memory/memory_pool.hpp"
#include "isa/dispatch.hpp"
#include "rows/function_table.hpp"

namespace rosenblatt {

struct PageHeader {
    static constexpr unsigned max_places = 9;
    enum Value : std::uint8_t { ones, float32, float64, int16, int32, numbered8, numbered16 };
    enum Index : std::uint8_t { index32, index64, index16, index24 };

    std::uint64_t rows = 0, entries = 0, features = 0;
    std::uint8_t sparse = false;
    Value value = ones;
    std::uint8_t places = 0;  // decimal places of integers: the values are integers / 10^places
    std::uint8_t weighted = false;
    Index index = index32;
    std::uint8_t targeted = false;
    std::uint16_t distinct = 0;  // different values, where they are numbered

    bool numbered() const { return value == numbered8 || value == numbered16; }
    std::size_t value_width() const { return value == numbered8 ? 1 : value == int16 || value == numbered16 ? 2 : value == float64 ? 8 : 4; }
    std::size_t index_width() const { return index == index16 || index == index24 ? 2 : index == index64 ? 8 : 4; }
    // Could a page of `size` bytes have this header? If so, no arithmetic with its numbers overflows.
    bool is_possible(std::size_t size) const {
        const bool known = value <= numbered16 && index <= index24 && places <= max_places && sparse <= 1 && weighted <= 1 && targeted <= 1;
        if (!known || rows > size || entries > size) return false;
        return sparse || ((value == float32 || value == float64) && entries == 0 && (features == 0 || rows <= size / features));
    }

    std::size_t stored_values() const { return !sparse ? rows * features : value == ones ? 0 : entries; }
};
inline constexpr std::size_t checksum_size = sizeof(std::uint64_t), header_size = 32;
static_assert(sizeof(PageHeader) == header_size);

// Where the arrays of a page begin: widest elements first, so that each array is aligned to its element size.
struct PageLayout {
    std::size_t starts = 0, weights = 0, targets = 0, distinct = 0, indices = 0, high_indices = 0, values = 0, labels = 0, end = checksum_size + header_size;

    explicit PageLayout(const PageHeader& header) {
        const std::pair<std::size_t&, std::pair<std::size_t, std::size_t>> arrays[] = {
            {starts, {8, header.sparse ? header.rows + 1 : 0}},
            {weights, {8, header.weighted ? header.rows : 0}},
            {targets, {8, header.targeted ? header.rows : 0}},
            {distinct, {8, header.distinct}},
            {indices, {header.index_width(), header.entries}},
            {high_indices, {1, header.index == PageHeader::index24 ? header.entries : 0}},
            {values, {header.value_width(), header.stored_values()}},
            {labels, {4, header.rows}},
        };
        for (const std::size_t width : {8, 4, 2, 1})
            for (const auto& [offset, size] : arrays)
                if (size.first == width) {
                    offset = end;
                    end += width * size.second;
                }
    }
};

// 10^places, exactly.
inline double power_of_ten(unsigned places) {
    double power = 1.0;
    for (; places > 0; --places) power *= 10.0;
    return power;
}

// Makes pages. The number of decimal places never decreases, so that few are tried in all.
class Packer {
public:
    PooledVector<std::uint8_t> pack(const Rows& rows, const std::int32_t* labels, const double* weights, const double* targets) {
        PageHeader header;
        header.rows = rows.count;
        header.features = rows.features;
        header.sparse = rows.sparse;
        header.weighted = weights != nullptr;
        header.targeted = targets != nullptr;
        header.entries = rows.sparse ? rows.stored : 0;
        if (rows.sparse && rows.wide_indices) header.index = PageHeader::index64;
        else if (rows.sparse && rows.features <= std::size_t{1} << 16) header.index = PageHeader::index16;
        else if (rows.sparse && rows.features <= std::size_t{1} << 24) header.index = PageHeader::index24;
        header.value = choose_value_type(rows);
        if (header.value == PageHeader::int16 || header.value == PageHeader::int32) header.places = static_cast<std::uint8_t>(places);
        if (header.numbered()) header.distinct = static_cast<std::uint16_t>(distinct.numbers().size());
        const PageLayout layout(header);
        PooledVector<std::uint8_t> page;
        page.resize(layout.end);
        std::uint8_t* const first = page.data();
        const auto put = [&](std::size_t offset, const void* from, std::size_t bytes) {
            if (bytes) std::memcpy(first + offset, from, bytes);
        };
        put(checksum_size, &header, header_size);
        put(layout.starts, rows.starts, rows.sparse ? 8 * (header.rows + 1) : 0);
        put(layout.weights, weights, weights ? 8 * header.rows : 0);
        put(layout.targets, targets, targets ? 8 * header.rows : 0);
        put(layout.labels, labels, 4 * header.rows);
        if (header.numbered()) put(layout.distinct, distinct.numbers().data(), 8 * header.distinct);
        if (header.index_width() == 2) {
            const auto* const columns = static_cast<const std::int32_t*>(rows.indices);
            native().pages->int32_to_uint16(columns, header.entries, reinterpret_cast<std::uint16_t*>(first + layout.indices));
            for (std::size_t i = 0; header.index == PageHeader::index24 && i < header.entries; ++i)
                first[layout.high_indices + i] = static_cast<std::uint8_t>(columns[i] >> 16);
        } else put(layout.indices, rows.indices, header.index_width() * header.entries);
        if (header.value == PageHeader::int16)
            native().pages->int32_to_int16(integers.data(), integers.size(), reinterpret_cast<std::int16_t*>(first + layout.values));
        else if (header.numbered()) distinct.write(first + layout.values, header.value_width());
        else put(layout.values, header.value == PageHeader::int32 ? integers.data() : rows.values, header.value_width() * header.stored_values());
        const std::uint64_t sum = native().pages->checksum(first + checksum_size, layout.end - checksum_size);
        put(0, &sum, checksum_size);
        return page;
    }

private:
    // The smallest type that holds the values exactly; integers are left in `integers`.
    PageHeader::Value choose_value_type(const Rows& rows) {
        if (rows.single) return PageHeader::float32;
        if (!rows.sparse) return PageHeader::float64;
        const auto* const value = static_cast<const double*>(rows.values);
        const std::size_t count = rows.stored;
        if (count && std::all_of(value, value + count, [](double x) { return x == 1.0; })) return PageHeader::ones;
        for (; places <= PageHeader::max_places; ++places) {
            std::int32_t largest = 0;
            if (to_integers(value, count, largest)) return largest > 32767 ? PageHeader::int32 : PageHeader::int16;
        }
        if (!distinct.number(value, count)) return PageHeader::float64;
        return distinct.numbers().size() <= 256 ? PageHeader::numbered8 : PageHeader::numbered16;
    }

    bool to_integers(const double* value, std::size_t count, std::int32_t& largest) {
        constexpr std::size_t step = 4096;  // where not all are integers, the first few mostly show it
        integers.resize(count);
        const double power = power_of_ten(places);
        for (std::size_t i = 0; i < count; i += step)
            if (!native().pages->to_integers(value + i, std::min(step, count - i), power, integers.data() + i, largest)) return false;
        return true;
    }

    unsigned places = 0;
    PooledVector<std::int32_t> integers;
    DistinctNumbers distinct;
};

// A page that was read, and its examples. Arrays that are stored as they are used stay in the page.
struct Page {
    PooledVector<std::uint8_t> content;
    PooledVector<std::int32_t> indices;
    PooledVector<double> values;
    Rows rows;
    const std::int32_t* labels = nullptr;
    const double* weights = nullptr;
    const double* targets = nullptr;
    bool checked = false;  // the rows are valid: they can be learned from without a check

    // False: the content is damaged.
    bool open() {
        PageHeader header;
        std::uint64_t sum;
        const std::uint8_t* const first = content.data();
        const std::size_t size = content.size();
        if (size < checksum_size + header_size) return false;
        std::memcpy(&sum, first, checksum_size);
        if (native().pages->checksum(first + checksum_size, size - checksum_size) != sum) return false;
        std::memcpy(&header, first + checksum_size, header_size);
        if (!header.is_possible(size)) return false;
        const PageLayout layout(header);
        if (layout.end != size) return false;
        labels = reinterpret_cast<const std::int32_t*>(first + layout.labels);
        if (header.weighted) weights = reinterpret_cast<const double*>(first + layout.weights);
        if (header.targeted) targets = reinterpret_cast<const double*>(first + layout.targets);
        rows.count = header.rows;
        rows.features = header.features;
        rows.sparse = header.sparse;
        rows.single = header.value == PageHeader::float32;
        rows.values = first + layout.values;
        rows.row_stride = static_cast<std::ptrdiff_t>(header.features);
        rows.column_stride = 1;
        if (header.numbered() && !open_numbered(header, layout)) return false;
        const bool proven = header.sparse && open_sparse(header, layout);
        checked = proven || native().rows->check(rows).kind == Fault::none;
        return true;
    }

private:
    // True: what unpacking learned about the numbers shows that the rows are valid.
    bool open_sparse(const PageHeader& header, const PageLayout& layout) {
        const std::uint8_t* const first = content.data();
        rows.starts = reinterpret_cast<const std::int64_t*>(first + layout.starts);
        rows.stored = header.entries;
        rows.private_indices = true;
        rows.wide_indices = header.index == PageHeader::index64;
        rows.indices = first + layout.indices;
        Unpacked columns, numbers;
        if (header.index == PageHeader::index16) {
            indices.resize(header.entries);
            columns = native().pages->uint16_to_int32(reinterpret_cast<const std::uint16_t*>(first + layout.indices), header.entries, indices.data());
            rows.indices = indices.data();
        }
        if (header.index == PageHeader::index24) open_columns(first + layout.indices, first + layout.high_indices, header.entries);
        if (header.numbered()) rows.values = values.data();
        if (header.numbered() || header.value == PageHeader::float32 || header.value == PageHeader::float64) return false;
        values.resize(header.entries);
        const double power = power_of_ten(header.places);
        const std::uint8_t* const from = first + layout.values;
        if (header.value == PageHeader::ones) std::fill_n(values.data(), header.entries, 1.0);
        else if (header.value == PageHeader::int16)
            numbers = native().pages->divide_int16(reinterpret_cast<const std::int16_t*>(from), header.entries, power, values.data());
        else numbers = native().pages->divide_int32(reinterpret_cast<const std::int32_t*>(from), header.entries, power, values.data());
        rows.values = values.data();
        if (header.index != PageHeader::index16 || header.value == PageHeader::ones) return false;
        rows.largest = static_cast<double>(numbers.largest) / power;  // division keeps the order
        return check_columns(columns);
    }

    void open_columns(const std::uint8_t* low, const std::uint8_t* high, std::size_t count) {
        indices.resize(count);
        native().pages->uint16_to_int32(reinterpret_cast<const std::uint16_t*>(low), count, indices.data());
        for (std::size_t i = 0; i < count; ++i) indices[i] |= std::int32_t{high[i]} << 16;
        rows.indices = indices.data();
    }

    // False: a number is not one of those that occur.
    bool open_numbered(const PageHeader& header, const PageLayout& layout) {
        const std::uint8_t* const first = content.data();
        const auto* const numbers = reinterpret_cast<const double*>(first + layout.distinct);
        values.resize(header.entries);
        const auto open_as = [&](auto code) {
            return take_numbered(numbers, header.distinct, reinterpret_cast<const decltype(code)*>(first + layout.values), header.entries, values.data());
        };
        return header.value == PageHeader::numbered8 ? open_as(std::uint8_t{}) : open_as(std::uint16_t{});
    }

    // What rows/check.cpp does, without reading the column numbers again. False: that check is needed.
    bool check_columns(const Unpacked& columns) {
        const std::int64_t* const starts = rows.starts;
        const auto end = static_cast<std::int64_t>(rows.stored);
        if (starts[0] != 0 || starts[rows.count] != end || columns.largest >= static_cast<std::int64_t>(rows.features)) return false;
        std::size_t descents_between_rows = 0;
        for (std::size_t row = 0; row < rows.count; ++row) {
            const std::int64_t first = starts[row], next = starts[row + 1];
            if (next < first) return false;
            descents_between_rows += first < next && next < end && indices[next] <= indices[next - 1];
        }
        rows.canonical = columns.descents == descents_between_rows;
        return true;
    }
};

}  // namespace rosenblatt
