// Vowpal Wabbit's text -> examples: `[label [weight [base]]] [tag]|namespace[:scale] name[:value] ... |namespace ...`.
//
// A feature is its namespace and its name: the column is the highest bits of hash(name, seed = hash(namespace, 0)), with
// the hash of words/hash.hpp; a line that begins with `| ` has the namespace of no letters. The value is 1 where none is
// given, times the scale of its namespace. What stands before the first '|' without a space between is a tag, as is what
// begins with an apostrophe; tags are not kept. Where namespaces are crossed, each feature of the one and each of the other
// make one more: its hash is that of the phrase of the two, its value their product. Compiled once for each instruction set.
#pragma once

#include <algorithm>

#include "parse/number_simd.hpp"
#include "parse/parsers.hpp"
#include "parse/separators.hpp"
#include "words/hash.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// One piece of whole lines. Invariant: `stop` is the separator after the last word that was read.
class VwPiece {
    struct Crossed {
        std::uint64_t hash;
        double number;
        std::string_view space, name;
    };
    struct Product {
        Name known;
        const Crossed *left, *right;
    };

public:
    VwPiece(const char* first, const char* last, const Vw& how, Parsed& out, Candidates& unknown)
        : how(how), out(out), unknown(unknown), first(first), last(last), stops(first, last) {
        // A feature takes at least two bytes: a letter and its separator.
        const std::size_t most = out.indices.size() + static_cast<std::size_t>(last - first) / 2 + 1;
        out.indices.reserve(most);
        out.values.reserve(most);
    }

    // False: stopped at a bad line.
    bool parse() {
        for (const char* p = first; p < last && !out.stopped; p = stop + 1) {
            line = p;
            ++out.lines;
            keys.clear();
            numbers.clear();
            spellings.clear();
            if (how.crossing) start_crossing();
            stop = p - 1;
            blank = false;
            if (before_bar() && namespaces() && (blank || end_row())) continue;
            while (*stop != '\n') stop = stops.next();
        }
        return !out.stopped;
    }

private:
    bool bad(Fault_of_line kind, std::string_view token, std::string_view about) {
        return bad(kind, token.data(), token.data() + token.size(), about);
    }
    bool bad(Fault_of_line kind, const char* at, const char* end, std::string_view about = {}) {
        out.note(kind, line, at, {at, static_cast<std::size_t>(end - at)}, about);
        out.stopped = !how.skip;
        return false;
    }

    // The label, the weight and the tag. Afterwards `stop` is the first '|', or the end of a blank line.
    bool before_bar() {
        const char* word[4];
        const char* word_end[4];
        std::size_t words = 0;
        const char* begin = nullptr;  // of the first word, a tag too
        do {
            const char* p = stop + 1;
            stop = stops.next();
            if (*stop != '|' && !is_space(*stop)) return bad(Fault_of_line::odd_byte, stop, stop + 1);
            if (stop == p) continue;
            if (!begin) begin = p;
            if (*stop == '|' || *p == '\'') continue;  // a tag
            if (words == 4) return bad(Fault_of_line::no_label, line, stop);
            word[words] = p;
            word_end[words++] = stop;
        } while (*stop != '|' && *stop != '\n');
        blank = *stop == '\n' && !begin;
        if (blank) return true;
        if (*stop == '\n') return bad(Fault_of_line::no_bar, begin, stop);
        label = words ? std::string_view(word[0], static_cast<std::size_t>(word_end[0] - word[0])) : std::string_view();
        if (words > 3 || label.find(':') != label.npos) return bad(Fault_of_line::no_label, word[0], word_end[words - 1]);
        if (label.find(',') != label.npos) return bad(Fault_of_line::several_labels, word[0], word_end[0]);
        weight = 1;
        if (words > 1 && (any_number(word[1], word_end[1], weight) != Number::fine || weight < 0))
            return bad(Fault_of_line::bad_weight, word[1], word_end[1]);
        double base = 0;
        if (words > 2 && (any_number(word[2], word_end[2], base) != Number::fine || base != 0))
            return bad(Fault_of_line::base_given, word[2], word_end[2]);
        return true;
    }

    // From a '|' to the end of the line.
    bool namespaces() {
        while (*stop == '|') {
            const char* p = stop + 1;
            stop = stops.next();
            scale = 1;
            space = {};
            if (stop > p && !value_of(p, space, scale)) return false;
            seed = words::hash(bytes(space), space.size(), 0);
            if (how.crossing) group = how.crossing->met(space);
            if (!features()) return false;
        }
        return true;
    }

    bool features() {
        while (*stop != '|' && *stop != '\n') {
            if (!is_space(*stop)) return bad(Fault_of_line::odd_byte, stop, stop + 1);
            const char* p = stop + 1;
            stop = stops.next();
            if (stop == p) continue;
            std::string_view name;
            double number = 1;
            if (!value_of(p, name, number)) return false;
            number *= scale;
            if (!std::isfinite(number)) return bad(Fault_of_line::too_large, p, stop, name);
            add(name, number);
        }
        return true;
    }

    // `name[:value]` from p to `stop`: the last colon is the one that counts, for names may hold some.
    bool value_of(const char* p, std::string_view& name, double& number) {
        const char* colon = stop;
        while (colon > p && colon[-1] != ':') --colon;
        if (colon == p) {
            name = {p, static_cast<std::size_t>(stop - p)};
            return true;
        }
        name = {p, static_cast<std::size_t>(colon - 1 - p)};
        if (short_number(colon, stop, number)) return true;
        switch (any_number(colon, stop, number)) {
            case Number::fine: return true;
            case Number::not_one: return bad(Fault_of_line::no_number, colon, stop, name);
            case Number::not_finite: return bad(Fault_of_line::not_finite, colon, stop, name);
            default: return bad(Fault_of_line::too_large, colon, stop, name);
        }
    }

