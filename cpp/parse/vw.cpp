// Vowpal Wabbit's text -> examples: `[label [weight [base]]] [tag]|namespace[:scale] name[:value] ... |namespace ...`.
//
// A feature is its namespace and its name: the column is the highest bits of hash(name, seed = hash(namespace, 0)), with
// the hash of words/hash_function.hpp; a line that begins with `| ` has the empty namespace. The value is 1 unless given, times the
// scale of its namespace. A word directly before the first '|', or one that begins with an apostrophe, is a tag; tags are
// not kept. Where two namespaces are crossed, every feature of the one and every feature of the other make one more:
// its hash is that of the phrase of the two, its value their product. Compiled once per instruction set.
#include <algorithm>

#include "parse/number_simd.hpp"
#include "parse/parser_table.hpp"
#include "parse/separators.hpp"
#include "words/hash_function.hpp"

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

// Parses one piece of whole lines. Invariant: `word_end` is the separator after the last word that was read.
class VwParser {
    struct Spelling {
        Name id;
        std::string_view space, name;
    };
    struct CrossedFeature {
        std::uint64_t hash;
        double value;
        std::string_view space, name;
    };
    struct Product {
        Name id;
        const CrossedFeature *left, *right;
    };

public:
    VwParser(const char* first, const char* last, const VwOptions& options, Parsed& out, Candidates& unknown)
        : options(options), out(out), unknown(unknown), first(first), last(last), separators(first, last) {
        // A feature takes at least two bytes: a letter and its separator.
        const std::size_t capacity = out.indices.size() + static_cast<std::size_t>(last - first) / 2 + 1;
        out.indices.reserve(capacity);
        out.values.reserve(capacity);
    }

    // False: stopped at a bad line.
    bool parse() {
        for (const char* p = first; p < last && !out.stopped; p = word_end + 1) {
            line = p;
            ++out.lines;
            keys.clear();
            values.clear();
            spellings.clear();
            if (options.crossing) reset_crossing();
            word_end = p - 1;
            blank = false;
            if (parse_before_bar() && parse_namespaces() && (blank || finish_row())) continue;
            while (*word_end != '\n') word_end = separators.next();
        }
        return !out.stopped;
    }

private:
    static const char* end_of(std::string_view token) { return token.data() + token.size(); }

    bool fail(LineFault fault, std::string_view token, std::string_view about = {}) { return fail(fault, token.data(), end_of(token), about); }
    bool fail(LineFault fault, const char* begin, const char* end, std::string_view about = {}) {
        out.add_fault(fault, line, begin, {begin, static_cast<std::size_t>(end - begin)}, about);
        out.stopped = !options.skip;
        return false;
    }

    // The label, the weight and the tag. Afterwards `word_end` is the first '|', or the end of a blank line.
    bool parse_before_bar() {
        std::string_view word[4];
        std::size_t words = 0;
        const char* first_word = nullptr;  // a tag too
        do {
            const char* p = word_end + 1;
            word_end = separators.next();
            if (*word_end != '|' && !is_space(*word_end)) return fail(LineFault::odd_byte, word_end, word_end + 1);
            if (word_end == p) continue;
            if (!first_word) first_word = p;
            if (*word_end == '|' || *p == '\'') continue;  // a tag
            if (words == 4) return fail(LineFault::no_label, line, word_end);
            word[words++] = {p, static_cast<std::size_t>(word_end - p)};
        } while (*word_end != '|' && *word_end != '\n');
        blank = *word_end == '\n' && !first_word;
        if (blank) return true;
        if (*word_end == '\n') return fail(LineFault::no_bar, first_word, word_end);
        label = word[0];
        if (words > 3 || label.find(':') != label.npos) return fail(LineFault::no_label, label.data(), end_of(word[words - 1]));
        if (!options.several && label.find(',') != label.npos) return fail(LineFault::several_labels, label);
        weight = 1;
        if (words > 1 && (parse_any_number(word[1].data(), end_of(word[1]), weight) != NumberStatus::ok || weight < 0))
            return fail(LineFault::bad_weight, word[1]);
        double base = 0;
        if (words > 2 && (parse_any_number(word[2].data(), end_of(word[2]), base) != NumberStatus::ok || base != 0))
            return fail(LineFault::base_given, word[2]);
        return true;
    }

