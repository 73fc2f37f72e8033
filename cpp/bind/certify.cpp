// The door to Python of the search for a separator: dual coordinate ascent, and the nearest points of two hulls.
#include "bind/bind.hpp"
#include "certify/hulls.hpp"
#include "isa/native.hpp"

namespace rosenblatt {

namespace {

using Signs = In<std::int8_t>;
using Indices = In<std::uint32_t>;

void check_indices(const Indices& list, std::size_t count) {
    for (std::size_t k = 0; k < list.shape(0); ++k)
        if (list.data()[k] >= count) throw nb::value_error("a row index is out of range");
}

void check_signs(const Signs& signs, std::size_t count) {
    if (signs.shape(0) != count) throw nb::value_error("signs and rows differ in number");
}

std::size_t padded_to_eights(std::size_t features) { return (features + 7) / 8 * 8; }

struct HeldHulls : Hulls {
    HeldRows held_rows;
    Signs held_signs;

    HeldHulls(const HeldRows& given, Signs signs, bool with_constant, double constant_is)
        : held_rows(given), held_signs(std::move(signs)) {
        check_signs(held_signs, given.count);
        rows = held_rows;
        sign = held_signs.data();
        augmented = with_constant;
        constant = constant_is;
        pooled.assign(rows.count, 0);
        p.assign(padded_to_eights(rows.features), 0.0);
    }
};

void start(HeldHulls& hulls, const Indices& list, const In<double>& weights, double lift) {
    check_indices(list, hulls.rows.count);
    if (weights.shape(0) != list.shape(0)) throw nb::value_error("rows and weights differ in number");
    hulls.lift = lift;
    nb::gil_scoped_release free;
    native().hulls->start(hulls, list.data(), weights.data(), list.shape(0));
}

std::string run(HeldHulls& hulls, std::size_t steps, double tolerance, std::size_t batch) {
    static const char* const words[] = {"going", "nearest", "touching", "stalled"};
    if (hulls.corral.empty()) throw nb::value_error("start first");
    nb::gil_scoped_release free;
    native().hulls->run(hulls, steps, tolerance, batch);
    return words[static_cast<int>(hulls.status)];
}

template <class T>
auto copy_of(const std::vector<T>& values, std::size_t count) {
    T* data = nullptr;
    auto array = give<T>(count, data);
    std::copy(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), data);
    return array;
}

// One visit of every row in the order; a, w and b are changed in place. (mistakes, the scores met)
auto ascend(const HeldRows& rows, const Signs& signs, double constant, double most,
            nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu> a, const In<double>& norm2,
            nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu> w,
            nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu> b, const Indices& order) {
    check_signs(signs, rows.count);
    check_indices(order, rows.count);
    if (a.shape(0) != rows.count || norm2.shape(0) != rows.count || b.shape(0) != 1 ||
        w.shape(0) != padded_to_eights(rows.features))
        throw nb::value_error("a and norm2 have one number a row, w one a feature filled up to eights, b one");
    Ascent state{rows, signs.data(), constant, most, a.data(), norm2.data(), w.data(), b.data()};
    double* score = nullptr;
    auto scores = give<double>(order.shape(0), score);
    std::size_t mistakes = 0;
    {
        nb::gil_scoped_release free;
        mistakes = native().hulls->ascend(state, order.data(), order.shape(0), score);
    }
    return std::make_pair(mistakes, scores);
}

}  // namespace

void bind_certify(nb::module_& m) {
    m.def("ascend", &ascend, "rows"_a, "signs"_a, "constant"_a, "most"_a, "a"_a, "norm2"_a, "w"_a, "b"_a, "order"_a);
    nb::class_<HeldHulls>(m, "Hulls")
        .def(nb::init<const HeldRows&, Signs, bool, double>(), "rows"_a, "signs"_a, "augmented"_a, "constant"_a)
        .def("start", &start, "rows"_a, "weights"_a, "lift"_a)
        .def("run", &run, "steps"_a, "tolerance"_a, "batch"_a)
        .def("corral", [](const HeldHulls& h) { return copy_of(h.corral, h.corral.size()); })
        .def("pool", [](const HeldHulls& h) { return copy_of(h.pool, h.pool.size()); })
        .def("weights", [](const HeldHulls& h) { return copy_of(h.weight, h.weight.size()); })
        .def("point", [](const HeldHulls& h) { return copy_of(h.p, h.rows.features); })
        .def_prop_ro("point_constant", [](const HeldHulls& h) { return h.p_constant; })
        .def_prop_ro("distance2", [](const HeldHulls& h) { return h.norm2; })
        .def_prop_ro("levels", [](const HeldHulls& h) { return std::make_pair(h.level[0], h.level[1]); })
        .def_prop_ro("lows", [](const HeldHulls& h) { return std::make_pair(h.low[0], h.low[1]); })
        .def_prop_ro("pool_size", [](const HeldHulls& h) { return h.pool.size(); })
        .def_prop_ro("steps", [](const HeldHulls& h) { return h.steps; });
}

}  // namespace rosenblatt
