// From scores to decisions, votes, confidences and lines of labels, without numpy (see bind/labels.cpp).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "learn/scores/predicted_class.hpp"

namespace rosenblatt {
namespace {

// The column of the highest score of each row, the first of equals; of a single column, whether it is above the threshold.
auto argmax_rows(const InMatrix& scores, double threshold) {
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

// The votes for each class, from the scores of one-vs-one units.
auto votes_of_pairs(const InMatrix& scores, std::size_t classes) {
    const std::size_t rows = scores.shape(0), units = scores.shape(1);
    if (classes == 0 || 2 * units != classes * (classes - 1)) throw value_error("expected one column for each pair of " + std::to_string(classes) + " classes, found " + std::to_string(units));
    double* votes;
    auto result = new_matrix<double, nb::memview>(rows, classes, votes);
    std::vector<double> sums(classes);
    for (std::size_t i = 0; i < rows; ++i) count_votes(scores.data() + i * units, classes, votes + i * classes, sums.data());
    return result;
}

// The chosen parts, concatenated.
nb::bytes join_lines(const std::vector<nb::bytes>& parts, const In<std::int64_t>& which) {
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
        const std::size_t next = best_other([&](std::size_t k) { return s[k]; }, units, best);
        confidence[i] = (s[best] - s[next]) / std::sqrt(std::max(v[best] + v[next], least));
    }
    return result;
}

}  // namespace

void bind_decisions(Module& m) {
    m.def("argmax_rows", &argmax_rows, "scores"_a, "threshold"_a = 0.0);
    m.def("labels_above", &labels_above, "scores"_a, "thresholds"_a);
    m.def("join_labels", &join_labels, "labels"_a, "decided"_a, "separator"_a);
    m.def("join_lines", &join_lines, "parts"_a, "which"_a);
    m.def("confidences", &confidences, "scores"_a, "variances"_a, "threshold"_a);
    m.def("count_votes", &votes_of_pairs, "scores"_a, "classes"_a);
}

}  // namespace rosenblatt