    // From a '|' to the end of the line.
    bool parse_namespaces() {
        while (*word_end == '|') {
            const char* p = word_end + 1;
            word_end = separators.next();
            scale = 1;
            space = {};
            if (word_end > p && !parse_word(p, space, scale)) return false;
            seed = words::hash(bytes(space), space.size(), 0);
            if (options.crossing) group = options.crossing->find_and_mark(space);
            if (!parse_features()) return false;
        }
        return true;
    }

    bool parse_features() {
        while (*word_end != '|' && *word_end != '\n') {
            if (!is_space(*word_end)) return fail(LineFault::odd_byte, word_end, word_end + 1);
            const char* p = word_end + 1;
            word_end = separators.next();
            if (word_end == p) continue;
            std::string_view name;
            double value = 1;
            if (!parse_word(p, name, value)) return false;
            value *= scale;
            if (!std::isfinite(value)) return fail(LineFault::too_large, p, word_end, name);
            add_feature(name, value);
        }
        return true;
    }

    // `name[:value]` from p to `word_end`, split at the last colon: names may contain others.
    bool parse_word(const char* p, std::string_view& name, double& number) {
        const char* colon = word_end;
        while (colon > p && colon[-1] != ':') --colon;
        if (colon == p) {
            name = {p, static_cast<std::size_t>(word_end - p)};
            return true;
        }
        name = {p, static_cast<std::size_t>(colon - 1 - p)};
        if (parse_short_number(colon, word_end, number)) return true;
        const NumberStatus status = parse_any_number(colon, word_end, number);
        return status == NumberStatus::ok || fail(fault_of(status), colon, word_end, name);
    }

    void add_feature(std::string_view name, double value) {
        const std::uint64_t hash = words::hash(bytes(name), name.size(), seed);
        const std::uint32_t column = words::column(hash, options.bits);
        keys.push_back(std::uint64_t{column} << 32 | keys.size());
        values.push_back(value);
        if (options.names) {
            options.names->prefetch(hash);  // the rest of the line is parsed while it loads
            spellings.push_back({{hash, column, false}, space, name});
        }
        if (options.crossing && group < crossed.size()) crossed[group].push_back({hash, value, space, name});
    }

    void reset_crossing() {
        crossed.resize(options.crossing->names().size());
        for (auto& features : crossed) features.clear();
        products.clear();
    }

    bool cross() {
        for (const auto& [a, b] : options.crossing->pairs()) {
            if (crossed[a].size() * crossed[b].size() > Crossing::max_products)
                return fail(LineFault::many_products, crossed[b][0].space, crossed[a][0].space);
            for (const CrossedFeature& left : crossed[a])
                for (const CrossedFeature& right : crossed[b])
                    if (!multiply(left, right)) return fail(LineFault::product_too_large, right.name, left.name);
        }
        out.indices.reserve(out.indices.size() + keys.size());
        out.values.reserve(out.values.size() + keys.size());
        return true;
    }

    bool multiply(const CrossedFeature& left, const CrossedFeature& right) {
        const double product = left.value * right.value;
        const std::uint64_t hash = words::join(left.hash, right.hash);
        const std::uint32_t column = words::column(hash, options.bits);
        keys.push_back(std::uint64_t{column} << 32 | keys.size());
        values.push_back(product);
        if (options.names) products.push_back({{hash, column, true}, &left, &right});
        return std::isfinite(product);
    }

