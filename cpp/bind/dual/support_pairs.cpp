// Support examples and their products with blocks of rows.
#include "bind/arrays.hpp"
#include "dual/products.hpp"
#include "isa/dispatch.hpp"

namespace rosenblatt {
namespace {

template <class V>
using Matrix = nb::ndarray<const V, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class V>
void check_features(const SupportPairs<V>& support, const Matrix<V>& rows) {
    if (rows.shape(1) != support.features)
        throw value_error("expected rows of " + std::to_string(support.features) + " features, found " + std::to_string(rows.shape(1)));
}

template <class V>
void check_rows(const SupportPairs<V>& support, const Matrix<V>& rows, std::size_t first) {
    check_features(support, rows);
    if (2 * first > support.count) throw nb::value_error("the first pair is beyond the last");
}

template <class V>
auto products_of(const SupportPairs<V>& support, const Matrix<V>& rows, std::size_t first, double gamma, double coef0,
                 std::uint32_t degree, int threads) {
    check_rows(support, rows, first);
    // Not new_matrix: every value is written below, so none needs to be zeroed.
    const std::size_t lines = support.count - 2 * first;
    V* const data = new V[lines * rows.shape(0)];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<V*>(p); });
    nb::ndarray<nb::numpy, V, nb::ndim<2>> result(data, {lines, rows.shape(0)}, owner);
    const WithoutGil free;
    const PowerKernel kernel{gamma, coef0, degree};
    native().products->of(V{}).products(support, first, rows.data(), rows.shape(0), kernel, threads, data);
    return result;
}

template <class V>
void add_sums(const SupportPairs<V>& support, const Matrix<V>& rows, std::size_t first, double gamma, double coef0,
              std::uint32_t degree, int threads, const In<std::int64_t>& start, const In<std::int32_t>& unit,
              const In<double>& coefficient, bool intercept, InOutMatrix scores) {
    check_rows(support, rows, first);
    const auto count = static_cast<std::int64_t>(unit.shape(0));
    bool fits = scores.shape(1) == rows.shape(0) && start.shape(0) == support.count + 1 &&
                coefficient.shape(0) == unit.shape(0) && start.data()[0] >= 0 && start.data()[support.count] <= count;
    for (std::size_t s = 0; fits && s < support.count; ++s) fits = start.data()[s] <= start.data()[s + 1];
    for (std::int64_t e = 0; fits && e < count; ++e)
        fits = unit.data()[e] >= 0 && static_cast<std::size_t>(unit.data()[e]) < scores.shape(0);
    if (!fits) throw nb::value_error("start, unit, coefficient and scores do not match the support examples and rows");
    const Terms terms{start.data(), unit.data(), coefficient.data(), intercept ? 1.0 : 0.0};
    const WithoutGil free;
    const PowerKernel kernel{gamma, coef0, degree};
    native().products->of(V{}).add_sums(support, first, rows.data(), rows.shape(0), kernel, threads, terms, scores.data());
}

template <class V>
void bind_support_pairs_of(Module& m, const char* name) {
    Class<SupportPairs<V>>(m, name)
        .def(nb::init<std::size_t>(), "features"_a)
        .def_prop_ro("count", [](const SupportPairs<V>& support) { return support.count; })
        .def_prop_ro("features", [](const SupportPairs<V>& support) { return support.features; })
        .def("extend", [](SupportPairs<V>& support, const Matrix<V>& rows) {
            check_features(support, rows);
            support.extend(rows.data(), rows.shape(0));
        }, "rows"_a)
        .def("rows", [](const SupportPairs<V>& support) {
            V* data;
            auto result = new_matrix(support.count, support.features, data);
            for (std::size_t s = 0; s < support.count; ++s) support.read(s, data + s * support.features);
            return result;
        })
        .def("products", &products_of<V>, "rows"_a, "first"_a, "gamma"_a, "coef0"_a, "degree"_a, "threads"_a)
        .def("add_sums", &add_sums<V>, "rows"_a, "first"_a, "gamma"_a, "coef0"_a, "degree"_a, "threads"_a, "start"_a,
             "unit"_a, "coefficient"_a, "intercept"_a, "scores"_a);
}

}  // namespace

void bind_support_pairs(Module& m) {
    bind_support_pairs_of<double>(m, "Panel");
    bind_support_pairs_of<float>(m, "SinglePanel");
}

}  // namespace rosenblatt
