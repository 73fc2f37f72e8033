// Cross-validation without numpy: the rows of each fold, rows in a new order, and how well scores decide.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "bind/learn/learner_access.hpp"
#include "core/random.hpp"
#include "isa/dispatch.hpp"
#include "learn/function_table.hpp"
#include "learn/scores/predicted_class.hpp"
#include "learn/state/save_restore.hpp"
#include "rows/function_table.hpp"

namespace rosenblatt {
namespace {

auto to_view(const std::vector<std::uint32_t>& rows) {
    std::uint32_t* to;
    auto result = new_array<std::uint32_t, nb::memview>(rows.size(), to);
    std::copy(rows.begin(), rows.end(), to);
    return result;
}

// (the rows to learn from, the rows left out) of the first `wanted` folds, ascending. Each class is dealt out in turn, in
// random order, so that every fold has its share of it.
nb::list stratified_folds(const In<std::int32_t>& labels, std::size_t classes, std::size_t folds, std::size_t wanted, std::uint64_t state) {
    if (folds == 0) throw nb::value_error("there must be at least one fold");
    const std::size_t n = labels.shape(0);
    std::vector<std::vector<std::uint32_t>> of_class(classes);
    for (std::size_t i = 0; i < n; ++i) {
        const auto label = static_cast<std::size_t>(labels.data()[i]);
        if (label >= classes) throw nb::value_error("a label is not the index of a class");
        of_class[label].push_back(static_cast<std::uint32_t>(i));
    }
    Random random{state};
    std::vector<std::size_t> fold_of(n);
    std::size_t turn = 0;
    for (std::vector<std::uint32_t>& rows : of_class) {
        native().rows->shuffle(random, rows.data(), rows.size());
        for (const std::uint32_t row : rows) fold_of[row] = turn++ % folds;
    }
    nb::list result;
    for (std::size_t fold = 0; fold < wanted; ++fold) {
        std::vector<std::uint32_t> training, left_out;
        for (std::size_t i = 0; i < n; ++i) (fold_of[i] == fold ? left_out : training).push_back(static_cast<std::uint32_t>(i));
        result.append(nb::make_tuple(to_view(training), to_view(left_out)));
    }
    return result;
}

// (the same rows in random order, the random state after it)
nb::tuple shuffled(const In<std::uint32_t>& rows, std::uint64_t state) {
    std::vector<std::uint32_t> order(rows.data(), rows.data() + rows.shape(0));
    Random random{state};
    native().rows->shuffle(random, order.data(), order.size());
    return nb::make_tuple(to_view(order), random.state);
}

// The logistic loss of a score, multiplied by c, and its first and second derivative by c. One score for two classes, else
// one per class.
struct ScaledLoss {
    double value = 0.0, slope = 0.0, bend = 0.0;