    void add(std::string_view name, double number) {
        const std::uint64_t hash = words::hash(bytes(name), name.size(), seed);
        const std::uint32_t column = words::column(hash, how.bits);
        keys.push_back(std::uint64_t{column} << 32 | keys.size());
        numbers.push_back(number);
        if (how.names) {
            how.names->expect(hash);  // it is not near; the rest of the line is read while it comes
            spellings.push_back({{hash, column, false}, space, name});
        }
        if (how.crossing && group < crossed.size()) crossed[group].push_back({hash, number, space, name});
    }

    void start_crossing() {
        crossed.resize(how.crossing->names().size());
        for (auto& features : crossed) features.clear();
        products.clear();
    }

    bool cross() {
        for (const auto& [a, b] : how.crossing->pairs()) {
            if (crossed[a].size() * crossed[b].size() > Crossing::most)
                return bad(Fault_of_line::many_products, crossed[b][0].space, crossed[a][0].space);
            for (const Crossed& left : crossed[a])
                for (const Crossed& right : crossed[b])
                    if (!multiply(left, right)) return bad(Fault_of_line::product_too_large, right.name, left.name);
        }
        out.indices.reserve(out.indices.size() + keys.size());
        out.values.reserve(out.values.size() + keys.size());
        return true;
    }

    bool multiply(const Crossed& left, const Crossed& right) {
        const double product = left.number * right.number;
        const std::uint64_t hash = words::join(left.hash, right.hash);
        const std::uint32_t column = words::column(hash, how.bits);
        keys.push_back(std::uint64_t{column} << 32 | keys.size());
        numbers.push_back(product);
        if (how.names) products.push_back({{hash, column, true}, &left, &right});
        return std::isfinite(product);
    }

    // As parse/names.hpp says: all names at first, later those of some rows.
    void see_names() {
        const bool late = Names::is_late(out.labels.size());
        for (const Spelling& spelling : spellings)
            see(spelling.known, late, [&](std::string& text) { spell(spelling.space, spelling.name, text); });
        for (const Product& product : products)
            see(product.known, late, [&](std::string& text) {
                spell(product.left->space, product.left->name, text);
                text.append(" ^ ");
                spell(product.right->space, product.right->name, text);
            });
    }

    template <class Spell>
    void see(const Name& name, bool late, Spell&& spell) {
        const Names& names = *how.names;
        ++unknown.looked;
        if (names.coarse() ? late && !names.used(name.column) : !names.knows(name.hash))
            names.list(name, late, unknown, spell);
        else if (names.coarse() && Names::is_counted(name.hash) && !names.counted(name.column))
            unknown.counted.push_back(name.column);
    }

    static void spell(std::string_view space, std::string_view name, std::string& text) {
        if (!space.empty()) text.append(space).push_back('^');
        text.append(name);
    }

    // In the order of the columns, each once: the order that the learner reads fastest.
    bool end_row() {
        if (how.crossing && !cross()) return false;
        std::sort(keys.begin(), keys.end());
        std::size_t count = out.indices.size();
        const std::size_t start = count;
        for (const std::uint64_t key : keys) {
            const std::int32_t column = static_cast<std::int32_t>(key >> 32);
            const double number = numbers[key & 0xFFFFFFFFu];
            if (count > start && out.indices[count - 1] == column) {
                out.values[count - 1] += number;
                if (!std::isfinite(out.values[count - 1])) return bad(Fault_of_line::too_large, line, stop, "one column, added up,");
                continue;
            }
            out.indices[count] = column;
            out.values[count++] = number;
        }
        out.indices.resize(count);
        out.values.resize(count);
        see_names();
        if (weight != 1 && out.weights.size() == 0)
            for (std::size_t row = 0; row < out.labels.size(); ++row) out.weights.push(1);
        if (weight != 1 || out.weights.size() > 0) out.weights.push(weight);
        out.labels.push(label.empty() ? -1 : out.table.code(label.data(), label.size()));
        out.starts.push(static_cast<std::int64_t>(count));
        if (count > start && out.indices[count - 1] > out.seen.largest) out.seen.largest = out.indices[count - 1];
        return true;
    }

    static const std::uint8_t* bytes(std::string_view text) {
        static constexpr std::uint8_t none[16] = {};
        return text.empty() ? none : reinterpret_cast<const std::uint8_t*>(text.data());
    }

    const Vw& how;
    Parsed& out;
    Candidates& unknown;
    const char* const first;
    const char* const last;
    Separators<'|'> stops;
    struct Spelling {
        Name known;
        std::string_view space, name;
    };
    std::vector<Spelling> spellings;  // of the names of a row
    std::vector<std::vector<Crossed>> crossed;  // the features of each crossed namespace in a row
    std::vector<Product> products;              // of their pairs, where names are kept
    std::vector<std::uint64_t> keys;  // of the features of a row: column, place in `numbers`
    std::vector<double> numbers;
    const char* line = nullptr;
    const char* stop = nullptr;
    std::string_view label, space;
    std::uint64_t seed = 0;
    std::size_t group = 0;  // of the namespace, among those that are crossed
    double weight = 1, scale = 1;
    bool blank = false;
};

inline bool parse_vw(const char* first, const char* last, const Vw& how, Parsed& out, Candidates& unknown) {
    return VwPiece(first, last, how, out, unknown).parse();
}

}  // namespace rosenblatt::ROSENBLATT_ISA
