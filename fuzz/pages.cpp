// Fuzzes the pages of a cache: any bytes are rejected, or are rows within the page. Most inputs get a valid checksum, so that
// the code behind it runs too; rows reported as valid are read to the end, and packing them again gives the same rows.
#define ROSENBLATT_ISA baseline
#include "cache/pack_numbers.cpp"
#include "cache/page.hpp"
#include "rows/check.cpp"

#include <sanitizer/asan_interface.h>

#include "mutate.hpp"

namespace rosenblatt {

const Native& native() {
    static const Native table = [] {
        Native only{};
        only.rows = &baseline::row_functions;
        only.pages = &baseline::page_functions;
        return only;
    }();
    return table;
}

}  // namespace rosenblatt

using namespace rosenblatt;

namespace {

std::string text_of(const PooledVector<std::uint8_t>& page) { return {reinterpret_cast<const char*>(page.data()), page.size()}; }

// A page of these bytes. The pool allocates more than requested; reading the surplus is an error.
struct FilledPage : Page {
    explicit FilledPage(const std::string& text) {
        content.reserve(text.size() + 1);
        content.resize(text.size());
        std::memcpy(content.data(), text.data(), text.size());
        ASAN_POISON_MEMORY_REGION(content.data() + content.size(), surplus());
    }
    ~FilledPage() { ASAN_UNPOISON_MEMORY_REGION(content.data() + content.size(), surplus()); }
    std::size_t surplus() const { return Pool::rounded_up(content.size() + 1) - content.size(); }
};

// Checks that a packed page can be opened: the fuzzer alone would accept pages that never open.
std::string page_of(const Rows& rows, bool weighted) {
    static const std::int32_t labels[] = {1, 0, -1};
    static const double weights[] = {0.5, 2.0, 1.0};
    const std::string text = text_of(Packer().pack(rows, labels, weighted ? weights : nullptr, weighted ? weights : nullptr));
    FilledPage page(text);
    const Rows& opened = page.rows;
    if (!page.open() || !page.checked || opened.count != rows.count || opened.features != rows.features ||
        opened.sparse != rows.sparse || opened.stored != rows.stored || (page.weights != nullptr) != weighted)
        fuzz::fail("a page differs from what was packed", text);
    return text;
}

// Pages of every kind: values in two, four or eight bytes or none, columns in two, four or eight, sparse and dense.
std::vector<std::string> pages() {
    static const std::int64_t starts[] = {0, 2, 2, 5}, wide[] = {0, 7, 1, 2, 6};
    static const std::int32_t index[] = {0, 7, 1, 2, 6};
    static const double values[][5] = {{0.25, -1.5, 3, 4, 5}, {1e5, 1, 2, 3, 4}, {0.1, 1.0 / 3, 2, 3, 4}, {1, 1, 1, 1, 1}};
    static const float singles[] = {1, 2, 3, 4, 5, 6};
    std::vector<std::string> made;
    for (const bool weighted : {false, true}) {
        Rows rows;
        rows.count = 3;
        rows.sparse = true;
        rows.starts = starts;
        rows.stored = 5;
        for (const std::size_t features : {8, 1 << 20})
            for (const auto& of : values) {
                rows.features = features;
                rows.values = of;
                rows.wide_indices = false;
                rows.indices = index;
                made.push_back(page_of(rows, weighted));
                rows.wide_indices = true;
                rows.indices = wide;
                made.push_back(page_of(rows, weighted));
            }
        Rows dense;
        dense.count = 3;
        dense.features = 2;
        dense.row_stride = 2;
        dense.column_stride = 1;
        dense.single = true;
        dense.values = singles;
        made.push_back(page_of(dense, weighted));
        dense.features = 1;
        dense.row_stride = 1;
        dense.single = false;
        dense.values = values[0];
        made.push_back(page_of(dense, weighted));
    }
    return made;
}

// A hash of every value, column and label of a page; fails if one is out of bounds.
std::uint64_t read(const Page& page, const std::string& text) {
    const Rows& rows = page.rows;
    std::uint64_t sum = rows.count ^ rows.features << 20 ^ std::uint64_t{rows.sparse} << 60 ^ std::uint64_t{page.weights != nullptr} << 61;
    const auto add = [&](std::uint64_t more) { sum = (sum ^ more ^ 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u; };
    const auto value = [&](std::size_t k) {
        const double x = rows.single ? static_cast<const float*>(rows.values)[k] : static_cast<const double*>(rows.values)[k];
        if (!(std::fabs(x) <= rows.largest)) fuzz::fail("a value is larger than rows.largest", text);
        add(std::bit_cast<std::uint64_t>(x));
    };
    for (std::size_t i = 0; i < rows.count; ++i) {
        add(static_cast<std::uint32_t>(page.labels[i]));
        if (page.weights) add(std::bit_cast<std::uint64_t>(page.weights[i]));
        if (!rows.sparse) {
            for (std::size_t j = 0; j < rows.features; ++j) value(i * rows.features + j);
            continue;
        }
        if (rows.starts[i] < 0 || rows.starts[i + 1] > static_cast<std::int64_t>(rows.stored)) fuzz::fail("a row is outside the entries", text);
        for (std::int64_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
            const std::int64_t j = rows.wide_indices ? static_cast<const std::int64_t*>(rows.indices)[k]
                                                     : static_cast<const std::int32_t*>(rows.indices)[k];
            if (j < 0 || static_cast<std::size_t>(j) >= rows.features) fuzz::fail("a column is out of bounds", text);
            add(static_cast<std::uint64_t>(j));
            value(static_cast<std::size_t>(k));
        }
        add(i);
    }
    return sum;
}

void target(const std::string& input, fuzz::Random& random) {
    std::string text = input;
    if (text.size() >= checksum_size + header_size && random.below(2)) {  // overwrite a word of the header or the arrays
        static const std::uint64_t edges[] = {0, ~std::uint64_t{0}, 1, std::uint64_t{1} << 61, std::uint64_t{1} << 63, 0x7FF8000000000000u};
        const std::uint64_t word = random.below(3) ? edges[random.below(6)] : random.next() >> random.below(64);
        const std::size_t widths[] = {1, 2, 4, 8}, width = widths[random.below(4)];
        std::memcpy(text.data() + random.below(text.size() / width) * width, &word, width);
    }
    if (text.size() >= checksum_size && random.below(8)) {
        const auto* const first = reinterpret_cast<const std::uint8_t*>(text.data());
        const std::uint64_t sum = native().pages->checksum(first + checksum_size, text.size() - checksum_size);
        std::memcpy(text.data(), &sum, checksum_size);
    }
    FilledPage page(text);
    if (!page.open() || !page.checked) return;
    const std::uint64_t sum = read(page, text);
    const Rows& rows = page.rows;
    Rows checked = rows;
    checked.largest = 0.0;
    checked.canonical = true;
    if (native().rows->check(checked).kind != Fault::none || checked.largest != rows.largest || checked.canonical != rows.canonical)
        fuzz::fail("the full check disagrees with the page", text);
    if (rows.sparse && (rows.starts[0] != 0 || rows.entries() != rows.stored)) return;
    const std::string packed = text_of(Packer().pack(rows, page.labels, page.weights, page.targets));
    FilledPage repacked(packed);
    if (!repacked.open() || !repacked.checked || read(repacked, packed) != sum) fuzz::fail("packed again it differs", text);
}

}  // namespace

int main(int count, char** arguments) {
    const std::vector<std::string> words = {std::string(8, '\0'), std::string(8, '\xff'), std::string("\1\0\0\0\0\0\0\0", 8),
                                            std::string("\0\0\0\0\0\0\0\x80", 8), "\x7f", "\3", std::string(2, '\xff')};
    return fuzz::run(count, arguments, pages(), words, fuzz::Inputs::whole, target);
}