    void add(const double* s, std::size_t columns, std::size_t label, double weight, double c) {
        const double two[] = {0.0, *s};
        if (columns == 1) s = two, columns = 2;
        const double top = c * s[highest(s, columns)];
        double sum = 0.0, mean = 0.0, square = 0.0;
        for (std::size_t k = 0; k < columns; ++k) {
            const double e = std::exp(c * s[k] - top);
            sum += e;
            mean += e * s[k];
            square += e * (s[k] * s[k]);
        }
        mean /= sum;
        value += weight * (std::log(sum) + top - c * s[label]);
        slope += weight * (mean - s[label]);
        bend += weight * (square / sum - mean * mean);
    }
};

// The least logistic loss of c times the scores, over all c > 0; `size` is the root mean square of the scores, and
// add(loss, c) adds the loss of c times each of them. It is convex in c, and found by Newton's method.
template <class Add>
double least_loss(double size, Add&& add) {
    double c = size > 0 ? 1.0 / size : 1.0, least = std::numeric_limits<double>::infinity();
    for (int step = 0; step < 10; ++step) {
        ScaledLoss loss;
        add(loss, c);
        least = std::min(least, loss.value);
        const double next = loss.bend > 0 ? std::clamp(c - loss.slope / loss.bend, c / 4, c * 4) : c;
        if (std::fabs(next - c) < 0.01 * c) break;
        c = next;
    }
    return least;
}

// (the weight of the wrong decisions, that of all of them, the least logistic loss of the scores times a number) of some rows.
// The loss is that of the best scale, since weights grow from pass to pass; or, for logits, of the scores as they are.
nb::tuple judge(const InMatrix& scores, const In<std::int32_t>& labels, const In<std::uint32_t>& rows,
                const std::optional<In<double>>& weights, bool as_they_are) {
    const std::size_t columns = scores.shape(1), n = rows.shape(0);
    if (scores.shape(0) != n || columns == 0 || !all_below(rows, labels.shape(0)) || (weights && weights->shape(0) != labels.shape(0)))
        throw nb::value_error("expected the scores of these rows");
    if (!all_below(labels, std::max<std::size_t>(columns, 2))) throw nb::value_error("a label is not the index of a class");
    const auto label_of = [&](std::size_t i) { return static_cast<std::size_t>(labels.data()[rows.data()[i]]); };
    const auto weight_of = [&](std::size_t i) { return weights ? weights->data()[rows.data()[i]] : 1.0; };
    double wrong = 0.0, all = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double* const s = scores.data() + i * columns;
        const std::size_t decided = columns == 1 ? s[0] > 0 : highest(s, columns);
        all += weight_of(i);
        wrong += weight_of(i) * (decided != label_of(i));
        for (std::size_t k = 0; k < columns; ++k) squares += s[k] * s[k];
    }
    const auto add = [&](ScaledLoss& loss, double c) {
        for (std::size_t i = 0; i < n; ++i) loss.add(scores.data() + i * columns, columns, label_of(i), weight_of(i), c);
    };
    if (as_they_are) {
        ScaledLoss loss;
        add(loss, 1.0);
        return nb::make_tuple(wrong, all, loss.value);
    }
    const double least = least_loss(squares > 0 ? std::sqrt(squares / static_cast<double>(n * columns)) : 0.0, add);
    return nb::make_tuple(wrong, all, n == 0 ? 0.0 : least);
}

// The same where a row has a set of labels: each label is decided by itself, and what is wrong, and lost, is the mean over them.
nb::tuple judge_labels(const InMatrix& scores, const LabelSets& sets, const In<std::int32_t>& labels, const In<std::uint32_t>& rows,
                       const std::optional<In<double>>& weights) {
    const std::size_t columns = scores.shape(1), n = rows.shape(0);
    if (scores.shape(0) != n || columns != sets.labels() || !all_below(rows, labels.shape(0)) || (weights && weights->shape(0) != labels.shape(0)))
        throw nb::value_error("expected the scores of these rows");
    if (!all_below(labels, sets.size())) throw nb::value_error("a label is not the index of a set");
    const auto set_of = [&](std::size_t i) { return static_cast<std::size_t>(labels.data()[rows.data()[i]]); };
    const auto weight_of = [&](std::size_t i) { return (weights ? weights->data()[rows.data()[i]] : 1.0); };
    double wrong = 0.0, all = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double* const s = scores.data() + i * columns;
        std::size_t wrong_labels = 0;
        for (std::size_t k = 0; k < columns; ++k) {
            wrong_labels += (s[k] > 0) != sets.has(set_of(i), k);
            squares += s[k] * s[k];
        }
        all += weight_of(i);
        wrong += weight_of(i) * static_cast<double>(wrong_labels) / static_cast<double>(columns);
    }
    const double least = least_loss(squares > 0 ? std::sqrt(squares / static_cast<double>(n * columns)) : 0.0, [&](ScaledLoss& loss, double c) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < columns; ++k)
                loss.add(scores.data() + i * columns + k, 1, sets.has(set_of(i), k), weight_of(i) / static_cast<double>(columns), c);
    });
    return nb::make_tuple(wrong, all, n == 0 ? 0.0 : least);
}

