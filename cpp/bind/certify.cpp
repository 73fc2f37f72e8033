// The search for a separator: dual coordinate ascent, and the nearest points of two hulls.
#include "bind/arrays.hpp"
#include "certify/dual_ascent.hpp"
#include "certify/wolfe.hpp"
#include "isa/dispatch.hpp"

namespace rosenblatt {

namespace {

using Signs = In<std::int8_t>;
using Indices = In<std::uint32_t>;

void check_indices(const std::uint32_t* list, std::size_t length, std::size_t count) {
    for (std::size_t k = 0; k < length; ++k)
        if (list[k] >= count) throw value_error("row " + std::to_string(list[k]) + " is out of range: there are " + std::to_string(count) + " rows");
}

void check_signs(const Signs& signs, std::size_t count) {
    if (signs.shape(0) != count)
        throw value_error("expected " + std::to_string(count) + " signs, one for each row, found " + std::to_string(signs.shape(0)));
}

struct PyHulls : Hulls {
    PyRows py_rows;
    Signs signs;

    PyHulls(const PyRows& rows_, Signs signs_, bool augmented_, double constant_) : py_rows(rows_), signs(std::move(signs_)) {
        rows = py_rows.checked();
        check_signs(signs, rows.count);
        sign = signs.data();
        augmented = augmented_;
        constant = constant_;
        pooled.assign(rows.count, 0);
        p.assign(padded(rows.features), 0.0);
    }
};

void start(PyHulls& hulls, const Indices& list, const In<double>& weights, double lift) {
    const std::vector<std::uint32_t> rows(list.data(), list.data() + list.shape(0));
    check_indices(rows.data(), rows.size(), hulls.rows.count);
    if (weights.shape(0) != list.shape(0)) throw nb::value_error("rows and weights must be equally long");
    hulls.lift = lift;
    const WithoutGil free;
    native().hulls->start(hulls, rows.data(), weights.data(), rows.size());
}

std::string run(PyHulls& hulls, std::size_t steps, double tolerance, std::size_t batch) {
    static const char* const names[] = {"going", "nearest", "touching", "stalled"};
    if (hulls.corral.empty()) throw nb::value_error("call start() before run()");
    const WithoutGil free;
    native().hulls->run(hulls, steps, tolerance, batch);
    return names[static_cast<int>(hulls.status)];
}

// Visits the rows in this order, changing a, w and b in place. Returns the number of mistakes, and the margin of each row
// before its update.
auto ascend(const PyRows& py_rows, const Signs& signs, double constant, double limit, InOut<double> a, const In<double>& norm2,
            InOut<double> w, InOut<double> b, const Indices& order) {
    const Rows& rows = py_rows.checked();
    check_signs(signs, rows.count);
    check_indices(order.data(), order.shape(0), rows.count);
    if (a.shape(0) != rows.count || norm2.shape(0) != rows.count || b.shape(0) != 1 ||
        w.shape(0) != padded(rows.features))
        throw nb::value_error("a and norm2 need one number for each row, w one for each feature padded to a multiple of eight, b one");
    Ascent state{rows, signs.data(), constant, limit, a.data(), norm2.data(), w.data(), b.data()};
    double* margin = nullptr;
    auto margins = new_array<double>(order.shape(0), margin);
    std::size_t mistakes = 0;
    {
        const WithoutGil free;
        mistakes = native().ascent->ascend(state, order.data(), order.shape(0), margin);
    }
    return std::make_pair(mistakes, margins);
}

}  // namespace

void bind_certify(Module& m) {
    m.def("dual_ascent", &ascend, "rows"_a, "signs"_a, "constant"_a, "limit"_a, "a"_a, "norm2"_a, "w"_a, "b"_a, "order"_a);
    Class<PyHulls>(m, "Hulls")
        .def(nb::init<const PyRows&, Signs, bool, double>(), "rows"_a, "signs"_a, "augmented"_a, "constant"_a)
        .def("start", &start, "rows"_a, "weights"_a, "lift"_a)
        .def("run", &run, "steps"_a, "tolerance"_a, "batch"_a)
        .def("corral", [](const PyHulls& h) { return copy_to_array(h.corral); })
        .def("pool", [](const PyHulls& h) { return copy_to_array(h.pool); })
        .def("weights", [](const PyHulls& h) { return copy_to_array(h.weight); })
        .def("point", [](const PyHulls& h) { return copy_to_array(h.p, h.rows.features); })
        .def_prop_ro("point_constant", [](const PyHulls& h) { return h.p_constant; })
        .def_prop_ro("distance2", [](const PyHulls& h) { return h.norm2; })
        .def_prop_ro("levels", [](const PyHulls& h) { return std::make_pair(h.level[0], h.level[1]); })
        .def_prop_ro("lows", [](const PyHulls& h) { return std::make_pair(h.low[0], h.low[1]); })
        .def_prop_ro("pool_size", [](const PyHulls& h) { return h.pool.size(); })
        .def_prop_ro("steps", [](const PyHulls& h) { return h.steps; });
}

}  // namespace rosenblatt
