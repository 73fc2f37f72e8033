// Text to sparse rows, and the dictionary of names.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>

#include "bind/parse/parsed_lines.hpp"
#include "words/text_lines.hpp"
#include "words/unicode_tables.hpp"

namespace rosenblatt {
namespace {

using namespace words;

using Bytes = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void check_hashing(unsigned bits, unsigned ngrams) {
    if (bits < 1 || bits > 28) throw nb::value_error("bits must be 1 to 28");
    if (ngrams < 1 || ngrams > max_ngrams) throw nb::value_error("ngrams must be 1 to 8");
}

Splitting splitting_of(unsigned number) {
    if (number < 1 || number > static_cast<unsigned>(latest_splitting)) throw nb::value_error("splitting must be 1 or 2");
    return static_cast<Splitting>(number);
}

void new_hashing(HashingOptions* at, unsigned bits, unsigned ngrams, const std::string& value, bool unit, std::int32_t first,
                 std::optional<std::pair<unsigned, unsigned>> chars, unsigned splitting) {
    check_hashing(bits, ngrams);
    const auto [shortest, longest] = chars.value_or(std::pair(0u, 0u));
    if (chars && (shortest < 1 || longest < shortest || longest > max_characters)) throw nb::value_error("chars must be 1 to 12");
    new (at) HashingOptions{bits, ngrams, shortest, longest, splitting_of(splitting), one_of<Value>(value, {"count", "binary", "sqrt"}), unit, first};
}

// (contents, names that the dictionary did not have)
nb::tuple parse_text(nb::handle source, std::int64_t begin, std::int64_t end, const std::string& kind, const HashingOptions& options,
                     const Names* names, bool skip) {
    const auto format = one_of<TextFormat>(kind, {"labelled", "several", "either", "plain"});
    Hasher hasher(options, names);
    nb::tuple contents = parse_source(source, begin, end, skip, [&](const char* first, const char* last, Parsed& out) {
        out.summary.largest_column = options.first + (std::int64_t{1} << options.bits) - 1;  // any column may occur
        if (format == TextFormat::several) out.table.longest = longest_labels;
        return TextParser(format, skip, hasher, out).parse(first, last);
    });
    return nb::make_tuple(contents, std::move(hasher.candidates));
}

// Columns of texts in the layout of Arrow, (bytes, starts, seed) each, to one row for each position.
nb::tuple hash_columns(const std::vector<std::tuple<Bytes, In<std::int64_t>, std::uint64_t>>& columns,
                       const HashingOptions& options, const Names* names) {
    const std::size_t count = columns.empty() ? 0 : std::get<1>(columns.front()).shape(0);
    for (const auto& [data, starts, seed] : columns) {
        bool ordered = starts.shape(0) == count && count > 0 && starts.data()[0] >= 0 &&
                       starts.data()[count - 1] <= static_cast<std::int64_t>(data.nbytes());
        for (std::size_t i = 1; i < count && ordered; ++i) ordered = starts.data()[i - 1] <= starts.data()[i];
        if (!ordered) throw nb::value_error("the starts of texts must be ascending, within their bytes, and equally many in every column");
    }
    Hasher hasher(options, names);
    PooledVector<std::int64_t> row_starts;
    PooledVector<std::int32_t> indices;
    PooledVector<double> values;
    {
        const WithoutGil free;
        row_starts.push(0);
        const SparseRows rows{row_starts, indices, values};
        std::vector<Text> texts(columns.size());
        for (std::size_t i = 0; i + 1 < count; ++i) {
            for (std::size_t c = 0; c < columns.size(); ++c) {
                const auto& [data, starts, seed] = columns[c];
                const auto begin = static_cast<std::size_t>(starts.data()[i]), end = static_cast<std::size_t>(starts.data()[i + 1]);
                texts[c] = {static_cast<const std::uint8_t*>(data.data()) + begin, end - begin, seed};
            }
            hasher.add_row(texts, rows);
        }
    }
    return nb::make_tuple(to_array(std::move(row_starts)), to_array(std::move(indices)), to_array(std::move(values)),
                          std::move(hasher.candidates));
}

std::uint64_t hash_of(nb::bytes text, std::uint64_t seed) {
    std::string padded(text.c_str(), text.size());
    padded.append(16, '\0');
    return hash(reinterpret_cast<const std::uint8_t*>(padded.data()), text.size(), seed);
}

// The words of a text, lower-cased, as they are hashed.
nb::list words_of(nb::bytes text, unsigned splitting) {
    FoldedText folded;
    native().words->fold(folded, reinterpret_cast<const std::uint8_t*>(text.c_str()), text.size(), splitting_of(splitting));
    nb::list words;
    for (const auto [begin, end] : folded.words()) words.append(nb::bytes(reinterpret_cast<const char*>(folded.bytes.get()) + begin, end - begin));
    return words;
}

// The first name of each column, or another one that is given, sorted by column: (columns, end of each name in the text, text).
// `first` is the column of hash 0.
nb::tuple by_column(const Names& names, std::int64_t first, const std::map<std::int64_t, std::string>& others) {
    const auto &column = names.columns(), &end = names.ends();
    std::vector<std::uint32_t> order(column.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return column[a] < column[b]; });
    PooledVector<std::int64_t> columns, ends;
    std::string text;
    const auto add = [&](std::int64_t at, std::string_view name) {
        text += name;
        columns.push(at);
        ends.push(static_cast<std::int64_t>(text.size()));
    };
    auto other = others.begin();
    for (const std::uint32_t i : order) {
        for (; other != others.end() && other->first <= column[i] + first; ++other) add(other->first, other->second);
        if (columns.size() && columns[columns.size() - 1] == column[i] + first) continue;
        const std::size_t begin = i ? end[i - 1] : 0;
        add(column[i] + first, std::string_view(names.text()).substr(begin, end[i] - begin));
    }
    for (; other != others.end(); ++other) add(other->first, other->second);
    return nb::make_tuple(to_memoryview(columns), to_memoryview(ends), nb::bytes(text.data(), text.size()));
}

// A set of at most so many hashes, which notes whether each has occurred in a sampled row.
class Occurrences {
public:
    explicit Occurrences(std::size_t most)
        : hashes_(std::bit_ceil(2 * most + 2)), in_sample_(hashes_.size()), shift_(64 - std::bit_width(hashes_.size() - 1)) {}

