// Matrices come in as they lie: dense in any strides, products of columns, CSR.
#include <optional>
#include <string>
#include <tuple>

#include "bind/bind.hpp"
#include "isa/native.hpp"
#include "rows/functions.hpp"

namespace rosenblatt {
namespace {

bool is_single(const AnyArray& values) {
    if (values.dtype() == nb::dtype<float>()) return true;
    if (values.dtype() == nb::dtype<double>()) return false;
    throw nb::type_error("values must be float32 or float64");
}

HeldRows dense_rows(AnyArray values) {
    if (values.ndim() != 2) throw nb::value_error("values must have two dimensions");
    HeldRows rows;
    rows.single = is_single(values);
    rows.count = values.shape(0);
    rows.features = values.shape(1);
    rows.values = values.data();
    rows.row_stride = values.stride(0);
    rows.column_stride = rows.features > 1 ? values.stride(1) : 1;
    rows.held = {values};
    return rows;
}

// The rows with all products of up to `degree` columns, which are `features` in number.
HeldRows product_rows(AnyArray values, unsigned degree, std::size_t features) {
    HeldRows rows = dense_rows(values);
    rows.degree = degree;
    rows.columns = rows.features;
    std::size_t number = rows.columns, all = rows.columns;  // C(d + k - 1, k) of k columns
    for (std::size_t k = 2; k <= degree; ++k) {
        number = number * (rows.columns + k - 1) / k;
        all += number;
    }
    if (degree < 1 || all != features) throw nb::value_error("the products of so many columns are not so many");
    rows.features = features;
    return rows;
}

HeldRows csr_rows(AnyArray starts, AnyArray indices, AnyArray values, std::size_t features) {
    if (starts.ndim() != 1 || indices.ndim() != 1 || values.ndim() != 1 || starts.shape(0) == 0)
        throw nb::value_error("indptr, indices and data must have one dimension");
    if (starts.dtype() != nb::dtype<std::int64_t>()) throw nb::type_error("indptr must be int64");
    if (indices.dtype() != nb::dtype<std::int32_t>() && indices.dtype() != nb::dtype<std::int64_t>())
        throw nb::type_error("indices must be int32 or int64");
    if (starts.stride(0) != 1 || (indices.shape(0) > 1 && indices.stride(0) != 1) ||
        (values.shape(0) > 1 && values.stride(0) != 1))
        throw nb::value_error("indptr, indices and data must be contiguous");
    HeldRows rows;
    rows.sparse = true;
    rows.single = is_single(values);
    rows.wide_indices = indices.dtype() == nb::dtype<std::int64_t>();
    rows.count = starts.shape(0) - 1;
    rows.features = features;
    rows.starts = static_cast<const std::int64_t*>(starts.data());
    rows.indices = indices.data();
    rows.stored = std::min(indices.shape(0), values.shape(0));
    rows.values = values.data();
    rows.held = {starts, indices, values};
    return rows;
}

// None, or what is wrong first: (kind, row, column).
std::optional<std::tuple<std::string, std::size_t, std::int64_t>> check(HeldRows& rows) {
    static const char* const names[] = {"",           "nan", "infinity", "negative column", "column beyond", "starts backwards",
                                        "starts beyond"};
    Fault fault;
    {
        nb::gil_scoped_release free;
        fault = native().rows->check(rows);
    }
    if (fault.kind == Fault::none) return {};
    return std::make_tuple(std::string(names[fault.kind]), fault.row, fault.column);
}

// The same rows among so many features.
HeldRows within(HeldRows rows, std::size_t features) {
    if (features < rows.features || !rows.sparse) throw nb::value_error("the rows have more features than that");
    rows.features = features;
    return rows;
}

}  // namespace

void bind_rows(nb::module_& m) {
    nb::class_<HeldRows>(m, "Rows")
        .def_static("dense", &dense_rows, "values"_a)
        .def_static("products", &product_rows, "values"_a, "degree"_a, "features"_a)
        .def_static("csr", &csr_rows, "indptr"_a, "indices"_a, "values"_a, "features"_a)
        .def("check", &check)
        .def("within", &within, "features"_a)
        .def_prop_ro("count", [](const HeldRows& rows) { return rows.count; })
        .def_prop_ro("features", [](const HeldRows& rows) { return rows.features; })
        .def_prop_ro("largest", [](const HeldRows& rows) { return rows.largest; })
        .def_prop_ro("canonical", [](const HeldRows& rows) { return rows.canonical; });
}

}  // namespace rosenblatt
