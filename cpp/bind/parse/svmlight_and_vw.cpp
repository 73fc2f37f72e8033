// The svmlight and Vowpal Wabbit parsers: the lines that begin in a part of a file, or bytes, to arrays.
#include "parse/parser_table.hpp"

#include <nanobind/stl/unique_ptr.h>

#include "bind/parse/parsed_lines.hpp"
#include "core/memory/read_ahead.hpp"
#include "parse/whole_table_rows.hpp"

namespace rosenblatt {
namespace {

nb::tuple parse_svmlight(nb::handle source, std::int64_t begin, std::int64_t end, int base, bool guess_base, std::int64_t limit, bool skip, bool several) {
    const SvmlightOptions options{base, limit, guess_base, skip, several};
    const auto parser = native().parsers->svmlight;
    return parse_source(source, begin, end, skip, [&](const char* first, const char* last, Parsed& out) {
        if (several) out.table.longest = longest_labels;
        return parser(first, last, options, out);
    });
}

struct Chunk : Parsed {
    std::int64_t end = 0;  // of its part of the file
    Rows rows;
};

// The chunks of a file of `size` bytes, which begin at multiples of `chunk`.
template <class Source>
std::unique_ptr<ReadAhead<Chunk>> chunks_ahead(const Source& source, std::int64_t size, std::int64_t chunk, int threads,
                                               const SvmlightOptions& options, std::size_t early) {
    const auto parse = [=, parser = native().parsers->svmlight](std::size_t number, Chunk& out) {
        const auto begin = static_cast<std::int64_t>(number) * chunk;
        out.end = size - begin > chunk ? begin + chunk : size;
        if (options.several) out.table.longest = longest_labels;
        const auto piece = [&](const char* first, const char* last, Parsed& to) { return parser(first, last, options, to); };
        each_piece(source, begin, out.end, [&](const char* first, const char* last) { return parse_piece(first, last, options.skip, out, piece); });
        out.rows = checked_rows(out);
    };
    const std::int64_t count = size / chunk + (size % chunk != 0);
    return std::make_unique<ReadAhead<Chunk>>(parse, static_cast<std::size_t>(count), threads, early);
}

std::unique_ptr<ReadAhead<Chunk>> svmlight_ahead(nb::handle source, std::int64_t size, std::int64_t chunk, int threads, int base, bool guess_base,
                                             std::int64_t limit, bool skip, bool several, std::size_t early) {
    if (size < 0 || chunk < 1 || threads < 1) throw nb::value_error("size must be at least 0, chunk and threads at least 1");
    const SvmlightOptions options{base, limit, guess_base, skip, several};
    if (nb::isinstance<JoinedFiles>(source)) return chunks_ahead(nb::cast<const JoinedFiles&>(source), size, chunk, threads, options, early);
    return chunks_ahead(FileSource{nb::cast<int>(source)}, size, chunk, threads, options, early);
}

// (end of the chunk, its contents as parse_svmlight returns them); None after the last.
nb::object next_chunk(ReadAhead<Chunk>& chunks) {
    const auto chunk = without_lock([&] { return chunks.next(); });
    if (!chunk) return nb::none();
    return nb::make_tuple(chunk->end, to_tuple(*chunk, chunk->rows));
}

// (contents, names that the dictionary did not have)
nb::tuple parse_vw(nb::handle source, std::int64_t begin, std::int64_t end, unsigned bits, const Names* names, bool skip,
                   const Crossing* crossing, bool several) {
    if (bits < 1 || bits > 28) throw nb::value_error("bits must be 1 to 28");
    const VwOptions options{bits, names, skip, crossing, several};
    const auto parser = native().parsers->vw;
    Candidates unknown;
    nb::tuple contents = parse_source(source, begin, end, skip, [&](const char* first, const char* last, Parsed& out) {
        if (several) out.table.longest = longest_labels;
        return parser(first, last, options, out, unknown);
    });
    return nb::make_tuple(contents, std::move(unknown));
}

std::size_t whole_rows_of(const nb::bytes& data, char separator) { return whole_rows(data.c_str(), data.size(), separator); }

}  // namespace

void bind_parse(Module& m) {
    Class<JoinedFiles>(m, "JoinedFiles")
        .def(nb::init<>())
        .def("add", &JoinedFiles::add, "fd"_a, "skipped"_a, "size"_a, "lacks_newline"_a)
        .def_prop_ro("size", &JoinedFiles::size);
    m.def("parse_svmlight", &parse_svmlight, "source"_a, "begin"_a, "end"_a, nb::kw_only(), "base"_a, "guess_base"_a, "limit"_a, "skip"_a,
          "several"_a = false);
    m.def("parse_vw", &parse_vw, "source"_a, "begin"_a, "end"_a, nb::kw_only(), "bits"_a, "names"_a.none(), "skip"_a,
          "crossing"_a.none() = nb::none(), "several"_a = false);
    m.def("read_svmlight_ahead", &svmlight_ahead, "source"_a, "size"_a, "chunk"_a, "threads"_a, nb::kw_only(), "base"_a, "guess_base"_a,
          "limit"_a, "skip"_a, "several"_a = false, "early"_a = 0);
    m.def("whole_rows", &whole_rows_of, "data"_a, "separator"_a);
    Class<ReadAhead<Chunk>>(m, "BlocksAhead").def("next", &next_chunk);
    Class<Crossing>(m, "Crossing")
        .def(nb::init<const std::vector<std::pair<std::string, std::string>>&>(), "pairs"_a)
        .def_prop_ro("missing_namespaces", &Crossing::never_seen);
}

}  // namespace rosenblatt
