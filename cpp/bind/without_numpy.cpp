// What fitting and predicting a file need of labels, scores and weights without numpy, whose loading takes longer than
// learning 100 MB of svmlight. Arguments are arrays of any kind; results are plain numbers or memoryviews.
#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "learn/scores/predicted_class.hpp"

namespace rosenblatt {
namespace {

using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;  // of any shape

// (table[label] for each label, the smallest of them); -1, no label, becomes `unlabelled`. Without labels the smallest is 0.
nb::tuple translate_labels(const In<std::int32_t>& labels, const std::vector<std::int32_t>& table, std::int32_t unlabelled) {
    const std::size_t count = labels.shape(0);
    PooledVector<std::int32_t> codes;
    codes.resize(count);
    std::int32_t smallest = count ? std::numeric_limits<std::int32_t>::max() : 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t label = labels.data()[i];
        if (label >= static_cast<std::int64_t>(table.size())) throw value_error("label " + std::to_string(label) + " is not in the table");
        codes[i] = label < 0 ? (label == -1 ? unlabelled : label) : table[static_cast<std::size_t>(label)];
        smallest = std::min(smallest, codes[i]);
    }
    return nb::make_tuple(to_memoryview(codes), smallest);
}

// Integers from min to max: (those that occur, in order; the index of each number among them). None where some number is
// not such an integer.
template <class T>
nb::object rank_integers(const In<T>& numbers, std::int64_t min, std::int64_t max) {
    const std::size_t count = numbers.shape(0);
    const T low = static_cast<T>(min), high = static_cast<T>(max);
    std::vector<std::int32_t> rank(static_cast<std::size_t>(max - min) + 1);  // at first 1 where a number occurs
    PooledVector<std::int32_t> index;
    index.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const T number = numbers.data()[i];
        if (!(number >= low && number <= high)) return nb::none();
        const auto offset = static_cast<std::int32_t>(number - low);
        if (static_cast<T>(offset) != number - low) return nb::none();
        index[i] = offset;
        rank[static_cast<std::size_t>(offset)] = 1;
    }
    std::vector<std::int64_t> occurring;
    for (std::size_t k = 0; k < rank.size(); ++k)
        if (std::exchange(rank[k], static_cast<std::int32_t>(occurring.size())))
            occurring.push_back(min + static_cast<std::int64_t>(k));
    if (occurring.size() < rank.size())
        for (std::size_t i = 0; i < count; ++i) index[i] = rank[static_cast<std::size_t>(index[i])];
    return nb::make_tuple(occurring, to_array(std::move(index)));
}

// (how often a label differs from the previous one, counts by class, last label). The previous label of the first is `last`;
// negative labels are ignored.
auto count_label_changes(const In<std::int32_t>& labels, std::size_t classes, std::int32_t last) {
    std::vector<std::int64_t> counts(classes);
    std::int64_t changes = 0;
    for (std::size_t i = 0; i < labels.shape(0); ++i) {
        const std::int32_t label = labels.data()[i];
        if (label < 0) continue;
        const std::size_t k = static_cast<std::size_t>(label);
        if (k >= counts.size()) counts.resize(k + 1);
        ++counts[k];
        changes += last >= 0 && label != last;
        last = label;
    }
    return std::make_tuple(changes, counts, last);
}

