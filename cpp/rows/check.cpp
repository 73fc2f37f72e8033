// Can this matrix be learned from? One vectorised pass over its values; only a bad matrix is searched value by value.
#include "rows/function_table.hpp"
#include "rows/row_readers.hpp"
#include "rows/shuffle.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

namespace {

struct Extent {
    double largest = 0.0;  // |value|
    bool finite = true;
};

// 0 * value is NaN if the value is NaN or infinite and 0 otherwise, so the sum of these says whether all are finite.
template <class V>
Extent extent(const V* value, std::size_t count, std::ptrdiff_t stride) {
    double largest[8] = {}, zero_sum[8] = {};
    std::size_t i = 0;
    if (stride == 1) {
        constexpr int parts = 8 / natural;
        vec<natural> most[parts] = {}, zeros[parts] = {};
        for (; i + 8 <= count; i += 8)
            for (int part = 0; part < parts; ++part) {
                const vec<natural> x = widen<natural>(value + i + part * natural);
                const vec<natural> size = x < 0.0 ? -x : x;
                zeros[part] += x * 0.0;
                most[part] = size > most[part] ? size : most[part];
            }
        std::memcpy(largest, most, sizeof largest);
        std::memcpy(zero_sum, zeros, sizeof zero_sum);
    }
    for (; i < count; ++i) {
        const double x = std::fabs(static_cast<double>(value[static_cast<std::ptrdiff_t>(i) * stride]));
        zero_sum[i % 8] += x * 0.0;
        largest[i % 8] = x > largest[i % 8] ? x : largest[i % 8];
    }
    Extent result;
    for (int l = 0; l < 8; ++l) {
        result.largest = std::max(result.largest, largest[l]);
        result.finite = result.finite && zero_sum[l] == 0.0;
    }
    return result;
}

Fault value_fault(double x, std::size_t row, std::int64_t column) {
    return {std::isnan(x) ? Fault::not_a_number : Fault::infinite, row, column};
}

template <class V>
Fault check_dense(Rows& rows) {
    const auto* values = static_cast<const V*>(rows.values);
    const bool by_column = rows.column_stride != 1 && rows.row_stride == 1;
    const std::size_t outer = by_column ? rows.features : rows.count, inner = by_column ? rows.count : rows.features;
    const std::ptrdiff_t outer_stride = by_column ? rows.column_stride : rows.row_stride;
    const std::ptrdiff_t inner_stride = by_column ? rows.row_stride : rows.column_stride;
    bool finite = true;
    if (inner_stride == 1 && outer_stride == static_cast<std::ptrdiff_t>(inner)) {
        const auto all = extent(values, outer * inner, 1);
        rows.largest = all.largest;
        finite = all.finite;
    } else {
        for (std::size_t i = 0; i < outer; ++i) {
            const auto part = extent(values + static_cast<std::ptrdiff_t>(i) * outer_stride, inner, inner_stride);
            rows.largest = std::max(rows.largest, part.largest);
            finite = finite && part.finite;
        }
    }
    if (finite) return {};
    for (std::size_t i = 0; i < rows.count; ++i)
        for (std::size_t j = 0; j < rows.features; ++j) {
            const auto x = static_cast<double>(values[static_cast<std::ptrdiff_t>(i) * rows.row_stride +
                                                      static_cast<std::ptrdiff_t>(j) * rows.column_stride]);
            if (!std::isfinite(x)) return value_fault(x, i, static_cast<std::int64_t>(j));
        }
    return {};
}

// Row starts must not decrease and columns must lie in range; rows that are not sorted are accepted and noted.
template <class I>
Fault check_indices(Rows& rows) {
    const auto* index = static_cast<const I*>(rows.indices);
    const auto limit = static_cast<std::int64_t>(rows.features);
    for (std::size_t i = 0; i < rows.count; ++i)
        if (rows.starts[i + 1] < rows.starts[i]) return {Fault::starts_backwards, i, 0};
    if (rows.starts[0] < 0 || static_cast<std::size_t>(rows.starts[rows.count]) > rows.stored)
        return rows.starts[0] < 0 ? Fault{Fault::starts_beyond, 0, rows.starts[0]}
                                  : Fault{Fault::starts_beyond, rows.count - 1, rows.starts[rows.count]};
    const std::int64_t first = rows.starts[0], end = rows.starts[rows.count];
    if (first == end) return {};
    // Every row is sorted exactly if all the descents between neighbouring indices lie between two rows. Both are counted
    // a piece at a time, while it is in the cache.
    constexpr std::int64_t piece = 4096;
    I smallest = index[first], largest = index[first];
    std::int64_t descents = 0, between = 0;
    std::size_t row = 1;
    for (std::int64_t from = first + 1, to; from < end; from = to) {
        to = std::min(from + piece, end);
        I falls = 0;
        for (std::int64_t k = from; k < to; ++k) {
            smallest = std::min(smallest, index[k]);
            largest = std::max(largest, index[k]);
            falls += index[k] <= index[k - 1];
        }
        descents += falls;
        for (; row < rows.count && rows.starts[row] < to; ++row) {
            const std::int64_t k = rows.starts[row];
            between += k > rows.starts[row - 1] && index[k] <= index[k - 1];
        }
    }
    rows.canonical = descents == between;
    if (smallest >= 0 && largest < limit) return {};
    for (std::size_t i = 0; i < rows.count; ++i)
        for (std::int64_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
            if (index[k] < 0) return {Fault::negative_column, i, index[k]};
            if (index[k] >= limit) return {Fault::column_beyond, i, index[k]};
        }
    return {};
}

template <class I, class V>
Fault check_sparse(Rows& rows) {
    if (const Fault fault = check_indices<I>(rows); fault.kind != Fault::none) return fault;
    const auto* values = static_cast<const V*>(rows.values);
    const auto all = extent(values + rows.starts[0], rows.entries(), 1);
    rows.largest = all.largest;
    if (all.finite) return {};
    for (std::size_t i = 0; i < rows.count; ++i)
        for (std::int64_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k)
            if (const auto x = static_cast<double>(values[k]); !std::isfinite(x))
                return value_fault(x, i, static_cast<const I*>(rows.indices)[k]);
    return {};
}

Fault check(Rows& rows) {
    if (rows.degree > 1) {  // the columns bound their products
        Rows plain = rows;
        plain.degree = 1;
        plain.features = rows.columns;
        const Fault fault = check(plain);
        rows.largest = plain.largest;
        for (unsigned k = 1; k < rows.degree && plain.largest > 1.0; ++k) rows.largest *= plain.largest;
        return fault;
    }
    const auto check_values = [&](auto value) {
        using V = decltype(value);
        if (!rows.sparse) return check_dense<V>(rows);
        return rows.wide_indices ? check_sparse<std::int64_t, V>(rows) : check_sparse<std::int32_t, V>(rows);
    };
    return rows.single ? check_values(float{}) : check_values(double{});
}

}  // namespace

extern const RowFunctions row_functions{check, shuffle};

}  // namespace rosenblatt::ROSENBLATT_ISA
