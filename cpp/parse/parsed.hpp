// What a parser of lines gives: examples as rows of a sparse matrix, their labels, and the rows it could not read.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parse/number.hpp"
#include "core/pool.hpp"

namespace rosenblatt {

// Thrown where a label is too long to be one; the token points into the line.
struct LongLabel {
    std::string_view token;
};

// The distinct labels of a chunk, numbered in the order they are met.
class LabelTable {
public:
    std::vector<std::string> tokens;

    // Eight bytes from the token must be readable. A token never holds a zero byte, so zeros can fill a short one.
    static ROSENBLATT_INLINE std::uint64_t key_of(const char* token, std::size_t length) {
        return length == 8 ? load8(token) : load8(token) & ((std::uint64_t{1} << (8 * length)) - 1);
    }

    // The number of a label of at most eight bytes that is among the first few, or -1. No branch asks which one it is:
    // labels come in an order that no processor can guess.
    ROSENBLATT_INLINE std::int32_t known(const char* token, std::size_t length) const {
        if (length - 1 >= 8) return -1;
        const std::uint64_t key = key_of(token, length);
        std::int32_t found = -1;
        for (std::int32_t i = 0; i < few; ++i) found = first_keys[i] == key ? i : found;
        return found >= 0 ? first_codes[found] : -1;
    }

    // The number of a label of at most eight bytes that was met before, or -1.
    ROSENBLATT_INLINE std::int32_t met(const char* token, std::size_t length) const {
        const std::int32_t found = known(token, length);
        if (found >= 0 || length - 1 >= 8 || shorts.size() <= few) return found;
        const auto place = shorts.find(key_of(token, length));
        return place == shorts.end() ? -1 : place->second;
    }

    std::int32_t code(const char* token, std::size_t length) {
        if (length > 8) return long_code({token, length});
        const std::int32_t next = static_cast<std::int32_t>(tokens.size());
        const auto [place, fresh] = shorts.try_emplace(key_of(token, length), next);
        if (fresh) {
            tokens.emplace_back(token, length);
            if (shorts.size() <= few) {
                first_keys[shorts.size() - 1] = place->first;
                first_codes[shorts.size() - 1] = next;
            }
        }
        return place->second;
    }

private:
    std::int32_t long_code(std::string_view token) {
        if (token.size() > longest) throw LongLabel{token};
        const auto [place, fresh] = longs.try_emplace(std::string(token), static_cast<std::int32_t>(tokens.size()));
        if (fresh) tokens.emplace_back(token);
        return place->second;
    }

    static constexpr std::size_t longest = 1000;
    static constexpr std::int32_t few = 4;
    std::uint64_t first_keys[few] = {};  // 0 is the key of no token
    std::int32_t first_codes[few] = {};
    std::unordered_map<std::uint64_t, std::int32_t> shorts;
    std::unordered_map<std::string, std::int32_t> longs;
};

// Why a row cannot be read. The sentences are in read/faults.py.
enum class Fault_of_line : std::int32_t {
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
    no_bar,             // vw: no '|' in a line that holds something
    no_label,           // vw: words before the first '|' that are not a label, a weight and a tag
    bad_weight,         // vw: an importance that is negative or not finite
    no_tab,             // text: no tab between a label and its text
    empty_label,        // text: nothing before the tab
    base_given,         // vw: a third number before the first '|', other than 0
    product_too_large,  // vw: two crossed values whose product is beyond the largest double
    many_products,      // vw: crossed namespaces with too many features on one line
    long_label,         // more bytes than a label may have
};

struct BadLine {
    Fault_of_line kind;
    std::int64_t line;    // of the chunk, from 1
    std::int64_t column;  // in characters, from 1
    std::string token;    // the words concerned
    std::string about;    // the feature that they belong to
};

// What a parser sees of its rows while it writes them.
struct Seen {
    std::int64_t largest = -1;  // column
    double magnitude = 0.0;     // the largest |value|
    bool ascending = true;      // the columns of every row

    // One more entry; `before` is the column before it in its row, or -1.
    ROSENBLATT_INLINE void see(std::int64_t before, std::int64_t column, double number) {
        const double size = std::fabs(number);
        largest = column > largest ? column : largest;
        magnitude = size > magnitude ? size : magnitude;
        ascending = ascending & (column > before);
    }

    ROSENBLATT_INLINE void add(const Seen& other) {
        largest = other.largest > largest ? other.largest : largest;
        magnitude = other.magnitude > magnitude ? other.magnitude : magnitude;
        ascending = ascending && other.ascending;
    }
};

struct Parsed {
    Grown<std::int64_t> starts;   // indptr: one more than there are rows
    Grown<std::int32_t> indices;
    Grown<double> values;
    Grown<std::int32_t> labels;
    Grown<double> weights;        // empty where every row counts 1
    LabelTable table;
    std::int64_t lines = 0;
    Seen seen;                    // the largest column at least
    bool looked = false;          // the rest of `seen` too
    std::int64_t bad_count = 0;
    std::vector<BadLine> bad;     // the first few
    bool stopped = false;         // at a bad line

    Parsed() { starts.push(0); }

    // The column of a byte in its line, in characters of UTF-8.
    static std::int64_t column(const char* line, const char* at) {
        std::int64_t count = 1;
        for (; line < at; ++line) count += (static_cast<unsigned char>(*line) & 0xC0) != 0x80;
        return count;
    }

    void note(Fault_of_line kind, const char* line, const char* at, std::string_view token, std::string_view about = {}) {
        constexpr std::size_t few = 10, shown = 60;
        ++bad_count;
        if (bad.size() < few)
            bad.push_back({kind, lines, column(line, at), std::string(token.substr(0, shown)), std::string(about.substr(0, shown))});
    }

    // What there is to see in the rows from this one on, for a parser that has seen some which it does not give.
    Seen seen_from(std::size_t row) {
        Seen found;
        for (; row + 1 < starts.size(); ++row) {
            std::int64_t before = -1;
            for (auto k = static_cast<std::size_t>(starts[row]); k < static_cast<std::size_t>(starts[row + 1]); ++k)
                found.see(std::exchange(before, indices[k]), indices[k], values[k]);
        }
        return found;
    }

    // What a parser had pushed of a row before it left it, goes.
    void drop_unfinished_row() {
        const std::size_t kept = static_cast<std::size_t>(starts[starts.size() - 1]);
        indices.resize(kept);
        values.resize(kept);
        if (weights.size() > labels.size()) weights.resize(labels.size());
    }
};

// One piece; the table of labels, not the parser, says that a label is too long, and such a row is bad like any other.
template <class Parse>
bool parse_piece(const char* first, const char* last, bool skip, Parsed& parsed, Parse parse) {
    while (first < last) {
        try {
            return parse(first, last, parsed);
        } catch (const LongLabel& label) {
            const char* const at = label.token.data();
            const char* line = at;
            while (line > first && line[-1] != '\n') --line;
            parsed.drop_unfinished_row();
            parsed.note(Fault_of_line::long_label, line, at, label.token.substr(0, 20));
            parsed.stopped = !skip;
            if (parsed.stopped) return false;
            first = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(last - at))) + 1;
        }
    }
    return true;
}

}  // namespace rosenblatt