// (indices, values) of the numbers whose bits differ from `fill`; None where the dense form takes no more bytes.
nb::object to_sparse(const Numbers& numbers, double fill) {
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
nb::object from_sparse(const In<std::uint32_t>& index, const In<double>& value, double fill, std::size_t rows, std::size_t columns) {
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

// The column of the highest score of each row, the first of equals; of a single column, whether it is above the threshold.
auto highest_of(const InMatrix& scores, double threshold) {
    const std::size_t rows = scores.shape(0), columns = scores.shape(1);
    if (columns == 0) throw nb::value_error("the scores have no columns");
    std::int64_t* best;
    auto result = new_array<std::int64_t, nb::memview>(rows, best);
    const double* s = scores.data();
    for (std::size_t i = 0; i < rows; ++i, s += columns)
        best[i] = columns == 1 ? *s > threshold : static_cast<std::int64_t>(highest(s, columns));
    return result;
}

// Whether each score is above the threshold of its column: 0 or 1, [row][column].
auto labels_above(const InMatrix& scores, const In<double>& thresholds) {
    const std::size_t rows = scores.shape(0), columns = scores.shape(1);
    if (thresholds.shape(0) != columns) throw nb::value_error("expected a threshold for each column of the scores");
    std::uint8_t* decided;
    auto result = new_matrix<std::uint8_t, nb::memview>(rows, columns, decided);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < columns; ++k) decided[i * columns + k] = scores.data()[i * columns + k] > thresholds.data()[k];
    return result;
}

// The labels of each row, with a separator between them, on a line.
nb::bytes join_labels(const std::vector<nb::bytes>& labels, const nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& decided, const nb::bytes& separator) {
    const std::size_t rows = decided.shape(0), columns = decided.shape(1);
    if (labels.size() != columns) throw nb::value_error("expected a label for each column");
    std::string lines;
    for (std::size_t i = 0; i < rows; ++i) {
        bool first = true;
        for (std::size_t k = 0; k < columns; ++k) {
            if (!decided.data()[i * columns + k]) continue;
            if (!std::exchange(first, false)) lines.append(separator.c_str(), separator.size());
            lines.append(labels[k].c_str(), labels[k].size());
        }
        lines += '\n';
    }
    return nb::bytes(lines.data(), lines.size());
}

// Each weight (1 where there are none) times that of its class; a negative label keeps its own.
auto weigh_classes(const In<std::int32_t>& labels, const std::optional<In<double>>& weights, const std::vector<double>& class_weight) {
    const std::size_t count = labels.shape(0);
    double* weighed;
    auto result = new_array<double, nb::memview>(count, weighed);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t label = labels.data()[i];
        if (label >= static_cast<std::int64_t>(class_weight.size())) throw value_error("label " + std::to_string(label) + " has no weight");
        weighed[i] = (weights ? weights->data()[i] : 1.0) * (label < 0 ? 1.0 : class_weight[static_cast<std::size_t>(label)]);
    }
    return result;
}

// Each weight times n / (k n_c): n examples so far, n_c of them of its class, k classes. Ten of each class are imagined
// before the first, so that the first of a rare class does not outweigh all others. Returns the counts after them, too.
auto balance_classes(const In<std::int32_t>& labels, const std::optional<In<double>>& weights, std::vector<std::int64_t> counts) {
    constexpr double imagined = 10.0;
    const std::size_t count = labels.shape(0);
    const auto classes = static_cast<double>(counts.size());
    std::int64_t seen = 0;
    for (const std::int64_t of_class : counts) seen += of_class;
    double* balanced;
    auto result = new_array<double, nb::memview>(count, balanced);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t label = labels.data()[i];
        if (label >= static_cast<std::int64_t>(counts.size())) throw value_error("label " + std::to_string(label) + " has no count");
        balanced[i] = weights ? weights->data()[i] : 1.0;
        if (label < 0) continue;
        const auto of_class = static_cast<double>(++counts[static_cast<std::size_t>(label)]);
        balanced[i] *= (static_cast<double>(++seen) + classes * imagined) / (classes * (of_class + imagined));
    }
    return std::make_pair(result, counts);
}

// The votes for each class, from the scores of one-vs-one units.
auto majority_of(const InMatrix& scores, std::size_t classes) {
    const std::size_t rows = scores.shape(0), units = scores.shape(1);
    if (classes == 0 || 2 * units != classes * (classes - 1)) throw value_error("expected one column for each pair of " + std::to_string(classes) + " classes, found " + std::to_string(units));
    double* votes;
    auto result = new_matrix<double, nb::memview>(rows, classes, votes);
    std::vector<double> sums(classes);
    for (std::size_t i = 0; i < rows; ++i) majority(scores.data() + i * units, classes, votes + i * classes, sums.data());
    return result;
}

