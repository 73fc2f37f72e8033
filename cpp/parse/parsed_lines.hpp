// What a line parser produces: examples as rows of a sparse matrix, their labels, and the lines it could not read.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/memory/memory_pool.hpp"
#include "core/hash_secret.hpp"
#include "parse/number.hpp"

namespace rosenblatt {

// Thrown where a label has too many bytes; the token points into the line.
struct LabelTooLong {
    std::string_view token;
};

inline constexpr std::size_t longest_labels = 1 << 16;  // bytes of several labels together

// The labels of a chunk, numbered in the order of their first appearance. Those of classes are distinct; where labels hardly
// repeat, as numbers to predict do, each is numbered anew: to look it up would take as long as to read its row.
class LabelTable {
public:
    std::vector<std::string> tokens;
    std::size_t longest = 1000;  // bytes of a label

    // Eight bytes from the token must be readable. A token never holds a zero byte, so zeros can pad a short one.
    static ROSENBLATT_INLINE std::uint64_t key_of(const char* token, std::size_t length) {
        return length == 8 ? load8(token) : load8(token) & ((std::uint64_t{1} << (8 * length)) - 1);
    }

    // The number of a label of at most eight bytes that is among the first few, or -1. No branch depends on which one it
    // is, because the order of labels cannot be predicted.
    ROSENBLATT_INLINE std::int32_t find_among_first(const char* token, std::size_t length) const {
        if (length - 1 >= 8) return -1;
        const std::uint64_t key = key_of(token, length);
        std::int32_t match = -1;
        for (std::int32_t i = 0; i < n_first; ++i) match = first_keys[i] == key ? i : match;
        return match >= 0 ? first_codes[match] : -1;
    }

    // The number of a known label of at most eight bytes, or -1.
    ROSENBLATT_INLINE std::int32_t find_short(const char* token, std::size_t length) const {
        const std::int32_t code = find_among_first(token, length);
        if (code >= 0 || length - 1 >= 8 || short_codes.size() <= n_first) return code;
        const auto entry = short_codes.find(key_of(token, length));
        return entry == short_codes.end() ? -1 : entry->second;
    }

    // The number of a label, a new one if it is not known.
    std::int32_t code_of(const char* token, std::size_t length) {
        if (length > longest) throw LabelTooLong{{token, length}};
        ++lookups;
        if (hardly_repeat()) {
            tokens.emplace_back(token, length);
            return static_cast<std::int32_t>(tokens.size() - 1);
        }
        if (length > 8) return code_of_long({token, length});
        const std::int32_t next = static_cast<std::int32_t>(tokens.size());
        const auto [entry, is_new] = short_codes.try_emplace(key_of(token, length), next);
        if (is_new) {
            tokens.emplace_back(token, length);
            if (short_codes.size() <= n_first) {
                first_keys[short_codes.size() - 1] = entry->first;
                first_codes[short_codes.size() - 1] = next;
            }
        }
        return entry->second;
    }

private:
    bool hardly_repeat() const { return tokens.size() >= 256 && 4 * tokens.size() > 3 * lookups; }

    std::int32_t code_of_long(std::string_view token) {
        const auto [entry, is_new] = long_codes.try_emplace(std::string(token), static_cast<std::int32_t>(tokens.size()));
        if (is_new) tokens.emplace_back(token);
        return entry->second;
    }

    static constexpr std::int32_t n_first = 4;
    std::size_t lookups = 0;
    std::uint64_t first_keys[n_first] = {};  // 0 is the key of no token
    std::int32_t first_codes[n_first] = {};
    std::unordered_map<std::uint64_t, std::int32_t, KeyedHash> short_codes;
    std::unordered_map<std::string, std::int32_t> long_codes;
};

// Why a line cannot be read. readers/formats/bad_lines.py has the sentences, under the same numbers.
enum class LineFault : std::int32_t {
    no_colon,           // a feature index without ':'
    no_index,           // something else where a feature index should be
    negative_index,
    index_beyond,       // more than 2^31 - 1
    index_zero,         // in a file whose indices begin at 1
    no_number,          // a value that is not a number
    not_finite,         // nan or an infinity
    too_large,          // beyond the largest double
    several_labels,     // a comma in a label
    odd_byte,           // a control character
    no_bar,             // vw: no '|' in a line that is not blank
    no_label,           // vw: words before the first '|' that are not a label, a weight and a tag
    bad_weight,         // vw: an importance that is negative or not finite
    no_tab,             // text: no tab between a label and its text
    empty_label,        // text: nothing before the tab
    base_given,         // vw: a third number before the first '|', other than 0
    product_too_large,  // vw: two crossed values whose product is beyond the largest double
    many_products,      // vw: crossed namespaces with too many features on one line
    long_label,         // more bytes than a label may have
};

// Of a value that is not ok.
inline LineFault fault_of(NumberStatus status) {
    if (status == NumberStatus::malformed) return LineFault::no_number;
    return status == NumberStatus::not_finite ? LineFault::not_finite : LineFault::too_large;
}

struct BadLine {
    LineFault fault;
    std::int64_t line;    // of the chunk, from 1
    std::int64_t column;  // in characters, from 1
    std::string token;    // the offending words
    std::string about;    // the feature that they belong to
};

// What a learner needs to know of rows before it reads them; a parser can collect it while it writes them.
struct RowSummary {
    std::int64_t largest_column = -1;
    double largest_value = 0.0;  // in absolute value
    bool ascending = true;       // the columns of every row

