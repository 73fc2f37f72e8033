// JSON lines to columns that Arrow takes over without a copy.
#include "parse/json/json_lines.hpp"

#include "bind/parse/parsed_lines.hpp"

namespace rosenblatt {
namespace {

using Keys = std::vector<std::tuple<std::int32_t, std::string, std::string>>;  // object, name, kind

const std::vector<const char*> kinds = {"", "numbers", "flags", "words", "lists", "object", "numerals"};

void new_shape(JsonShape* at, const Keys& keys) {
    JsonShape shape;
    for (const auto& [object, name, kind] : keys) {
        const bool known = object >= 0 && static_cast<std::size_t>(object) < shape.keys.size() &&
                           shape.keys[static_cast<std::size_t>(object)].kind == JsonKind::object;
        if (!known) throw nb::value_error("the object of a key must stand before it");
        shape.add(object, name, one_of<JsonKind>(kind, {"", "numbers", "flags", "words", "lists", "object", "numerals"}));
    }
    shape.number_columns();
    new (at) JsonShape(std::move(shape));
}

// A bit for each row, the first in the lowest.
template <class IsSet>
PooledVector<std::uint8_t> bitmap(std::size_t rows, IsSet is_set) {
    PooledVector<std::uint8_t> bits;
    bits.resize((rows + 7) / 8);
    for (std::size_t i = 0; i < bits.size(); ++i) {
        unsigned byte = 0;
        for (std::size_t k = 8 * i; k < std::min(rows, 8 * i + 8); ++k) byte |= static_cast<unsigned>(is_set(k)) << (k - 8 * i);
        bits[i] = static_cast<std::uint8_t>(byte);
    }
    return bits;
}

PooledVector<std::uint8_t> validity(std::size_t rows, PooledVector<std::uint32_t>& nulls) {
    PooledVector<std::uint8_t> bits;
    bits.resize((rows + 7) / 8);
    if (rows) std::memset(bits.data(), 0xFF, bits.size());
    for (std::size_t i = 0; i < nulls.size(); ++i) bits[nulls[i] / 8] = static_cast<std::uint8_t>(bits[nulls[i] / 8] & ~(1u << nulls[i] % 8));
    return bits;
}

// (number of nulls, bits of the rows that are not null, buffers of the values); None where all are null.
nb::object to_tuple(JsonColumn& column, std::size_t rows) {
    if (column.kind == JsonKind::unknown) return nb::none();
    const std::size_t n_nulls = column.nulls.size();
    nb::object valid = nb::none();
    if (n_nulls) {
        PooledVector<std::uint8_t> bits = validity(rows, column.nulls);
        valid = to_memoryview(bits);
    }
    if (column.kind == JsonKind::numbers) return nb::make_tuple(n_nulls, valid, to_memoryview(column.numbers));
    if (column.kind == JsonKind::flags) {
        PooledVector<std::uint8_t> bits = bitmap(rows, [&](std::size_t i) { return column.flags[i]; });
        return nb::make_tuple(n_nulls, valid, to_memoryview(bits));
    }
    nb::object ends = to_memoryview(column.ends), bytes = to_memoryview(column.bytes);
    if (column.kind == JsonKind::words) return nb::make_tuple(n_nulls, valid, ends, bytes);
    return nb::make_tuple(n_nulls, valid, to_memoryview(column.list_ends), ends, bytes);
}

// Every key after the object that has it; None where a slower reader must find them.
template <class Source>
nb::object find_keys(const Source& source, std::int64_t begin, std::int64_t end) {
    JsonShape shape;
    bool ok = true;
    without_lock([&] {
        const auto find = native().json->find_keys;
        each_piece(source, begin, end, [&](const char* first, const char* last) { return ok = find(first, last, shape); });
        return true;
    });
    if (!ok) return nb::none();
    Keys keys;
    for (std::size_t i = 1; i < shape.keys.size(); ++i)
        keys.emplace_back(shape.keys[i].parent, shape.keys[i].name, kinds[static_cast<std::size_t>(shape.keys[i].kind)]);
    return nb::cast(keys);
}

template <class Source>
nb::tuple parse_part(const Source& source, std::int64_t begin, std::int64_t end, const JsonShape& shape) {
    JsonRows rows(shape);
    without_lock([&] {
        const auto parse = native().json->parse;
        each_piece(source, begin, end, [&](const char* first, const char* last) {
            parse(first, last, shape, rows);
            return true;
        });
        rows.finish();
        return true;
    });
    nb::list columns, odd;
    nb::dict late;
    for (JsonColumn& column : rows.columns) columns.append(to_tuple(column, rows.rows));
    for (const OddLine& line : rows.odd) odd.append(nb::make_tuple(line.line, line.row, nb::bytes(line.text.data(), line.text.size())));
    for (const auto& [name, count] : rows.late_keys) late[nb::str(name.data(), name.size())] = count;
    return nb::make_tuple(rows.lines, rows.rows, columns, rows.blank, odd, late, rows.late_values);
}

// Calls use(source, begin, end) for a file, for several, or for bytes, of which begin and end are ignored.
template <class Use>
auto with_source(nb::handle source, std::int64_t begin, std::int64_t end, Use use) {
    if (nb::isinstance<nb::int_>(source)) return use(FileSource{nb::cast<int>(source)}, begin, end);
    if (nb::isinstance<JoinedFiles>(source)) return use(nb::cast<const JoinedFiles&>(source), begin, end);
    const nb::bytes bytes = nb::cast<nb::bytes>(source);
    return use(BytesSource{bytes.c_str(), bytes.size()}, std::int64_t{0}, static_cast<std::int64_t>(bytes.size()));
}

nb::object find_json_keys(nb::handle source, std::int64_t begin, std::int64_t end) {
    return with_source(source, begin, end, [](const auto& of, std::int64_t first, std::int64_t last) { return find_keys(of, first, last); });
}

// (lines, rows, columns, blank lines, odd lines, keys without a column, their values)
nb::tuple parse_json_lines(nb::handle source, std::int64_t begin, std::int64_t end, const JsonShape& shape) {
    return with_source(source, begin, end, [&](const auto& of, std::int64_t first, std::int64_t last) { return parse_part(of, first, last, shape); });
}

}  // namespace

void bind_json(Module& m) {
    Class<JsonShape>(m, "JsonShape").def("__init__", &new_shape, "keys"_a);
    m.def("find_json_keys", &find_json_keys, "source"_a, "begin"_a, "end"_a);
    m.def("parse_json_lines", &parse_json_lines, "source"_a, "begin"_a, "end"_a, "shape"_a);
}

}  // namespace rosenblatt
