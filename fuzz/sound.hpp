// What must hold for every result of a line parser.
#pragma once

#include "parse/lines.hpp"
#include "parse/parsed.hpp"

#include "mutate.hpp"

namespace fuzz {

using namespace rosenblatt;

inline void check(const Parsed& out, const std::string& text) {
    const std::size_t rows = out.labels.size();
    Parsed& parsed = const_cast<Parsed&>(out);
    if (out.starts.size() != rows + 1 || parsed.starts[0] != 0) fail("the number of row starts is wrong", text);
    if (parsed.starts[rows] > static_cast<std::int64_t>(out.indices.size())) fail("rows beyond the entries", text);
    for (std::size_t i = 0; i < rows; ++i) {
        if (parsed.starts[i] > parsed.starts[i + 1]) fail("row starts that decrease", text);
        if (parsed.labels[i] < -1 || parsed.labels[i] >= static_cast<std::int32_t>(out.table.tokens.size())) fail("a label without a token", text);
    }
    for (std::int64_t k = 0; k < parsed.starts[rows]; ++k) {
        if (parsed.indices[k] < 0 || parsed.indices[k] > out.seen.largest) fail("a column out of bounds", text);
        if (!std::isfinite(parsed.values[k])) fail("a value that is not finite", text);
    }
    if (out.looked) {
        const Seen seen = parsed.seen_from(0);
        if (seen.largest != out.seen.largest || seen.magnitude != out.seen.magnitude || seen.ascending != out.seen.ascending)
            fail("the statistics of the parser do not match its rows", text);
    }
    if (out.weights.size() != 0 && out.weights.size() != rows) fail("the number of weights is wrong", text);
}

template <class Parse>
Parsed whole(const std::string& text, Parse parse) {
    Parsed out;
    each_piece(FromBytes{text.data(), text.size()}, 0, static_cast<std::int64_t>(text.size()),
               [&](const char* first, const char* last) { return parse_piece(first, last, true, out, parse); });
    check(out, text);
    return out;
}

// The same lines, cut in two at any byte, give the same rows.
template <class Parse>
void same_when_cut(const std::string& text, std::int64_t at, Parsed& all, Parse parse) {
    std::size_t rows = 0, entries = 0;
    std::int64_t lines = 0, bad = 0;
    for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{0, at}, {at, static_cast<std::int64_t>(text.size())}}) {
        if (from == to) continue;
        Parsed part;
        each_piece(FromBytes{text.data(), text.size()}, from, to, [&](const char* first, const char* last) { return parse_piece(first, last, true, part, parse); });
        const std::size_t count = static_cast<std::size_t>(part.starts[part.labels.size()]);
        if (entries + count > all.values.size() || (count && std::memcmp(part.values.data(), all.values.data() + entries, count * 8) != 0))
            fail("different values when cut", text);
        if (count && std::memcmp(part.indices.data(), all.indices.data() + entries, count * 4) != 0) fail("different columns when cut", text);
        rows += part.labels.size();
        entries += count;
        lines += part.lines;
        bad += part.bad_count;
    }
    if (rows != all.labels.size() || lines != all.lines || bad != all.bad_count) fail("different rows when cut", text);
}

}  // namespace fuzz