    // `previous` is the column before this one in its row, or -1.
    ROSENBLATT_INLINE void add_entry(std::int64_t previous, std::int64_t column, double value) {
        const double magnitude = std::fabs(value);
        largest_column = column > largest_column ? column : largest_column;
        largest_value = magnitude > largest_value ? magnitude : largest_value;
        ascending = ascending & (column > previous);
    }

    ROSENBLATT_INLINE void merge(const RowSummary& other) {
        largest_column = other.largest_column > largest_column ? other.largest_column : largest_column;
        largest_value = other.largest_value > largest_value ? other.largest_value : largest_value;
        ascending = ascending && other.ascending;
    }
};

struct Parsed {
    PooledVector<std::int64_t> starts;      // indptr: one more than there are rows
    PooledVector<std::int32_t> indices;
    PooledVector<double> values;
    PooledVector<std::int32_t> labels;      // numbers in `table`, -1: none
    PooledVector<double> weights;           // empty where every row has weight 1
    LabelTable table;
    std::int64_t lines = 0;
    RowSummary summary;              // its largest column is always set
    bool summary_complete = false;   // the rest of it too
    std::int64_t bad_count = 0;
    std::vector<std::int64_t> bad_numbers;  // of all bad lines
    std::vector<BadLine> bad_lines;  // the first few
    bool stopped = false;            // at a bad line

    Parsed() { starts.push(0); }

    // The column of a byte in its line, in characters of UTF-8.
    static std::int64_t column(const char* line, const char* at) {
        std::int64_t count = 1;
        for (; line < at; ++line) count += (static_cast<unsigned char>(*line) & 0xC0) != 0x80;
        return count;
    }

    void add_fault(LineFault fault, const char* line, const char* at, std::string_view token, std::string_view about = {}) {
        constexpr std::size_t max_lines = 10, max_shown = 60;
        ++bad_count;
        bad_numbers.push_back(lines);
        if (bad_lines.size() < max_lines)
            bad_lines.push_back({fault, lines, column(line, at), std::string(token.substr(0, max_shown)), std::string(about.substr(0, max_shown))});
    }

    // The summary of the rows from this one on, for a parser whose own includes rows that it then dropped.
    RowSummary summarise_from(std::size_t row) {
        RowSummary result;
        for (; row + 1 < starts.size(); ++row) {
            std::int64_t previous = -1;
            for (auto k = static_cast<std::size_t>(starts[row]); k < static_cast<std::size_t>(starts[row + 1]); ++k)
                result.add_entry(std::exchange(previous, indices[k]), indices[k], values[k]);
        }
        return result;
    }

    void drop_unfinished_row() {
        const std::size_t n_entries = static_cast<std::size_t>(starts[starts.size() - 1]);
        indices.resize(n_entries);
        values.resize(n_entries);
        if (weights.size() > labels.size()) weights.resize(labels.size());
    }
};

// Parses one piece. The table of labels, not the parser, finds that a label is too long; such a row is bad like any other.
template <class Parse>
bool parse_piece(const char* first, const char* last, bool skip, Parsed& parsed, Parse parse) {
    while (first < last) {
        try {
            return parse(first, last, parsed);
        } catch (const LabelTooLong& label) {
            const char* const at = label.token.data();
            const char* line = at;
            while (line > first && line[-1] != '\n') --line;
            parsed.drop_unfinished_row();
            parsed.add_fault(LineFault::long_label, line, at, label.token.substr(0, 20));
            parsed.stopped = !skip;
            if (parsed.stopped) return false;
            first = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(last - at))) + 1;
        }
    }
    return true;
}

}  // namespace rosenblatt