    // Whether it is the first of this hash, or its first in a sampled row.
    bool is_new(std::uint64_t hash, bool sampled_row) {
        hash |= hash == 0;
        std::size_t at = hash * key_ >> shift_;
        while (hashes_[at] != 0 && hashes_[at] != hash) at = (at + 1) & (hashes_.size() - 1);
        const bool is_new = hashes_[at] == 0 || (sampled_row && !in_sample_[at]);
        hashes_[at] = hash;
        in_sample_[at] |= sampled_row;
        return is_new;
    }

private:
    std::vector<std::uint64_t> hashes_;  // open addressing, 0: empty
    std::vector<std::uint8_t> in_sample_;
    int shift_;
    std::uint64_t key_ = hash_secret();
};

// Candidates on their way to the process that merges them: four numbers (lookups, entries, samples, bytes of text), then the
// hashes, columns, ends, sampled columns, flags and the text. Of a name that occurs often only what a merge uses is sent: its
// first occurrence, and its first in a sampled row. (A dictionary that counts names would need all of them.)
nb::bytes pack_candidates(const Candidates& list) {
    Occurrences occurrences(list.entries.size());
    std::vector<std::uint64_t> hashes;
    std::vector<std::uint32_t> columns, ends;
    std::string flags, text;
    std::uint32_t begin = 0;
    for (const auto& [name, sampled_row, end] : list.entries) {
        if (occurrences.is_new(name.hash, sampled_row)) {
            hashes.push_back(name.hash);
            columns.push_back(name.column);
            text.append(list.text, begin, end - begin);
            ends.push_back(static_cast<std::uint32_t>(text.size()));
            flags.push_back(static_cast<char>(name.phrase | sampled_row << 1));
        }
        begin = end;
    }
    std::vector<std::uint32_t> samples = list.sample_columns;
    std::sort(samples.begin(), samples.end());
    samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
    const std::uint64_t sizes[] = {list.lookups, hashes.size(), samples.size(), text.size()};
    std::string packed;
    const auto put = [&](const void* from, std::size_t bytes) { packed.append(static_cast<const char*>(from), bytes); };
    put(sizes, sizeof sizes);
    put(hashes.data(), 8 * hashes.size());
    put(columns.data(), 4 * columns.size());
    put(ends.data(), 4 * ends.size());
    put(samples.data(), 4 * samples.size());
    packed += flags;
    packed += text;
    return nb::bytes(packed.data(), packed.size());
}

Candidates unpack_candidates(const In<std::uint8_t>& packed, unsigned bits) {
    check_hashing(bits, 1);
    const std::uint8_t* from = packed.data();
    std::size_t left = packed.shape(0);
    const auto take = [&](void* to, std::uint64_t count, std::size_t width) {
        if (count > left / width) throw nb::value_error("a list of names is damaged");
        if (count) std::memcpy(to, from, count * width);
        from += count * width;
        left -= count * width;
    };
    std::uint64_t sizes[4] = {};
    take(sizes, 4, 8);
    if (sizes[1] > left / 17 || sizes[2] > left / 4 || sizes[3] > left) throw nb::value_error("a list of names is damaged");
    std::vector<std::uint64_t> hashes(sizes[1]);
    std::vector<std::uint32_t> columns(sizes[1]), ends(sizes[1]);
    std::string flags(sizes[1], 0);
    Candidates list;
    list.lookups = sizes[0];
    list.sample_columns.resize(sizes[2]);
    list.text.resize(sizes[3]);
    take(hashes.data(), hashes.size(), 8);
    take(columns.data(), columns.size(), 4);
    take(ends.data(), ends.size(), 4);
    take(list.sample_columns.data(), list.sample_columns.size(), 4);
    take(flags.data(), flags.size(), 1);
    take(list.text.data(), list.text.size(), 1);
    bool valid = left == 0 && std::is_sorted(ends.begin(), ends.end()) && (ends.empty() ? 0 : ends.back()) == list.text.size();
    for (const auto* all : {&columns, &list.sample_columns})
        valid &= std::all_of(all->begin(), all->end(), [bits](std::uint32_t column) { return column >> bits == 0; });
    if (!valid) throw nb::value_error("a list of names is damaged");
    for (std::size_t i = 0; i < hashes.size(); ++i)
        list.entries.push_back({{hashes[i], columns[i], bool(flags[i] & 1)}, bool(flags[i] & 2), ends[i]});
    return list;
}

}  // namespace

