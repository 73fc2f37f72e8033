// Fuzzes the parser of JSON lines: no memory error, columns of equal length, and the same rows wherever the bytes are cut.
// For the wide instruction sets: g++ -DROSENBLATT_ISA=avx2 -mavx2 (or avx512 and its flags in CMakeLists.txt).
#ifndef ROSENBLATT_ISA
#define ROSENBLATT_ISA baseline
#endif
#include "parse/json/json_lines.cpp"
#include "parse/split_at_lines.hpp"

#include "mutate.hpp"

using namespace rosenblatt;
namespace isa = rosenblatt::ROSENBLATT_ISA;

namespace {

const std::vector<std::string> corpus = {
    "{\"x\": 1.5, \"city\": \"Bonn\", \"ok\": true, \"tags\": [\"a\", 2, null], \"plan\": {\"price\": -3e2, \"kind\": \"pro\"}, \"label\": 1}\n"
    "{\"x\": null, \"city\": \"K\xC3\xB6ln\", \"ok\": false, \"tags\": [], \"plan\": null, \"label\": 0}\r\n\n"
    "{\"plan\": {\"kind\": \"free\", \"late\": [[1], {\"a\": {}}]}, \"x\": 0.30000000000000004, \"city\": \"\\ud83d\\ude00 \\\"x\\\"\", \"new\": {}}\n",
    "{\"x\": 12345678901234567890, \"y\": 1e400}\n{\"x\": \"two types\"}\n{\"x\": 1, \"x\": 2}\n[1, 2]\n{\"x\": \n{\"y\": NaN, \"x\": -Infinity}\n",
};
const std::vector<std::string> parts = {"{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "null", "true", "false", "NaN", "Infinity",
                                        "\n", "\r\n", "\xEF\xBB\xBF", "\xC3", "\xED\xA0\x80", "\"x\": ", "\"city\": \"", "1e999", "0.1234567890123456789",
                                        std::string(1, '\0'), std::string(70, 'x'), std::string(600, '['), std::string(5000, '9')};

JsonRows parse(const std::string& text, const JsonShape& shape, std::int64_t from, std::int64_t to) {
    JsonRows rows(shape);
    if (from < to)
        each_piece(BytesSource{text.data(), text.size()}, from, to, [&](const char* first, const char* last) {
            isa::parse_json(first, last, shape, rows);
            return true;
        });
    rows.finish();
    return rows;
}

void check(JsonRows& rows, const std::string& text) {
    if (rows.rows + rows.blank.size() + rows.odd.size() != static_cast<std::size_t>(rows.lines)) fuzz::fail("a line is missing", text);
    for (JsonColumn& column : rows.columns) {
        if (column.kind == JsonKind::unknown) continue;
        const std::size_t words = column.ends.size() - 1;
        if (column.rows != rows.rows) fuzz::fail("a column has another length", text);
        if (column.kind == JsonKind::numbers && column.numbers.size() != rows.rows) fuzz::fail("a number is missing", text);
        if (column.kind == JsonKind::flags && column.flags.size() != rows.rows) fuzz::fail("a flag is missing", text);
        if (column.kind == JsonKind::words && words != rows.rows) fuzz::fail("a word is missing", text);
        if (column.kind == JsonKind::lists && (column.list_ends.size() != rows.rows + 1 || column.list_ends[rows.rows] != static_cast<std::int32_t>(words)))
            fuzz::fail("a list is missing", text);
        for (std::size_t i = 0; i < words; ++i)
            if (column.ends[i] > column.ends[i + 1]) fuzz::fail("a word ends before it begins", text);
        const auto* const bytes = reinterpret_cast<const char*>(column.bytes.data());
        if (static_cast<std::size_t>(column.ends[words]) != column.bytes.size()) fuzz::fail("bytes of no word", text);
        if (words && !isa::is_utf8(bytes, bytes + column.bytes.size())) fuzz::fail("a word is not UTF-8", text);
        for (std::size_t i = 0; i < column.nulls.size(); ++i)
            if (column.nulls[i] >= rows.rows || (i && column.nulls[i - 1] >= column.nulls[i])) fuzz::fail("a null is out of order", text);
    }
}

void check_when_cut(const std::string& text, const JsonShape& shape, JsonRows& all, std::int64_t at) {
    JsonRows left = parse(text, shape, 0, at), right = parse(text, shape, at, static_cast<std::int64_t>(text.size()));
    if (left.rows + right.rows != all.rows || left.lines + right.lines != all.lines || left.odd.size() + right.odd.size() != all.odd.size() ||
        left.late_values + right.late_values != all.late_values)
        fuzz::fail("the number of rows differs when cut", text);
    for (std::size_t c = 0; c < all.columns.size(); ++c) {
        const auto same = [&](auto& a, auto& b, auto& whole) {
            if (a.size() && std::memcmp(a.data(), whole.data(), a.size() * sizeof(a[0])) != 0) return false;
            return !b.size() || std::memcmp(b.data(), whole.data() + a.size(), b.size() * sizeof(b[0])) == 0;
        };
        if (!same(left.columns[c].numbers, right.columns[c].numbers, all.columns[c].numbers) ||
            !same(left.columns[c].flags, right.columns[c].flags, all.columns[c].flags) ||
            !same(left.columns[c].bytes, right.columns[c].bytes, all.columns[c].bytes))
            fuzz::fail("the cells differ when cut", text);
    }
}

void target(const std::string& text, fuzz::Random& random) {
    JsonShape shape;
    bool has_keys = true;
    each_piece(BytesSource{text.data(), text.size()}, 0, static_cast<std::int64_t>(random.below(2) ? text.size() : text.size() / 2),
               [&](const char* first, const char* last) { return has_keys = isa::find_json_keys(first, last, shape); });
    if (!has_keys) return;
    shape.number_columns();
    JsonRows rows = parse(text, shape, 0, static_cast<std::int64_t>(text.size()));
    check(rows, text);
    check_when_cut(text, shape, rows, static_cast<std::int64_t>(random.below(text.size() + 1)));
}

}  // namespace

int main(int count, char** arguments) { return fuzz::run(count, arguments, corpus, parts, fuzz::Inputs::lines, target); }