// Calls f(column, value) for every entry of the first rows of a sparse matrix, by compact columns where it has them.
template <class F>
void each_entry(const PyRows& rows, std::size_t columns, std::size_t count, F&& f) {
    const Rows& checked = rows.checked();
    const Rows& read = rows.compact ? rows.compact->rows : checked;
    if (!read.sparse) throw nb::value_error("expected sparse rows");
    if (read.features > columns) throw value_error("expected numbers for " + std::to_string(read.features) + " columns, found " + std::to_string(columns));
    const auto with_types = [&](const auto* index, const auto* value) {
        for (std::size_t row = 0; row < count; ++row) {
            const auto [from, to] = read.entries_of(row);
            for (std::size_t k = from; k < to; ++k) f(static_cast<std::size_t>(read.column_of(index + k)), static_cast<double>(value[k]));
        }
    };
    const auto with_index = [&](const auto* index) {
        if (read.single) with_types(index, static_cast<const float*>(read.values));
        else with_types(index, static_cast<const double*>(read.values));
    };
    if (read.wide_indices) with_index(static_cast<const std::int64_t*>(read.indices));
    else with_index(static_cast<const std::int32_t*>(read.indices));
}

// (1 + ln((1 + n) / (1 + rows with the column)))^2 of each column: the square of its inverse document frequency, rounded
// so that it does not depend on the last bit of the machine's logarithm.
auto squared_rarities(const PyRows& rows, std::size_t columns) {
    double* square;
    auto result = new_array<double, nb::memview>(columns, square);
    const std::size_t count = rows.checked().count;
    each_entry(rows, columns, count, [&](std::size_t column, double) { ++square[column]; });
    for (std::size_t j = 0; j < columns; ++j) {
        const double rarity = 1.0 + std::round(std::log(static_cast<double>(1 + count) / (1.0 + square[j])) * 0x1p10) * 0x1p-10;
        square[j] = rarity * rarity;
    }
    return result;
}

// The sum of squares[column] x^2 over the first rows.
double weighted_squares(const PyRows& rows, std::size_t count, const In<double>& squares) {
    double sum = 0.0;
    each_entry(rows, squares.shape(0), std::min(count, rows.checked().count), [&](std::size_t column, double x) { sum += squares.data()[column] * (x * x); });
    return sum;
}

// Lets a learner by arow begin with these variances, as if each column were multiplied by the root of its variance.
void start_variances(CompactLearner& learner, const In<double>& variances) {
    if (learner.columns) learner.grow_to_columns();
    if (variances.shape(0) > learner.features || learner.rule.rate != Rate::arow || learner.groups.front().t > 0)
        throw nb::value_error("only arow, before its first example, takes variances for its features");
    for (std::size_t j = 0; j < variances.shape(0); ++j)
        if (!(variances.data()[j] >= 0.0 && variances.data()[j] <= std::numeric_limits<double>::max())) throw nb::value_error("a variance is a finite number of at least 0");
    for (Group& group : learner.groups)
        for (std::size_t j = 0; j < variances.shape(0); ++j)
            for (std::size_t u = 0; u < group.width; ++u) group.scale.feature[j * group.width + u] = variances.data()[j];
    measure_variances(learner);
}

// The score of each unit for an example without features: the logarithm of the weight of the second class over that of
// the first, or of each class over the geometric mean. Each class counts one example more, and the result is rounded, as
// above.
auto log_odds(const In<std::int32_t>& labels, std::size_t classes, const std::optional<In<double>>& weights) {
    if (weights && weights->shape(0) != labels.shape(0)) throw nb::value_error("expected one weight for each label");
    std::vector<double> total(classes, 1.0);
    for (std::size_t i = 0; i < labels.shape(0); ++i) total.at(static_cast<std::size_t>(labels.data()[i])) += weights ? weights->data()[i] : 1.0;
    double mean = 0.0;
    for (double& part : total) mean += (part = std::log(part)) / static_cast<double>(classes);
    const std::size_t units = classes == 2 ? 1 : classes;
    double* odds;
    auto result = new_array<double, nb::memview>(units, odds);
    for (std::size_t k = 0; k < units; ++k) odds[k] = std::round((classes == 2 ? total[1] - total[0] : total[k] - mean) * 0x1p10) * 0x1p-10;
    return result;
}