// (index, absolute value) of the largest positive numbers, or of the smallest negative ones, furthest from 0 first.
auto strongest(const In<double>& numbers, bool negative, std::size_t max_count) {
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

// The chosen parts, concatenated.
nb::bytes concatenate(const std::vector<nb::bytes>& parts, const In<std::int64_t>& which) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < which.shape(0); ++i) {
        const auto part = static_cast<std::uint64_t>(which.data()[i]);
        if (part >= parts.size()) throw nb::index_error(("there is no part " + std::to_string(which.data()[i])).c_str());
        size += parts[part].size();
    }
    nb::object all = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    if (!all.is_valid()) throw nb::python_error();
    char* to = PyBytes_AsString(all.ptr());
    for (std::size_t i = 0; i < which.shape(0); ++i) {
        const nb::bytes& part = parts[static_cast<std::size_t>(which.data()[i])];
        std::memcpy(to, part.c_str(), part.size());
        to += part.size();
    }
    return nb::borrow<nb::bytes>(all);
}

std::uintptr_t address(const nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>& memory) {
    return reinterpret_cast<std::uintptr_t>(memory.data());
}

// How many standard deviations lie between a score and the threshold, or between the highest score and the next.
auto confidences(const InMatrix& scores, const InMatrix& variances, double threshold) {
    const std::size_t rows = scores.shape(0), units = scores.shape(1);
    if (variances.shape(0) != rows || variances.shape(1) != units || units == 0) throw nb::value_error("expected one variance for each score");
    constexpr double least = 0x1p-80;  // rounding may leave a variance just below 0
    double* confidence;
    auto result = new_array<double, nb::memview>(rows, confidence);
    for (std::size_t i = 0; i < rows; ++i) {
        const double *const s = scores.data() + i * units, *const v = variances.data() + i * units;
        if (units == 1) {
            confidence[i] = std::fabs(s[0] - threshold) / std::sqrt(std::max(v[0], least));
            continue;
        }
        const std::size_t best = highest(s, units);
        std::size_t next = best == 0;
        for (std::size_t k = 0; k < units; ++k)
            if (k != best && s[k] > s[next]) next = k;
        confidence[i] = (s[best] - s[next]) / std::sqrt(std::max(v[best] + v[next], least));
    }
    return result;
}

}  // namespace

void bind_without_numpy(Module& m) {
    m.def("address", &address, "memory"_a);
    m.def("renumber_labels", &translate_labels, "labels"_a, "table"_a, "unlabelled"_a = -1);
    m.def("argmax_rows", &highest_of, "scores"_a, "threshold"_a = 0.0);
    m.def("labels_above", &labels_above, "scores"_a, "thresholds"_a);
    m.def("join_labels", &join_labels, "labels"_a, "decided"_a, "separator"_a);
    m.def("weigh_classes", &weigh_classes, "labels"_a, "weights"_a.none(), "class_weight"_a);
    m.def("balance_classes", &balance_classes, "labels"_a, "weights"_a.none(), "counts"_a);
    m.def("join_lines", &concatenate, "parts"_a, "which"_a);
    m.def("confidences", &confidences, "scores"_a, "variances"_a, "threshold"_a);
    m.def("majority", &majority_of, "scores"_a, "classes"_a);
    m.def("first_outside", &first_outside, "numbers"_a, "least"_a, "most"_a);
    m.def("number_labels", &rank_integers<std::int64_t>, "numbers"_a, "least"_a, "most"_a);
    m.def("number_labels", &rank_integers<double>, "numbers"_a, "least"_a, "most"_a);
    m.def("matrix_from_entries", &from_sparse, "index"_a, "value"_a, "usual"_a, "rows"_a, "columns"_a);
    m.def("count_label_changes", &count_label_changes, "labels"_a, "classes"_a, "last"_a);
    m.def("entries_other_than", &to_sparse, "numbers"_a, "usual"_a);
    m.def("largest_weights", &strongest, "numbers"_a, "below"_a, "most"_a);
    m.def("sum_of_squares", &sum_of_squares, "numbers"_a, "count"_a);
}

}  // namespace rosenblatt
