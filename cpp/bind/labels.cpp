// Labels and the weights of classes, without numpy: its loading takes longer than learning 100 MB of svmlight. Arguments are
// arrays of any kind; results are plain numbers or memoryviews.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "parse/number.hpp"

namespace rosenblatt {
namespace {

// (table[label] for each label, the smallest of them); -1, no label, becomes `unlabelled`. Without labels the smallest is 0.
nb::tuple renumber_labels(const In<std::int32_t>& labels, const std::vector<std::int32_t>& table, std::int32_t unlabelled) {
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

// The number that each token spells, the same double as Python's float(); NaN if it is no plain decimal number.
nb::object numbers_of_labels(const nb::list& tokens) {
    PooledVector<double> numbers;
    numbers.resize(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto token = nb::cast<nb::bytes>(tokens[i]);
        double number = 0.0;
        const bool is_number = parse_any_number(token.c_str(), token.c_str() + token.size(), number) == NumberStatus::ok;
        numbers[i] = is_number ? number : std::numeric_limits<double>::quiet_NaN();
    }
    return to_memoryview(numbers);
}

// Integers from min to max: (those that occur, in order; the index of each number among them). None where some number is
// not such an integer.
template <class T>
nb::object number_labels(const In<T>& numbers, std::int64_t min, std::int64_t max) {
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

// Each weight times n / (k n_c): n examples so far, n_c of them of its class, k classes. The counts begin
// with ten imagined examples of each class, so that the first of a rare class does not outweigh all others. Also returns
// the counts after these examples.
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

}  // namespace

void bind_labels(Module& m) {
    m.def("numbers_of_labels", &numbers_of_labels, "tokens"_a);
    m.def("renumber_labels", &renumber_labels, "labels"_a, "table"_a, "unlabelled"_a = -1);
    m.def("weigh_classes", &weigh_classes, "labels"_a, "weights"_a.none(), "class_weight"_a);
    m.def("balance_classes", &balance_classes, "labels"_a, "weights"_a.none(), "counts"_a);
    m.def("number_labels", &number_labels<std::int64_t>, "numbers"_a, "least"_a, "most"_a);
    m.def("number_labels", &number_labels<double>, "numbers"_a, "least"_a, "most"_a);
    m.def("count_label_changes", &count_label_changes, "labels"_a, "classes"_a, "last"_a);
}

}  // namespace rosenblatt