// The same for each label of sets: the logarithm of the weight of the examples with it over that of the others.
auto label_log_odds(const LabelSets& sets, const In<std::int32_t>& labels, const std::optional<In<double>>& weights) {
    if (weights && weights->shape(0) != labels.shape(0)) throw nb::value_error("expected one weight for each label");
    if (!all_below(labels, sets.size())) throw nb::value_error("a label is not the index of a set");
    double* odds;
    auto result = new_array<double, nb::memview>(sets.labels(), odds);
    for (std::size_t k = 0; k < sets.labels(); ++k) {
        double total[2] = {1.0, 1.0};
        for (std::size_t i = 0; i < labels.shape(0); ++i)
            total[sets.has(static_cast<std::size_t>(labels.data()[i]), k)] += weights ? weights->data()[i] : 1.0;
        odds[k] = std::round((std::log(total[1]) - std::log(total[0])) * 0x1p10) * 0x1p-10;
    }
    return result;
}

// Lets a learner that has not learned yet begin with these biases.
void start_biases(CompactLearner& learner, const In<double>& biases) {
    if (biases.shape(0) != learner.rule.unit_count() || learner.groups.front().t > 0)
        throw nb::value_error("only a learner before its first example takes a bias for each of its units");
    for (Group& group : learner.groups)
        for (std::size_t u = 0; u < group.units; ++u) {
            group.weights.bias[u] = biases.data()[group.first + u] + 0.0;  // never -0
            group.raise_bound(u, std::fabs(group.weights.bias[u]));
        }
}

// (weights of each unit, biases, how often all rows were visited) of regularised logistic regression, begun at these weights.
nb::tuple logistic_minimum(const PyRows& py_rows, const In<std::uint32_t>& order, const In<std::int32_t>& labels,
                           const std::optional<In<double>>& sample_weight, std::size_t classes, double alpha, std::size_t steps,
                           const std::optional<InMatrix>& start, const In<double>& start_bias) {
    const Rows rows = py_rows.readable();
    const std::size_t features = rows.features, units = classes == 2 ? 1 : classes;
    if (classes < 2 || !all_below(labels, classes)) throw nb::value_error("a label is not the index of a class");
    if (labels.shape(0) != rows.count || (sample_weight && sample_weight->shape(0) != rows.count)) throw nb::value_error("expected a label and a weight for each row");
    if (order.shape(0) == 0 || !all_below(order, rows.count)) throw nb::value_error("order must name existing rows");
    if (!(alpha >= 0.0 && alpha <= std::numeric_limits<double>::max())) throw nb::value_error("alpha is a finite number of at least 0");
    if ((start && (start->shape(0) != units || start->shape(1) != features)) || start_bias.shape(0) != units)
        throw nb::value_error("expected the weights and the bias of each unit");
    Examples examples;
    examples.rows = rows;
    examples.labels = labels.data();
    examples.classes = classes;
    examples.sample_weight = sample_weight ? sample_weight->data() : nullptr;
    examples.order = order.data();
    examples.count = order.shape(0);
    std::vector<double> weights(units * (features + 1));
    for (std::size_t u = 0; u < units; ++u) {
        if (start) std::copy_n(start->data() + u * features, features, &weights[u * (features + 1)]);
        weights[u * (features + 1) + features] = start_bias.data()[u];
    }
    double *coef, *bias;
    auto coefs = new_matrix<double, nb::memview>(units, features, coef);
    auto biases = new_array<double, nb::memview>(units, bias);
    std::size_t visits;
    {
        nb::gil_scoped_release free;
        visits = native().learn->minimise_logistic(examples, alpha, steps, weights.data());
    }
    for (std::size_t u = 0; u < units; ++u) {
        std::copy_n(&weights[u * (features + 1)], features, coef + u * features);
        bias[u] = weights[u * (features + 1) + features];
    }
    return nb::make_tuple(coefs, biases, visits);
}

Examples examples_of(const PyRows& py_rows, const In<std::uint32_t>& order, const In<double>& targets,
                     const std::optional<In<double>>& sample_weight) {
    Examples examples;
    examples.rows = py_rows.readable();
    if (targets.shape(0) != examples.rows.count || (sample_weight && sample_weight->shape(0) != examples.rows.count))
        throw nb::value_error("expected a target and a weight for each row");
    if (order.shape(0) == 0 || !all_below(order, examples.rows.count)) throw nb::value_error("order must name existing rows");
    examples.sample_weight = sample_weight ? sample_weight->data() : nullptr;
    examples.order = order.data();
    examples.count = order.shape(0);
    return examples;
}

