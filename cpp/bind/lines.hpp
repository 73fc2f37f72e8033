// What the parsers of lines share on their way to Python: arrays without a copy, and the parts of a file.
#pragma once

#include "bind/bind.hpp"
#include "isa/native.hpp"
#include "parse/lines.hpp"
#include "parse/parsed.hpp"
#include "rows/functions.hpp"

namespace rosenblatt {

// Grown memory as an array of numpy, or as a memoryview where nobody may need numpy, without a copy; it goes back to the
// pool when the array is dropped.
template <class T, class Kind = nb::numpy>
nb::object array_of(Grown<T>&& grown) {
    const std::size_t count = grown.size();
    auto* held = new Grown<T>(std::move(grown));
    T none{};
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<Grown<T>*>(p); });
    T* data = count ? held->data() : &none;
    return nb::cast(nb::ndarray<Kind, T, nb::ndim<1>>(data, {count}, owner));
}

template <class T>
nb::object memory_of(Grown<T>& grown) {
    return array_of<T, nb::memview>(std::move(grown));
}

// The examples as a matrix that has been checked, by the parser while it wrote them, or else best by the thread that
// parsed them, in whose cache they lie.
inline Rows checked(Parsed& parsed) {
    Rows rows;
    rows.sparse = true;
    rows.count = parsed.starts.size() - 1;
    rows.features = static_cast<std::size_t>(parsed.seen.largest + 1);
    rows.starts = parsed.starts.data();
    rows.indices = parsed.indices.data();
    rows.values = parsed.values.data();
    rows.stored = parsed.indices.size();
    if (parsed.looked) {
        rows.largest = parsed.seen.magnitude;
        rows.canonical = parsed.seen.ascending;
        return rows;
    }
    if (native().rows->check(rows).kind != Fault::none) throw std::logic_error("a parser made rows that cannot be");
    return rows;
}

inline nb::tuple given(Parsed& parsed, const Rows& rows) {
    nb::list tokens, bad;
    for (const std::string& token : parsed.table.tokens) tokens.append(nb::bytes(token.data(), token.size()));
    for (const BadLine& line : parsed.bad)
        bad.append(nb::make_tuple(static_cast<int>(line.kind), line.line, line.column, nb::bytes(line.token.data(), line.token.size()),
                                  nb::bytes(line.about.data(), line.about.size())));
    nb::object weights = parsed.weights.size() ? memory_of(parsed.weights) : nb::none();
    nb::object starts = memory_of(parsed.starts), indices = memory_of(parsed.indices), values = memory_of(parsed.values);
    const HeldRows held{rows, {}, nb::make_tuple(starts, indices, values), {}};
    return nb::make_tuple(starts, indices, values, memory_of(parsed.labels), weights, tokens, parsed.lines, parsed.seen.largest, bad,
                          parsed.bad_count, parsed.stopped, held);
}

// work(), while others may use Python; a fault of the system becomes an OSError.
template <class Work>
auto without_python(Work work) {
    try {
        nb::gil_scoped_release free;
        return work();
    } catch (const std::system_error& fault) {
        errno = fault.code().value();
        PyErr_SetFromErrno(PyExc_OSError);
        throw nb::python_error();
    } catch (const Shrunk&) {
        PyErr_SetString(PyExc_OSError, "it became shorter while it was read");
        throw nb::python_error();
    }
}

// parse(first, last, parsed) for every piece of the lines that begin in this part of the source.
template <class Source, class Parse>
nb::tuple parse_part(const Source& source, std::int64_t begin, std::int64_t end, bool skip, Parse parse) {
    Parsed parsed;
    const Rows rows = without_python([&] {
        each_piece(source, begin, end, [&](const char* first, const char* last) { return parse_piece(first, last, skip, parsed, parse); });
        return checked(parsed);
    });
    return given(parsed, rows);
}

template <class Parse>
nb::tuple parse_any(nb::handle source, std::int64_t begin, std::int64_t end, bool skip, Parse parse) {
    if (nb::isinstance<nb::int_>(source)) return parse_part(FromFile{nb::cast<int>(source)}, begin, end, skip, parse);
    nb::bytes bytes = nb::cast<nb::bytes>(source);
    return parse_part(FromBytes{bytes.c_str(), bytes.size()}, 0, static_cast<std::int64_t>(bytes.size()), skip, parse);
}

}  // namespace rosenblatt