void bind_words(Module& m) {
    Class<Candidates>(m, "NameCandidates")
        .def("__len__", [](const Candidates& list) { return list.entries.size() + list.sample_columns.size(); })
        .def("pack", &pack_candidates)
        .def_static("unpack", &unpack_candidates, "packed"_a, "bits"_a);
    Class<Names>(m, "NameDictionary")
        .def("__init__", [](Names* at, unsigned bits, std::size_t limit) {
            check_hashing(bits, 1);
            new (at) Names(bits, limit);
        }, "bits"_a, "limit"_a)
        .def("merge", &Names::merge, "candidates"_a)
        .def("coarsen", &Names::coarsen)
        .def("by_column", &by_column, "first"_a, "others"_a)
        .def("watch", &Names::watch, "columns"_a)
        .def("count", &Names::count, "candidates"_a)
        .def("most_common", [](const Names& names) {
            nb::dict common;
            for (const auto& [column, text] : names.most_common()) common[nb::int_(column)] = nb::bytes(text.data(), text.size());
            return common;
        })
        .def_prop_ro("exact", &Names::exact)
        .def_prop_ro("occupied", &Names::occupied)
        .def_prop_ro("distinct", &Names::distinct)
        .def_prop_ro("shared", &Names::shared)
        .def_prop_ro("kept", [](const Names& names) { return names.columns().size(); })
        .def_prop_ro("columns", [](const Names& names) { return copy_to_array(names.columns()); }, nb::rv_policy::move)
        .def_prop_ro("ends", [](const Names& names) { return copy_to_array(names.ends()); }, nb::rv_policy::move)
        .def_prop_ro("text", [](const Names& names) { return nb::bytes(names.text().data(), names.text().size()); });
    Class<HashingOptions>(m, "Hashing")
        .def("__init__", &new_hashing, nb::kw_only(), "bits"_a, "ngrams"_a, "value"_a, "unit"_a, "first"_a,
             "chars"_a.none() = nb::none(), "splitting"_a = static_cast<unsigned>(latest_splitting));
    m.def("parse_text", &parse_text, "source"_a, "begin"_a, "end"_a, nb::kw_only(), "kind"_a, "hashing"_a, "names"_a.none(), "skip"_a);
    m.def("hash_columns", &hash_columns, "columns"_a, "hashing"_a, "names"_a.none());
    m.def("hash_name", &hash_of, "text"_a, "seed"_a);
    m.def("split_words", &words_of, "text"_a, "splitting"_a = static_cast<unsigned>(latest_splitting));
    m.def("latest_splitting", [] { return static_cast<unsigned>(latest_splitting); });
    m.def("unicode_version", [] { return std::string(unicode::version); });
}

}  // namespace rosenblatt