    // See parse/name_dictionary.hpp: all names at first, later those of some rows.
    void look_up_names() {
        const bool sampled_row = Names::is_sampled_row(out.labels.size());
        for (const Spelling& spelling : spellings)
            look_up(spelling.id, sampled_row, [&](std::string& text) { spell(spelling.space, spelling.name, text); });
        for (const Product& product : products)
            look_up(product.id, sampled_row, [&](std::string& text) {
                spell(product.left->space, product.left->name, text);
                text.append(" ^ ");
                spell(product.right->space, product.right->name, text);
            });
    }

    template <class Spell>
    void look_up(const Name& name, bool sampled_row, Spell&& spell) {
        const Names& names = *options.names;
        ++unknown.lookups;
        if (names.coarse() ? sampled_row && !names.is_used(name.column) : !names.contains(name.hash))
            names.list(name, sampled_row, unknown, spell);
        else if (names.coarse() && Names::is_sampled_name(name.hash) && !names.in_sample(name.column))
            unknown.sample_columns.push_back(name.column);
    }

    static void spell(std::string_view space, std::string_view name, std::string& text) {
        if (!space.empty()) text.append(space).push_back('^');
        text.append(name);
    }

    // Sorted by column, each column once: the order that the learner reads fastest.
    bool finish_row() {
        if (options.crossing && !cross()) return false;
        std::sort(keys.begin(), keys.end());
        std::size_t count = out.indices.size();
        const std::size_t start = count;
        for (const std::uint64_t key : keys) {
            const std::int32_t column = static_cast<std::int32_t>(key >> 32);
            const double value = values[key & 0xFFFFFFFFu];
            if (count > start && out.indices[count - 1] == column) {
                out.values[count - 1] += value;
                if (!std::isfinite(out.values[count - 1])) return fail(LineFault::too_large, line, word_end, "one column, added up,");
                continue;
            }
            out.indices[count] = column;
            out.values[count++] = value;
        }
        out.indices.resize(count);
        out.values.resize(count);
        look_up_names();
        if (weight != 1 && out.weights.size() == 0)
            for (std::size_t row = 0; row < out.labels.size(); ++row) out.weights.push(1);
        if (weight != 1 || out.weights.size() > 0) out.weights.push(weight);
        out.labels.push(label.empty() ? -1 : out.table.code_of(label.data(), label.size()));
        out.starts.push(static_cast<std::int64_t>(count));
        if (count > start && out.indices[count - 1] > out.summary.largest_column) out.summary.largest_column = out.indices[count - 1];
        return true;
    }

    static const std::uint8_t* bytes(std::string_view text) {
        static constexpr std::uint8_t none[16] = {};
        return text.empty() ? none : reinterpret_cast<const std::uint8_t*>(text.data());
    }

    const VwOptions& options;
    Parsed& out;
    Candidates& unknown;
    const char* const first;
    const char* const last;
    Separators<'|'> separators;
    // Of the current row:
    std::vector<Spelling> spellings;                   // of its names
    std::vector<std::vector<CrossedFeature>> crossed;  // by crossed namespace
    std::vector<Product> products;                     // of crossed features, where names are kept
    std::vector<std::uint64_t> keys;                   // column << 32 | index in `values`
    std::vector<double> values;
    const char* line = nullptr;
    const char* word_end = nullptr;
    std::string_view label, space;
    std::uint64_t seed = 0;
    std::size_t group = 0;  // index of the namespace among the crossed ones
    double weight = 1, scale = 1;
    bool blank = false;
};

}  // namespace

bool parse_svmlight(const char* first, const char* last, const SvmlightOptions& options, Parsed& out);  // parse/svmlight/svmlight.cpp

bool parse_vw(const char* first, const char* last, const VwOptions& options, Parsed& out, Candidates& unknown) {
    return VwParser(first, last, options, out, unknown).parse();
}

extern const ParserFunctions parser_functions{parse_svmlight, parse_vw};

}  // namespace rosenblatt::ROSENBLATT_ISA
