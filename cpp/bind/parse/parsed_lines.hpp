// From parsed lines to Python: what all line parsers share.
#pragma once

#include "bind/arrays.hpp"
#include "isa/dispatch.hpp"
#include "parse/split_at_lines.hpp"
#include "parse/parsed_lines.hpp"
#include "rows/function_table.hpp"

namespace rosenblatt {

// The examples as a valid matrix. Where the parser did not collect the summary, the rows are checked here, by the thread
// that parsed them and has them in its cache.
inline Rows checked_rows(Parsed& parsed) {
    Rows rows;
    rows.sparse = true;
    rows.count = parsed.starts.size() - 1;
    rows.features = static_cast<std::size_t>(parsed.summary.largest_column + 1);
    rows.starts = parsed.starts.data();
    rows.indices = parsed.indices.data();
    rows.values = parsed.values.data();
    rows.stored = parsed.indices.size();
    rows.private_indices = true;
    if (parsed.summary_complete) {
        rows.largest = parsed.summary.largest_value;
        rows.canonical = parsed.summary.ascending;
        return rows;
    }
    if (native().rows->check(rows).kind != Fault::none) throw std::logic_error("a parser produced invalid rows; please report it");
    return rows;
}

// (indptr, indices, values, labels, weights, tokens, lines, largest column, numbers of bad lines, the first few of
// them, how many there are, stopped, rows)
inline nb::tuple to_tuple(Parsed& parsed, const Rows& rows) {
    nb::list tokens, bad_lines;
    const auto bytes = [](const std::string& text) { return nb::bytes(text.data(), text.size()); };
    for (const std::string& token : parsed.table.tokens) tokens.append(bytes(token));
    for (const BadLine& line : parsed.bad_lines)
        bad_lines.append(nb::make_tuple(static_cast<int>(line.fault), line.line, line.column, bytes(line.token), bytes(line.about)));
    nb::list bad_numbers;
    for (const std::int64_t number : parsed.bad_numbers) bad_numbers.append(number);
    nb::object weights = parsed.weights.size() ? to_memoryview(parsed.weights) : nb::none();
    nb::object starts = to_memoryview(parsed.starts), indices = to_memoryview(parsed.indices), values = to_memoryview(parsed.values);
    const PyRows py_rows(rows, nb::make_tuple(starts, indices, values));
    return nb::make_tuple(starts, indices, values, to_memoryview(parsed.labels), weights, tokens, parsed.lines, parsed.summary.largest_column,
                          bad_numbers, bad_lines, parsed.bad_count, parsed.stopped, py_rows);
}

// Runs work() without the interpreter's lock; system errors become OSError.
template <class Work>
auto without_lock(Work work) {
    try {
        const WithoutGil free;
        return work();
    } catch (const std::system_error& error) {
        errno = error.code().value();
        PyErr_SetFromErrno(PyExc_OSError);
        throw nb::python_error();
    } catch (const FileShrank&) {
        PyErr_SetString(PyExc_OSError, "the file became shorter while it was read");
        throw nb::python_error();
    } catch (const std::length_error& error) {
        PyErr_SetString(PyExc_OSError, error.what());
        throw nb::python_error();
    }
}

// Calls parse(first, last, parsed) for every piece of the lines that begin in this part of the source.
template <class Source, class Parse>
nb::tuple parse_part(const Source& source, std::int64_t begin, std::int64_t end, bool skip, Parse parse) {
    Parsed parsed;
    const Rows rows = without_lock([&] {
        each_piece(source, begin, end, [&](const char* first, const char* last) { return parse_piece(first, last, skip, parsed, parse); });
        return checked_rows(parsed);
    });
    return to_tuple(parsed, rows);
}

// The same for a file descriptor, for several joined files, or for bytes, of which begin and end are ignored.
template <class Parse>
nb::tuple parse_source(nb::handle source, std::int64_t begin, std::int64_t end, bool skip, Parse parse) {
    if (nb::isinstance<nb::int_>(source)) return parse_part(FileSource{nb::cast<int>(source)}, begin, end, skip, parse);
    if (nb::isinstance<JoinedFiles>(source)) return parse_part(nb::cast<const JoinedFiles&>(source), begin, end, skip, parse);
    nb::bytes bytes = nb::cast<nb::bytes>(source);
    return parse_part(BytesSource{bytes.c_str(), bytes.size()}, 0, static_cast<std::int64_t>(bytes.size()), skip, parse);
}

}  // namespace rosenblatt
