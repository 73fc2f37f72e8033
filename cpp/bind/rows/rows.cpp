// Matrices from Python, read in place: dense with any strides, products of columns, CSR.
#include <optional>
#include <string>
#include <tuple>

#include "bind/arrays.hpp"

namespace rosenblatt {
namespace {

bool is_single(const AnyArray& values) {
    if (values.dtype() == nb::dtype<float>()) return true;
    if (values.dtype() == nb::dtype<double>()) return false;
    throw nb::type_error("values must be float32 or float64");
}

Rows dense_matrix(const AnyArray& values) {
    if (values.ndim() != 2) throw value_error("values must have two dimensions, found " + std::to_string(values.ndim()));
    Rows rows;
    rows.single = is_single(values);
    rows.count = values.shape(0);
    rows.features = values.shape(1);
    rows.values = values.data();
    rows.row_stride = values.stride(0);
    rows.column_stride = rows.features > 1 ? values.stride(1) : 1;
    return rows;
}

PyRows dense_rows(AnyArray values) { return {dense_matrix(values), {values}}; }

// Rows with all products of up to `degree` columns, `features` in all.
PyRows product_rows(AnyArray values, unsigned degree, std::size_t features) {
    Rows rows = dense_matrix(values);
    rows.degree = degree;
    rows.columns = rows.features;
    std::size_t of_degree = rows.columns, total = rows.columns;  // C(d + k - 1, k) products of k columns
    for (std::size_t k = 2; k <= degree && total <= features; ++k) {
        std::size_t product;
        if (__builtin_mul_overflow(of_degree, rows.columns + k - 1, &product)) throw nb::value_error("there are too many products of columns");
        of_degree = product / k;
        total += of_degree;
    }
    if (degree < 1 || total != features)
        throw value_error("expected " + std::to_string(total) + " features for this degree, found " + std::to_string(features));
    rows.features = features;
    return {rows, {values}};
}

PyRows csr_rows(AnyArray starts, AnyArray indices, AnyArray values, std::size_t features) {
    if (starts.ndim() != 1 || indices.ndim() != 1 || values.ndim() != 1 || starts.shape(0) == 0)
        throw nb::value_error("indptr, indices and data must have one dimension");
    if (starts.dtype() != nb::dtype<std::int64_t>()) throw nb::type_error("indptr must be int64");
    if (indices.dtype() != nb::dtype<std::int32_t>() && indices.dtype() != nb::dtype<std::int64_t>())
        throw nb::type_error("indices must be int32 or int64");
    if (starts.stride(0) != 1 || (indices.shape(0) > 1 && indices.stride(0) != 1) ||
        (values.shape(0) > 1 && values.stride(0) != 1))
        throw nb::value_error("indptr, indices and data must be contiguous");
    if (features > max_features) throw value_error("a sparse matrix may have up to 2^31 columns, found " + std::to_string(features));
    Rows rows;
    rows.sparse = true;
    rows.single = is_single(values);
    rows.wide_indices = indices.dtype() == nb::dtype<std::int64_t>();
    rows.count = starts.shape(0) - 1;
    rows.features = features;
    rows.starts = static_cast<const std::int64_t*>(starts.data());
    rows.indices = indices.data();
    rows.stored = features ? std::min(indices.shape(0), values.shape(0)) : 0;
    rows.values = values.data();
    return {rows, {starts, indices, values}};
}

// None, or the first fault: (kind, row, column).
std::optional<std::tuple<std::string, std::size_t, std::int64_t>> check(PyRows& rows) {
    static const char* const names[] = {"",           "nan", "infinity", "negative column", "column beyond", "starts backwards",
                                        "starts beyond"};
    Fault fault;
    {
        const WithoutGil free;
        fault = rows.check();
    }
    if (fault.kind == Fault::none) return {};
    return std::make_tuple(std::string(names[fault.kind]), fault.row, fault.column);
}

}  // namespace

void bind_rows(Module& m) {
    Class<PyRows>(m, "Rows")
        .def_static("dense", &dense_rows, "values"_a)
        .def_static("products", &product_rows, "values"_a, "degree"_a, "features"_a)
        .def_static("csr", &csr_rows, "indptr"_a, "indices"_a, "values"_a, "features"_a)
        .def("check", &check)
        .def("within", &PyRows::within, "features"_a)
        .def_prop_ro("count", [](const PyRows& rows) { return rows.unchecked().count; })
        .def_prop_ro("features", [](const PyRows& rows) { return rows.unchecked().features; })
        .def_prop_ro("largest", [](const PyRows& rows) { return rows.unchecked().largest; })
        .def_prop_ro("canonical", [](const PyRows& rows) { return rows.unchecked().canonical; })
        .def_prop_ro("left_out", [](const PyRows& rows) { return rows.left_out; });
}

}  // namespace rosenblatt
