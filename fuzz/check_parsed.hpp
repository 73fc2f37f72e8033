// What must hold for the result of every line parser.
#pragma once

#include "parse/split_at_lines.hpp"
#include "parse/parsed_lines.hpp"

#include "mutate.hpp"

namespace fuzz {

using namespace rosenblatt;

inline void check(Parsed& out, const std::string& text) {
    const std::size_t rows = out.labels.size();
    if (out.starts.size() != rows + 1 || out.starts[0] != 0) fail("wrong number of row starts", text);
    if (out.starts[rows] > static_cast<std::int64_t>(out.indices.size())) fail("a row ends beyond the entries", text);
    for (std::size_t i = 0; i < rows; ++i) {
        if (out.starts[i] > out.starts[i + 1]) fail("row starts are not ascending", text);
        if (out.labels[i] < -1 || out.labels[i] >= static_cast<std::int32_t>(out.table.tokens.size())) fail("a label has no token", text);
    }
    for (std::int64_t k = 0; k < out.starts[rows]; ++k) {
        if (out.indices[k] < 0 || out.indices[k] > out.summary.largest_column) fail("a column is out of bounds", text);
        if (!std::isfinite(out.values[k])) fail("a value is not finite", text);
    }
    if (out.summary_complete) {
        const RowSummary summary = out.summarise_from(0);
        if (summary.largest_column != out.summary.largest_column || summary.largest_value != out.summary.largest_value ||
            summary.ascending != out.summary.ascending)
            fail("the summary does not match the rows", text);
    }
    if (out.weights.size() != 0 && out.weights.size() != rows) fail("wrong number of weights", text);
}

template <class Parse>
Parsed parse_whole(const std::string& text, Parse parse) {
    Parsed out;
    each_piece(BytesSource{text.data(), text.size()}, 0, static_cast<std::int64_t>(text.size()),
               [&](const char* first, const char* last) { return parse_piece(first, last, true, out, parse); });
    check(out, text);
    return out;
}

// The same lines, cut in two at any byte, must give the same rows.
template <class Parse>
void check_when_cut(const std::string& text, std::int64_t at, Parsed& all, Parse parse) {
    std::size_t rows = 0, entries = 0;
    std::int64_t lines = 0, bad = 0;
    for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{0, at}, {at, static_cast<std::int64_t>(text.size())}}) {
        if (from == to) continue;
        Parsed part;
        each_piece(BytesSource{text.data(), text.size()}, from, to, [&](const char* first, const char* last) { return parse_piece(first, last, true, part, parse); });
        const std::size_t count = static_cast<std::size_t>(part.starts[part.labels.size()]);
        if (entries + count > all.values.size() || (count && std::memcmp(part.values.data(), all.values.data() + entries, count * 8) != 0))
            fail("the values differ when cut", text);
        if (count && std::memcmp(part.indices.data(), all.indices.data() + entries, count * 4) != 0) fail("the columns differ when cut", text);
        rows += part.labels.size();
        entries += count;
        lines += part.lines;
        bad += part.bad_count;
    }
    if (rows != all.labels.size() || lines != all.lines || bad != all.bad_count) fail("the number of rows differs when cut", text);
}

}  // namespace fuzz
