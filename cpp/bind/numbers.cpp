// Arrays of numbers, without numpy (see bind/labels.cpp): their sparse form, the largest of them, the first out of bounds.
#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"

namespace rosenblatt {
namespace {

using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;  // of any shape

// (indices, values) of the numbers whose bits differ from `fill`; None where the dense form takes no more bytes.
nb::object entries_other_than(const Numbers& numbers, double fill) {
    const std::size_t size = numbers.size();
    const auto is_fill = [bits = std::bit_cast<std::uint64_t>(fill)](double x) { return std::bit_cast<std::uint64_t>(x) == bits; };
    const double* const all = numbers.data();
    PooledVector<std::uint32_t> index;
    PooledVector<double> value;
    const std::size_t count = size - static_cast<std::size_t>(std::count_if(all, all + size, is_fill));
    if (12 * count >= 8 * size || size > std::numeric_limits<std::uint32_t>::max()) return nb::none();
    index.reserve(count);
    value.reserve(count);
    for (std::size_t i = 0; i < size; ++i) {
        if (is_fill(all[i])) continue;
        index.push(static_cast<std::uint32_t>(i));
        value.push(all[i]);
    }
    return nb::make_tuple(to_memoryview(index), to_memoryview(value));
}

// The inverse: a matrix of `fill` with these values at these indices; None unless they are ascending and within it.
nb::object matrix_from_entries(const In<std::uint32_t>& index, const In<double>& value, double fill, std::size_t rows, std::size_t columns) {
    const std::uint32_t *const first = index.data(), *const last = first + index.shape(0);
    if (value.shape(0) != index.shape(0) || std::adjacent_find(first, last, std::greater_equal<>()) != last ||
        (first != last && last[-1] >= rows * columns))
        return nb::none();
    double* dense;
    auto matrix = new_matrix<double, nb::memview>(rows, columns, dense);
    if (fill != 0.0) std::fill_n(dense, rows * columns, fill);
    for (const std::uint32_t* at = first; at != last; ++at) dense[*at] = value.data()[at - first];
    return nb::cast(matrix);
}

// The index of the first number that is not between min and max, or -1.
std::int64_t first_outside(const Numbers& numbers, double min, double max) {
    const double *const first = numbers.data(), *const last = first + numbers.size();
    const auto* at = std::find_if_not(first, last, [=](double x) { return min <= x && x <= max; });
    return at == last ? -1 : at - first;
}

// (index, absolute value) of the largest positive numbers, or of the smallest negative ones, furthest from 0 first.
auto largest_weights(const In<double>& numbers, bool negative, std::size_t max_count) {
    std::vector<std::pair<std::size_t, double>> heap;
    const auto before = [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; };
    for (std::size_t i = 0; i < numbers.shape(0); ++i) {
        const double size = negative ? -numbers.data()[i] : numbers.data()[i];
        if (!(size > 0.0) || max_count == 0 || (heap.size() == max_count && size <= heap.front().second)) continue;
        if (heap.size() == max_count) {
            std::pop_heap(heap.begin(), heap.end(), before);
            heap.pop_back();
        }
        heap.emplace_back(i, size);
        std::push_heap(heap.begin(), heap.end(), before);
    }
    std::sort_heap(heap.begin(), heap.end(), before);
    return heap;
}

// The sum of squares of the first `count` numbers.
double sum_of_squares(const In<double>& numbers, std::size_t count) {
    double sum = 0.0;
    for (std::size_t i = 0; i < std::min(count, numbers.shape(0)); ++i) sum += numbers.data()[i] * numbers.data()[i];
    return sum;
}

std::uintptr_t address(const nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>& memory) {
    return reinterpret_cast<std::uintptr_t>(memory.data());
}

}  // namespace

void bind_numbers(Module& m) {
    m.def("address", &address, "memory"_a);
    m.def("first_outside", &first_outside, "numbers"_a, "least"_a, "most"_a);
    m.def("matrix_from_entries", &matrix_from_entries, "index"_a, "value"_a, "usual"_a, "rows"_a, "columns"_a);
    m.def("entries_other_than", &entries_other_than, "numbers"_a, "usual"_a);
    m.def("largest_weights", &largest_weights, "numbers"_a, "below"_a, "most"_a);
    m.def("sum_of_squares", &sum_of_squares, "numbers"_a, "count"_a);
}

}  // namespace rosenblatt
