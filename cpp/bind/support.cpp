// Support examples and their products with blocks of rows, for Python.
#include "bind/bind.hpp"
#include "dual/products_table.hpp"
#include "isa/native.hpp"

namespace rosenblatt {

namespace {

template <class V>
using Matrix = nb::ndarray<const V, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Scores = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class V>
void check_rows(const Panel<V>& panel, const Matrix<V>& rows, std::size_t first) {
    if (rows.shape(1) != panel.features) throw nb::value_error("rows with other features");
    if (2 * first > panel.count) throw nb::value_error("there are not so many pairs");
}

template <class V>
auto products_of(const Panel<V>& panel, const Matrix<V>& rows, std::size_t first, double gamma, double coef0,
                 std::uint32_t degree, int threads) {
    check_rows(panel, rows, first);
    // Not `give`: every value is written below, so none needs to be zero before.
    const std::size_t lines = panel.count - 2 * first;
    V* const data = new V[lines * rows.shape(0)];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<V*>(p); });
    nb::ndarray<nb::numpy, V, nb::ndim<2>> result(data, {lines, rows.shape(0)}, owner);
    nb::gil_scoped_release free;
    const PowerKernel kernel{gamma, coef0, degree};
    if constexpr (std::is_same_v<V, float>)
        native().products->single(panel, first, rows.data(), rows.shape(0), kernel, threads, data);
    else native().products->wide(panel, first, rows.data(), rows.shape(0), kernel, threads, data);
    return result;
}

template <class V>
void add_sums(const Panel<V>& panel, const Matrix<V>& rows, std::size_t first, double gamma, double coef0,
              std::uint32_t degree, int threads, const In<std::int64_t>& start, const In<std::int32_t>& unit,
              const In<double>& coefficient, bool intercept, Scores scores) {
    check_rows(panel, rows, first);
    const auto terms = static_cast<std::int64_t>(unit.shape(0));
    bool fits = scores.shape(1) == rows.shape(0) && start.shape(0) == panel.count + 1 &&
                coefficient.shape(0) == unit.shape(0) && start.data()[0] >= 0 && start.data()[panel.count] <= terms;
    for (std::size_t s = 0; fits && s < panel.count; ++s) fits = start.data()[s] <= start.data()[s + 1];
    for (std::int64_t e = 0; fits && e < terms; ++e)
        fits = unit.data()[e] >= 0 && static_cast<std::size_t>(unit.data()[e]) < scores.shape(0);
    if (!fits) throw nb::value_error("the terms do not fit the support examples, the units or the rows");
    const Terms all{start.data(), unit.data(), coefficient.data(), intercept ? 1.0 : 0.0};
    nb::gil_scoped_release free;
    const PowerKernel kernel{gamma, coef0, degree};
    if constexpr (std::is_same_v<V, float>)
        native().products->single_sums(panel, first, rows.data(), rows.shape(0), kernel, threads, all, scores.data());
    else native().products->wide_sums(panel, first, rows.data(), rows.shape(0), kernel, threads, all, scores.data());
}

template <class V>
void bind_panel_of(nb::module_& m, const char* name) {
    nb::class_<Panel<V>>(m, name)
        .def(nb::init<std::size_t>(), "features"_a)
        .def_prop_ro("count", [](const Panel<V>& panel) { return panel.count; })
        .def_prop_ro("features", [](const Panel<V>& panel) { return panel.features; })
        .def("extend", [](Panel<V>& panel, const Matrix<V>& rows) {
            if (rows.shape(1) != panel.features) throw nb::value_error("rows with other features");
            panel.extend(rows.data(), rows.shape(0));
        }, "rows"_a)
        .def("rows", [](const Panel<V>& panel) {
            V* data;
            auto result = give(panel.count, panel.features, data);
            for (std::size_t s = 0; s < panel.count; ++s) panel.read(s, data + s * panel.features);
            return result;
        })
        .def("products", &products_of<V>, "rows"_a, "first"_a, "gamma"_a, "coef0"_a, "degree"_a, "threads"_a)
        .def("add_sums", &add_sums<V>, "rows"_a, "first"_a, "gamma"_a, "coef0"_a, "degree"_a, "threads"_a, "start"_a,
             "unit"_a, "coefficient"_a, "intercept"_a, "scores"_a);
}

}  // namespace

void bind_panel(nb::module_& m) {
    bind_panel_of<double>(m, "Panel");
    bind_panel_of<float>(m, "SinglePanel");
}

}  // namespace rosenblatt
