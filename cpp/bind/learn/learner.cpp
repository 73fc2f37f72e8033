// The learner: making one, learning and scoring with it, a block or a row at a time.
#include <chrono>
#include <limits>
#include <optional>
#include <string>

#include <nanobind/stl/shared_ptr.h>

#include "bind/learn/learner_access.hpp"
#include "isa/dispatch.hpp"
#include "learn/function_table.hpp"
#include "learn/one_row.hpp"
#include "learn/state/save_restore.hpp"

namespace rosenblatt {

void bind_learner_state(Class<CompactLearner>& learner);

namespace {

void new_learner(CompactLearner* at, std::size_t features, const std::string& loss, const std::string& rate,
                 const std::string& scheme, double eta0, double margin, double r, double alpha, double l1, double decay, std::int64_t batch, bool intercept,
                 bool average, bool pocket, bool record, const In<double>& class_weight, bool unit_major,
                 std::shared_ptr<Columns> columns, const std::vector<double>& quantiles, double width) {
    Rule rule;
    rule.loss = one_of<Loss>(loss, {"perceptron", "hinge", "logistic", "squared", "absolute", "quantile", "huber"});
    rule.rate = one_of<Rate>(rate, {"constant", "inverse", "invsqrt", "adagrad", "pa1", "pa2", "arow", "invariant"});
    rule.scheme = one_of<Scheme>(scheme, {"binary", "ovr", "ovo", "joint", "multi-label", "number"});
    rule.eta0 = eta0;
    rule.margin = margin;
    rule.r = r;
    rule.alpha = alpha;
    rule.l1 = l1;
    rule.decay = decay;
    rule.batch = batch <= 0 ? full_batch : static_cast<std::uint64_t>(batch);
    rule.classes = class_weight.shape(0);
    rule.intercept = intercept;
    rule.average = average;
    rule.pocket = pocket;
    rule.record = record;
    rule.width = width;
    new (at) CompactLearner(rule, columns ? 0 : features, {class_weight.data(), class_weight.data() + rule.classes}, unit_major, quantiles);
    at->columns = std::move(columns);
    at->declare(features);
}

Examples examples_of(const Rows& rows, const In<std::int32_t>& labels, const std::optional<In<double>>& sample_weight,
                     const std::optional<In<std::uint32_t>>& order, const std::optional<In<std::uint32_t>>& training) {
    if (labels.shape(0) != rows.count || (sample_weight && sample_weight->shape(0) != rows.count))
        throw value_error("expected one label and one sample weight for each of " + std::to_string(rows.count) + " rows");
    for (const auto& positions : {order, training})
        if (positions && !all_below(*positions, rows.count)) throw nb::value_error("order and training must name existing rows");
    Examples examples;
    examples.rows = rows;
    examples.labels = labels.data();
    examples.sample_weight = sample_weight ? sample_weight->data() : nullptr;
    examples.order = order ? order->data() : nullptr;
    examples.count = order ? order->shape(0) : rows.count;
    examples.training = training ? training->data() : nullptr;
    examples.training_count = training ? training->shape(0) : rows.count;
    return examples;
}

// For targets that are numbers: squares and sums of smaller ones stay finite.
constexpr double largest_target = 1e100;

const double* checked_targets(const std::optional<In<double>>& targets, const Rows& rows) {
    if (!targets) return nullptr;
    if (targets->shape(0) != rows.count) throw value_error("expected one target for each of " + std::to_string(rows.count) + " rows");
    for (std::size_t row = 0; row < rows.count; ++row)
        if (!(std::fabs(targets->data()[row]) <= largest_target))
            throw value_error("the target of row " + std::to_string(row) + " is not a number between -1e100 and 1e100");
    return targets->data();
}

void check_examples(const CompactLearner& learner, const Rows& rows, const In<std::int32_t>& labels) {
    if (learner.columns && !rows.sparse) throw nb::value_error("a learner with compact columns needs sparse rows");
    // Sparse rows may have fewer features: a stream grows.
    if (rows.sparse ? rows.features > learner.declared_features : rows.features != learner.features)
        throw value_error("the learner has " + std::to_string(learner.declared_features) + " features, the rows have " + std::to_string(rows.features));
    if (learner.rule.scheme == Scheme::multi_label && !learner.label_sets) throw nb::value_error("a learner of several labels needs their sets");
    if (!all_below(labels, learner.label_count())) throw nb::value_error("a label is not the index of a class");
}

// The rows as a learner reads them: as they are, or by compact columns, converted once for all learners that share these.
// Another thread may convert the same rows for other learners meanwhile, so this keeps its own reference.
struct LearnerRows {
    LearnerRows(CompactLearner& learner, const PyRows& original) : rows(original.readable()) {
        if (!learner.columns) return;
        if (!original.compact || original.compact->columns != learner.columns)
            original.compact = std::make_shared<CompactRows>(learner.columns, rows);
        compact = original.compact;
        rows = compact->rows;
        learner.grow_to_columns();
    }
    std::shared_ptr<const CompactRows> compact;
    Rows rows;
};

// Rows between two checks for signals: a few milliseconds of work.
std::size_t rows_between_checks(const Examples& examples, const std::vector<Learner*>& learners) {
    std::size_t units = 0;
    bool pocket = false;
    for (const Learner* learner : learners) {
        units += learner->sign_stride;
        pocket = pocket || learner->rule.pocket;
    }
    const std::size_t row_cost = examples.rows.entries() / std::max<std::size_t>(1, examples.rows.count) + 16;
    return std::max<std::size_t>(1, (std::size_t{1} << (pocket ? 18 : 26)) / (row_cost * units));
}

// Visits positions from..to-1. (where it stopped, the exception that a signal raised there or None)
nb::tuple learn(const std::vector<CompactLearner*>& py_learners, const PyRows& py_rows, const In<std::int32_t>& labels,
                const std::optional<In<double>>& sample_weight, const std::optional<In<std::uint32_t>>& order,
                const std::optional<In<std::uint32_t>>& training, std::size_t from, std::size_t to, int threads,
                const std::optional<In<double>>& targets) {
    using clock = std::chrono::steady_clock;
    const Rows& rows = py_rows.checked();
    Examples examples = examples_of(rows, labels, sample_weight, order, training);
    examples.targets = checked_targets(targets, rows);
    const Pass pass(py_learners);
    std::vector<Learner*> learners;
    std::optional<LearnerRows> learner_rows;
    for (CompactLearner* learner : py_learners) {
        const auto lock = locked<std::unique_lock<Access>>(learner->access);
        check_examples(*learner, rows, labels);
        if (learner->predicts_number() != (examples.targets != nullptr)) throw nb::value_error("a learner of numbers needs targets, and no other takes them");
        if (learner->columns != py_learners.front()->columns) throw nb::value_error("learners of one pass must share their columns");
        examples.rows = learner_rows.emplace(*learner, py_rows).rows;
        examples.classes = learners.empty() ? learner->label_count() : std::min(examples.classes, learner->label_count());
        learners.push_back(learner);
    }
    if (to > examples.count)
        throw value_error("stop is " + std::to_string(to) + ", but there are " + std::to_string(examples.count) + " examples to visit");
    const std::size_t step = rows_between_checks(examples, learners);
    auto last_check = clock::now();
    while (from < to) {
        const std::size_t next = std::min(to, from + step);
        {
            examples.rows.private_indices = learner_rows->compact || py_rows.readable().private_indices;
            const WithoutGil free;
            const auto locks = pass.lock();
            native().learn->pass(examples, learners, from, next, threads);
        }
        from = next;
        if (from < to && clock::now() - last_check < std::chrono::milliseconds(50)) continue;
        last_check = clock::now();
        if (PyErr_CheckSignals() != 0) {
            nb::python_error raised;
            return nb::make_tuple(from, raised.value());
        }
    }
    return nb::make_tuple(from, nb::none());
}

std::uint64_t count_mistakes(CompactLearner& learner, const PyRows& rows, const In<std::int32_t>& labels,
                             const std::optional<In<double>>& sample_weight,
                             const std::optional<In<std::uint32_t>>& training) {
    Examples examples = examples_of(rows.checked(), labels, sample_weight, {}, training);
    check_examples(learner, rows.checked(), labels);
    const LearnerRows learner_rows(learner, rows);
    examples.rows = learner_rows.rows;
    examples.classes = learner.label_count();
    const WithoutGil free;
    return native().learn->mistakes(examples, learner);
}

void pocket_clean(CompactLearner& learner, const PyRows& rows, const In<std::int32_t>& labels,
                 const std::optional<In<double>>& sample_weight, const std::optional<In<std::uint32_t>>& training,
                 const std::vector<std::uint64_t>& mistakes) {
    Examples examples = examples_of(rows.checked(), labels, sample_weight, {}, training);
    check_examples(learner, rows.checked(), labels);
    const LearnerRows learner_rows(learner, rows);
    examples.rows = learner_rows.rows;
    examples.classes = learner.label_count();
    if (mistakes.size() != learner.rule.unit_count())
        throw value_error("expected the mistakes of " + std::to_string(learner.rule.unit_count()) + " units, found " + std::to_string(mistakes.size()));
    const WithoutGil free;
    native().learn->pocket_clean(examples, learner, mistakes);
}

auto score_rows(const PyRows& py_rows, const std::optional<In<std::uint32_t>>& order, const InMatrix& weights,
                const In<double>& bias) {
    const Rows rows = py_rows.readable();
    const std::size_t count = order ? order->shape(0) : rows.count, units = weights.shape(0);
    if (weights.shape(1) != rows.features || bias.shape(0) != units)
        throw value_error("expected weights of " + std::to_string(rows.features) + " features and one bias for each unit");
    if (order && !all_below(*order, rows.count)) throw nb::value_error("order must name existing rows");
    double* scores;
    auto result = new_matrix(count, units, scores);
    const WithoutGil free;
    native().learn->scores(rows, order ? order->data() : nullptr, 0, count, weights.data(), bias.data(), units, scores);
    return result;
}

// A learner with compact columns is not changed: other threads may be reading it.
auto learner_scores(const CompactLearner& learner, const PyRows& py_rows, const std::optional<In<std::uint32_t>>& order) {
    const Rows rows = py_rows.readable();
    if (rows.features > learner.declared_features)
        throw value_error("the learner has " + std::to_string(learner.declared_features) + " features, the rows have " + std::to_string(rows.features));
    if (order && !all_below(*order, rows.count)) throw nb::value_error("order must name existing rows");
    double* scores;
    const std::size_t count = order ? order->shape(0) : rows.count;
    auto result = new_matrix<double, nb::memview>(count, learner.rule.unit_count(), scores);
    std::size_t left_out = 0;
    {
        const WithoutGil free;
        std::shared_ptr<const CompactRows> compact;
        if (learner.columns) {
            if (py_rows.compact && py_rows.compact->columns == learner.columns && learner.features >= learner.columns->size()) compact = py_rows.compact;
            else compact = std::make_shared<CompactRows>(*learner.columns, rows.sparse ? CompactRows::ColumnSlots() : learner.column_slots(), learner.features, rows);
            left_out = compact->left_out;
        }
        native().learn->learner_scores(learner, compact ? compact->rows : rows, order ? order->data() : nullptr, count, scores);
    }
    if (learner.columns && rows.sparse) py_rows.left_out = left_out;
    return result;
}

// The sum of x^2 over the entries of each row whose column the learner has never met.
std::vector<double> squares_of_unknown(const CompactLearner& learner, const Rows& rows) {
    std::vector<double> sums(rows.count, 0.0);
    const auto with_types = [&](const auto* index, const auto* value) {
        for (std::size_t row = 0; row < rows.count; ++row) {
            const auto [from, to] = rows.entries_of(row);
            for (std::size_t k = from; k < to; ++k) {
                const std::int64_t slot = learner.columns->find(static_cast<std::size_t>(rows.column_of(index + k)));
                const auto x = static_cast<double>(value[k]);
                if (slot < 0 || slot >= static_cast<std::int64_t>(learner.features)) sums[row] += x * x;
            }
        }
    };
    const auto with_index = [&](const auto* index) {
        if (rows.single) with_types(index, static_cast<const float*>(rows.values));
        else with_types(index, static_cast<const double*>(rows.values));
    };
    if (rows.wide_indices) with_index(static_cast<const std::int64_t*>(rows.indices));
    else with_index(static_cast<const std::int32_t*>(rows.indices));
    return sums;
}

// variances[row][unit] of the scores of a learner by arow. A column that it has never met has the variance that every column
// begins with.
auto score_variances(const CompactLearner& learner, const PyRows& py_rows) {
    const Rows rows = py_rows.readable();
    if (learner.rule.rate != Rate::arow) throw nb::value_error("only a learner by arow has variances");
    if (rows.features > learner.declared_features) throw nb::value_error("the rows have more features than the learner");
    const std::size_t units = learner.rule.unit_count();
    double* variances;
    auto result = new_matrix<double, nb::memview>(rows.count, units, variances);
    const WithoutGil free;
    if (!learner.columns) {
        native().learn->learner_variances(learner, rows, variances);
        return result;
    }
    const CompactRows compact(*learner.columns, rows.sparse ? CompactRows::ColumnSlots() : learner.column_slots(), learner.features, rows);
    native().learn->learner_variances(learner, compact.rows, variances);
    if (!rows.sparse) return result;
    const std::vector<double> unknown = squares_of_unknown(learner, rows);
    for (std::size_t i = 0; i < rows.count * units; ++i) variances[i] += unknown[i / units];
    return result;
}

std::size_t entries_of(const In<std::int64_t>& indices, const In<double>& values) {
    if (indices.shape(0) != values.shape(0))
        throw value_error("expected as many values as indices, found " + std::to_string(values.shape(0)) + " and " + std::to_string(indices.shape(0)));
    return values.shape(0);
}

bool learn_dense(CompactLearner& learner, const In<double>& x, bool positive, double weight) {
    return learn_one(learner, dense_row(x.data(), x.shape(0)), positive, weight);
}

bool learn_sparse(CompactLearner& learner, const In<std::int64_t>& indices, const In<double>& values, bool positive, double weight,
                  std::size_t limit) {
    return learn_one(learner, OneSparseRow(indices.data(), values.data(), entries_of(indices, values), limit), positive, weight);
}

double score_dense(const CompactLearner& learner, const In<double>& x, bool average) {
    return score_one(learner, dense_row(x.data(), x.shape(0)), average);
}

double score_sparse(const CompactLearner& learner, const In<std::int64_t>& indices, const In<double>& values, bool average, std::size_t limit) {
    return score_one(learner, OneSparseRow(indices.data(), values.data(), entries_of(indices, values), limit), average);
}

void add_set(LabelSets& sets, const std::vector<std::uint32_t>& labels) {
    for (const std::uint32_t label : labels)
        if (label >= sets.labels()) throw value_error("there is no label " + std::to_string(label));
    sets.add(labels);
}

std::vector<std::size_t> members_of(const LabelSets& sets, std::size_t set) {
    if (set >= sets.size()) throw value_error("there is no set " + std::to_string(set));
    std::vector<std::size_t> members;
    for (std::size_t k = 0; k < sets.labels(); ++k)
        if (sets.has(set, k)) members.push_back(k);
    return members;
}

// How many examples have each label, from how many have each set.
std::vector<std::int64_t> label_counts(const LabelSets& sets, const std::vector<std::int64_t>& set_counts) {
    if (set_counts.size() > sets.size()) throw value_error("there are " + std::to_string(sets.size()) + " sets");
    std::vector<std::int64_t> counts(sets.labels());
    for (std::size_t set = 0; set < set_counts.size(); ++set)
        for (std::size_t k = 0; set_counts[set] && k < counts.size(); ++k) counts[k] += sets.has(set, k) ? set_counts[set] : 0;
    return counts;
}

// Whether each of these sets has a label: 0 or 1.
auto truth_of(const LabelSets& sets, const In<std::int32_t>& of_rows, std::size_t label) {
    if (label >= sets.labels() || !all_below(of_rows, sets.size())) throw nb::value_error("there is no such label or set");
    std::int32_t* truth;
    auto result = new_array<std::int32_t, nb::memview>(of_rows.shape(0), truth);
    for (std::size_t i = 0; i < of_rows.shape(0); ++i) truth[i] = sets.has(static_cast<std::size_t>(of_rows.data()[i]), label);
    return result;
}

}  // namespace

void bind_learner(Module& m) {
    Class<Columns>(m, "Columns")
        .def(nb::init<>())
        .def("__len__", &Columns::size)
        .def("add", [](std::shared_ptr<Columns> columns, const PyRows& rows) {
            rows.compact = std::make_shared<CompactRows>(std::move(columns), rows.checked());
        }, "rows"_a)
        .def("add_entries", [](Columns& columns, const In<std::uint32_t>& index, std::size_t features) {
            if (features == 0 || features > std::numeric_limits<std::int32_t>::max()) throw nb::value_error("features must be 1 to 2**31 - 1");
            for (std::size_t i = 0; i < index.shape(0); ++i) columns.slot_of(index.data()[i] % features);
        }, "index"_a, "features"_a);
    Class<LabelSets>(m, "LabelSets")
        .def("__init__", [](LabelSets* at, std::size_t labels) {
            if (labels == 0) throw nb::value_error("expected at least one label");
            new (at) LabelSets(labels);
        }, "labels"_a)
        .def("__len__", &LabelSets::size)
        .def_prop_ro("labels", &LabelSets::labels)
        .def("add", &add_set, "labels"_a)
        .def("grow", [](LabelSets& sets, std::size_t labels) {
            if (labels < sets.labels()) throw nb::value_error("the sets have more labels");
            sets.grow(labels);
        }, "labels"_a)
        .def("counts", &label_counts, "set_counts"_a)
        .def("members", &members_of, "set"_a)
        .def("truth", &truth_of, "sets"_a, "label"_a);
    auto learner = Class<CompactLearner>(m, "Learner");
    bind_learner_state(learner);
    learner
        .def("__init__", &new_learner, nb::kw_only(), "features"_a, "loss"_a, "learning_rate"_a, "scheme"_a, "eta0"_a, "margin"_a, "r"_a, "alpha"_a, "l1"_a, "decay"_a, "batch"_a,
             "fit_intercept"_a, "average"_a, "pocket"_a, "record"_a, "class_weight"_a, "unit_major"_a, "columns"_a.none() = nb::none(),
             "quantiles"_a = std::vector<double>(), "width"_a = 1.0)
        .def_prop_ro("features", reading(+[](const CompactLearner& learner) { return learner.declared_features; }))
        .def_prop_ro("units", [](const CompactLearner& learner) { return learner.rule.unit_count(); })
        .def_prop_ro("is_compact", [](const CompactLearner& learner) { return learner.columns != nullptr; })
        .def_prop_ro("t", reading(+[](const CompactLearner& learner) { return learner.groups.front().t; }))
        .def_prop_ro("mistakes", reading(+[](const CompactLearner& learner) { return mistakes_made(learner); }))
        .def("decide_about", changing(+[](CompactLearner& learner, std::shared_ptr<LabelSets> sets) {
            if (learner.rule.scheme != Scheme::multi_label || sets->labels() != learner.rule.classes) throw nb::value_error("these are not the labels of this learner");
            learner.decide_about(std::move(sets));
        }), "sets"_a)
        .def("count_errors", changing(+[](CompactLearner& learner, bool wanted) { learner.measures_error = wanted; }), "wanted"_a)
        .def_prop_ro("wrong", reading(+[](const CompactLearner& learner) { return learner.wrong_weight; }))
        .def_prop_ro("squared_error", reading(+[](const CompactLearner& learner) { return learner.squared_error; }))
        .def_prop_ro("absolute_error", reading(+[](const CompactLearner& learner) { return learner.absolute_error; }))
        .def_prop_ro("pinball_error", reading(+[](const CompactLearner& learner) { return learner.pinball_error; }))
        .def_prop_ro("weighed", reading(+[](const CompactLearner& learner) { return learner.total_weight; }))
        .def("grow", changing(+[](CompactLearner& learner, std::size_t features) { learner.declare(features); }), "features"_a)
        .def("scores", reading(&learner_scores), "rows"_a, "order"_a.none() = nb::none())
        .def("score_variances", reading(&score_variances), "rows"_a)
        .def("end_batch", changing(+[](CompactLearner& learner) { native().learn->end_batch(learner); }))
        .def("may_overflow", reading(+[](const CompactLearner& learner, double rows, double largest, double heaviest, double farthest) {
            return may_overflow(learner, rows, largest, heaviest, farthest);
        }), "rows"_a, "largest"_a, "heaviest"_a, "farthest"_a = 1.0)
        .def("copy", reading(+[](const CompactLearner& learner) { return CompactLearner(learner); }))
        .def("learn_dense", changing(&learn_dense), "x"_a, "positive"_a, "weight"_a)
        .def("learn_sparse", changing(&learn_sparse), "indices"_a, "values"_a, "positive"_a, "weight"_a, "limit"_a)
        .def("score_dense", reading(&score_dense), "x"_a, "average"_a)
        .def("score_sparse", reading(&score_sparse), "indices"_a, "values"_a, "average"_a, "limit"_a);

    m.def("learn", &learn, "learners"_a, "rows"_a, "labels"_a, "sample_weight"_a.none(), "order"_a.none(),
          "training"_a.none(), "start"_a, "stop"_a, "threads"_a, "targets"_a.none() = nb::none());
    m.def("mistakes", changing(&count_mistakes), "learner"_a, "rows"_a, "labels"_a, "sample_weight"_a.none(), "training"_a.none());
    m.def("pocket_clean", changing(&pocket_clean), "learner"_a, "rows"_a, "labels"_a, "sample_weight"_a.none(), "training"_a.none(),
          "mistakes"_a);
    m.def("scores", &score_rows, "rows"_a, "order"_a.none(), "weights"_a, "bias"_a);
}

}  // namespace rosenblatt
