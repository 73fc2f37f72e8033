// Columns that tell the class by themselves, without numpy.
#include "bind/arrays.hpp"
#include "rows/label_leaks.hpp"

namespace rosenblatt {
namespace {

template <class I, class V>
void add_rows(TellingColumns& telling, const Rows& rows, const In<std::uint32_t>& order) {
    const auto* const index = static_cast<const I*>(rows.indices);
    const auto* const value = static_cast<const V*>(rows.values);
    const auto each = [&](auto&& use) {
        for (std::size_t i = 0; i < order.shape(0); ++i) {
            const auto [from, to] = rows.entries_of(order.data()[i]);
            for (std::size_t k = from; k < to; ++k) use(static_cast<std::uint32_t>(i), static_cast<std::uint64_t>(rows.column_of(index + k)), k);
        }
    };
    each([&](std::uint32_t, std::uint64_t column, std::size_t) { telling.count(column); });
    each([&](std::uint32_t row, std::uint64_t column, std::size_t k) { telling.add(row, column, static_cast<double>(value[k])); });
}

// [(column, wrong guesses)] of the columns that have at most so many in these rows of a sparse matrix.
nb::list telling_columns(const PyRows& matrix, const In<std::uint32_t>& order, const In<std::int32_t>& labels, std::size_t classes, std::size_t most_wrong) {
    const Rows& rows = matrix.checked();
    const std::size_t n = order.shape(0);
    if (!rows.sparse) throw nb::value_error("expected sparse rows");
    if (labels.shape(0) != rows.count || !all_below(order, rows.count)) throw nb::value_error("expected a label for each row, and rows of the matrix");
    std::vector<std::uint32_t> class_of(n);
    for (std::size_t i = 0; i < n; ++i) {
        class_of[i] = static_cast<std::uint32_t>(labels.data()[order.data()[i]]);
        if (class_of[i] >= classes) throw nb::value_error("a label is not the index of a class");
    }
    nb::list result;
    if (n == 0) return result;
    TellingColumns telling(std::move(class_of), classes, most_wrong);
    if (rows.wide_indices) rows.single ? add_rows<std::int64_t, float>(telling, rows, order) : add_rows<std::int64_t, double>(telling, rows, order);
    else rows.single ? add_rows<std::int32_t, float>(telling, rows, order) : add_rows<std::int32_t, double>(telling, rows, order);
    for (const auto& [column, wrong] : telling.columns()) result.append(nb::make_tuple(column, wrong));
    return result;
}

}  // namespace

void bind_label_leaks(Module& m) {
    m.def("telling_columns", &telling_columns, "rows"_a, "order"_a, "labels"_a, "classes"_a, "most_wrong"_a);
}

}  // namespace rosenblatt