// What squared_minimum needs of these rows in place of visiting them again and again.
auto column_products(const PyRows& rows, const In<std::uint32_t>& order, const In<double>& targets,
                     const std::optional<In<double>>& sample_weight) {
    const Examples examples = examples_of(rows, order, targets, sample_weight);
    double* products;
    auto matrix = new_matrix<double, nb::memview>(examples.rows.features + 2, examples.rows.features + 1, products);
    {
        nb::gil_scoped_release free;
        native().learn->column_products(examples, targets.data(), products);
    }
    return matrix;
}

// (weights, bias, how often all rows or products were visited) of ridge regression, begun at these weights.
nb::tuple squared_minimum(const PyRows& rows, const In<std::uint32_t>& order, const In<double>& targets,
                          const std::optional<In<double>>& sample_weight, double alpha, std::size_t steps, const std::optional<In<double>>& start,
                          double start_bias, const std::optional<InMatrix>& products) {
    const Examples examples = examples_of(rows, order, targets, sample_weight);
    const std::size_t features = examples.rows.features;
    if (!(alpha >= 0.0 && alpha <= std::numeric_limits<double>::max())) throw nb::value_error("alpha is a finite number of at least 0");
    if (start && start->shape(0) != features) throw nb::value_error("expected a weight for each feature");
    if (products && (products->shape(0) != features + 2 || products->shape(1) != features + 1)) throw nb::value_error("expected the products of these columns");
    std::vector<double> weights(features + 1);
    if (start) std::copy_n(start->data(), features, weights.data());
    weights[features] = start_bias;
    double *coef, *bias;
    auto coefs = new_matrix<double, nb::memview>(1, features, coef);
    auto biases = new_array<double, nb::memview>(1, bias);
    std::size_t visits;
    {
        nb::gil_scoped_release free;
        visits = native().learn->minimise_squared(examples, targets.data(), products ? products->data() : nullptr, alpha, steps, weights.data());
    }
    std::copy_n(weights.data(), features, coef);
    *bias = weights[features];
    return nb::make_tuple(coefs, biases, visits);
}

}  // namespace

void bind_cross_validation(Module& m) {
    m.def("stratified_folds", &stratified_folds, "labels"_a, "classes"_a, "folds"_a, "wanted"_a, "state"_a);
    m.def("shuffled", &shuffled, "rows"_a, "state"_a);
    m.def("squared_rarities", &squared_rarities, "rows"_a, "columns"_a);
    m.def("weighted_squares", &weighted_squares, "rows"_a, "count"_a, "squares"_a);
    m.def("start_variances", changing(&start_variances), "learner"_a, "variances"_a);
    m.def("log_odds", &log_odds, "labels"_a, "classes"_a, "weights"_a.none());
    m.def("label_log_odds", &label_log_odds, "sets"_a, "labels"_a, "weights"_a.none());
    m.def("start_biases", changing(&start_biases), "learner"_a, "biases"_a);
    m.def("logistic_minimum", &logistic_minimum, "rows"_a, "order"_a, "labels"_a, "sample_weight"_a.none(), "classes"_a, "alpha"_a,
          "steps"_a, "start"_a.none(), "start_bias"_a);
    m.def("column_products", &column_products, "rows"_a, "order"_a, "targets"_a, "sample_weight"_a.none());
    m.def("squared_minimum", &squared_minimum, "rows"_a, "order"_a, "targets"_a, "sample_weight"_a.none(), "alpha"_a, "steps"_a,
          "start"_a.none(), "start_bias"_a, "products"_a.none() = nb::none());
    m.def("judge_labels", &judge_labels, "scores"_a, "sets"_a, "labels"_a, "rows"_a, "weights"_a.none());
    m.def("judge", &judge, "scores"_a, "labels"_a, "rows"_a, "weights"_a.none(), "as_they_are"_a = false);
}

}  // namespace rosenblatt
