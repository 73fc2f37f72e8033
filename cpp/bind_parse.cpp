// The parsers of lines for Python: the lines that begin in a part of a file, or bytes, to the arrays of their examples.
#include "bind_lines.hpp"
#include "kernels.hpp"
#include "parsers.hpp"

namespace rosenblatt {

namespace {

nb::tuple parse_svmlight(nb::handle source, std::int64_t begin, std::int64_t end, int base, bool guess_base, std::int64_t limit, bool skip) {
    const Svmlight how{base, limit, guess_base, skip};
    const auto parser = kernels().parsers->svmlight;
    return parse_any(source, begin, end, skip, [&](const char* first, const char* last, Parsed& out) { return parser(first, last, how, out); });
}

// Besides what the other parsers give: the names that the dictionary did not have.
nb::tuple parse_vw(nb::handle source, std::int64_t begin, std::int64_t end, unsigned bits, const Names* names, bool skip,
                   const Crossing* crossing) {
    if (bits < 1 || bits > 28) throw nb::value_error("bits must be 1 to 28");
    const Vw how{bits, names, skip, crossing};
    const auto parser = kernels().parsers->vw;
    Candidates unknown;
    nb::tuple given = parse_any(source, begin, end, skip, [&](const char* first, const char* last, Parsed& out) {
        return parser(first, last, how, out, unknown);
    });
    return nb::make_tuple(given, std::move(unknown));
}

}  // namespace

void bind_parse(nb::module_& m) {
    m.def("parse_svmlight", &parse_svmlight, "source"_a, "begin"_a, "end"_a, nb::kw_only(), "base"_a, "guess_base"_a, "limit"_a, "skip"_a);
    m.def("parse_vw", &parse_vw, "source"_a, "begin"_a, "end"_a, nb::kw_only(), "bits"_a, "names"_a.none(), "skip"_a,
          "crossing"_a.none() = nb::none());
    nb::class_<Crossing>(m, "Crossing")
        .def(nb::init<const std::vector<std::pair<std::string, std::string>>&>(), "pairs"_a)
        .def_prop_ro("lacking", &Crossing::lacking);
}

}  // namespace rosenblatt
