// The door to Python: arrays come in as they lie, the interpreter's lock is released while learning.
#include <chrono>
#include <optional>
#include <string>

#include <nanobind/stl/shared_ptr.h>

#include "bind/bind.hpp"
#include "learn/online.hpp"
#include "core/random.hpp"
#include "learn/save_restore.hpp"

namespace rosenblatt {
namespace {

void new_learner(CompactLearner* at, std::size_t features, const std::string& loss, const std::string& rate,
                     const std::string& scheme, double eta0, double margin, double r, std::int64_t batch, bool intercept,
                     bool average, bool pocket, bool record, const In<double>& class_weight, bool unit_major,
                     std::shared_ptr<Columns> columns) {
    Rule rule;
    rule.loss = one_of<Loss>(loss, {"perceptron", "hinge", "logistic", "squared"});
    rule.rate = one_of<Rate>(rate, {"constant", "inverse", "invsqrt", "adagrad", "pa1", "pa2", "arow"});
    rule.scheme = one_of<Scheme>(scheme, {"binary", "ovr", "ovo", "joint"});
    rule.eta0 = eta0;
    rule.margin = margin;
    rule.r = r;
    rule.batch = batch <= 0 ? full_batch : static_cast<std::uint64_t>(batch);
    rule.classes = class_weight.shape(0);
    rule.intercept = intercept;
    rule.average = average;
    rule.pocket = pocket;
    rule.record = record;
    new (at) CompactLearner(rule, columns ? 0 : features, {class_weight.data(), class_weight.data() + rule.classes}, unit_major);
    at->columns = std::move(columns);
    at->declare(features);
}

// Reads all of them: the vectorised loop is faster than one that stops at the first that is not.
template <class T>
bool all_below(const In<T>& numbers, std::size_t limit) {
    const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(limit, UINT32_MAX));
    std::uint32_t beyond = 0;
    for (std::size_t i = 0; i < numbers.shape(0); ++i) beyond |= static_cast<std::uint32_t>(numbers.data()[i]) >= most;
    return beyond == 0;
}

Examples examples_of(const HeldRows& rows, const In<std::int32_t>& labels, const std::optional<In<double>>& sample_weight,
                     const std::optional<In<std::uint32_t>>& order, const std::optional<In<std::uint32_t>>& training) {
    if (labels.shape(0) != rows.count || (sample_weight && sample_weight->shape(0) != rows.count))
        throw nb::value_error("labels and sample weights must be as many as the rows");
    for (const auto& which : {order, training})
        if (which && !all_below(*which, rows.count)) throw nb::value_error("order names a row that is not there");
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

void check_labels(const CompactLearner& learner, const HeldRows& rows, const In<std::int32_t>& labels) {
    // A stream that grew knows more features than a part of it has.
    const bool known = rows.sparse ? rows.features <= learner.declared_features : !learner.columns && rows.features == learner.features;
    if (!known || !all_below(labels, learner.rule.classes))
        throw nb::value_error("a label is not the index of a class, or the rows have other features");
}

// The rows as a learner reads them: as they are, or compacted, once for all learners that share their columns. Another
// thread may compact them for other learners meanwhile, so this keeps what it uses alive.
struct LearnerRows {
    LearnerRows(CompactLearner& learner, const HeldRows& given) : rows(given) {
        if (!learner.columns) return;
        if (!given.compact || given.compact->columns != learner.columns) given.compact = std::make_shared<CompactRows>(learner.columns, given);
        compact = given.compact;
        rows = compact->rows;
        learner.grow_to_columns();
    }
    std::shared_ptr<const CompactRows> compact;
    Rows rows;
};

// Rows between two checks of the clock: a few milliseconds of work.
std::size_t chunk_of(const Examples& examples, const std::vector<Learner*>& learners) {
    std::size_t units = 0;
    bool pocket = false;
    for (const Learner* learner : learners) {
        units += learner->sign_stride;
        pocket = pocket || learner->rule.pocket;
    }
    const std::size_t row = examples.rows.entries() / std::max<std::size_t>(1, examples.rows.count) + 16;
    return std::max<std::size_t>(1, (std::size_t{1} << (pocket ? 18 : 26)) / (row * units));
}

// Learns positions from..to-1. Returns where it stopped, and the exception that a signal raised there, if one did.
nb::tuple learn(const std::vector<CompactLearner*>& given, const HeldRows& rows, const In<std::int32_t>& labels,
                const std::optional<In<double>>& sample_weight, const std::optional<In<std::uint32_t>>& order,
                const std::optional<In<std::uint32_t>>& training, std::size_t from, std::size_t to, int threads) {
    using clock = std::chrono::steady_clock;
    Examples examples = examples_of(rows, labels, sample_weight, order, training);
    std::vector<Learner*> learners;
    std::optional<LearnerRows> read;
    for (CompactLearner* learner : given) {
        check_labels(*learner, rows, labels);
        if (learner->columns != given.front()->columns) throw nb::value_error("learners of one pass share their columns");
        examples.rows = read.emplace(*learner, rows).rows;
        learners.push_back(learner);
    }
    if (to > examples.count) throw nb::value_error("there are not so many examples to visit");
    const std::size_t chunk = chunk_of(examples, learners);
    auto checked = clock::now();
    while (from < to) {
        const std::size_t next = std::min(to, from + chunk);
        {
            nb::gil_scoped_release free;
            native().learn->pass(examples, learners, from, next, threads);
        }
        from = next;
        if (from < to && clock::now() - checked < std::chrono::milliseconds(50)) continue;
        checked = clock::now();
        if (PyErr_CheckSignals() != 0) {
            nb::python_error raised;
            return nb::make_tuple(from, raised.value());
        }
    }
    return nb::make_tuple(from, nb::none());
}

std::uint64_t count_mistakes(CompactLearner& learner, const HeldRows& rows, const In<std::int32_t>& labels,
                             const std::optional<In<double>>& sample_weight,
                             const std::optional<In<std::uint32_t>>& training) {
    Examples examples = examples_of(rows, labels, sample_weight, {}, training);
    check_labels(learner, rows, labels);
    const LearnerRows read(learner, rows);
    examples.rows = read.rows;
    nb::gil_scoped_release free;
    return native().learn->mistakes(examples, learner);
}

void pocket_clean(CompactLearner& learner, const HeldRows& rows, const In<std::int32_t>& labels,
                 const std::optional<In<double>>& sample_weight, const std::optional<In<std::uint32_t>>& training,
                 const std::vector<std::uint64_t>& mistakes) {
    Examples examples = examples_of(rows, labels, sample_weight, {}, training);
    check_labels(learner, rows, labels);
    const LearnerRows read(learner, rows);
    examples.rows = read.rows;
    if (mistakes.size() != learner.rule.unit_count()) throw nb::value_error("one number of mistakes a unit");
    nb::gil_scoped_release free;
    native().learn->pocket_clean(examples, learner, mistakes);
}

auto score_rows(const HeldRows& rows, const std::optional<In<std::uint32_t>>& order, const InMatrix& weights,
                const In<double>& bias) {
    const std::size_t count = order ? order->shape(0) : rows.count, units = weights.shape(0);
    if (weights.shape(1) != rows.features || bias.shape(0) != units) throw nb::value_error("weights of another shape");
    double* scores;
    auto result = give(count, units, scores);
    nb::gil_scoped_release free;
    native().learn->scores(rows, order ? order->data() : nullptr, 0, count, weights.data(), bias.data(), units, scores);
    return result;
}

// A learner with compact columns is not changed by it: other threads may be scoring by it.
auto learner_scores(const CompactLearner& learner, const HeldRows& rows) {
    if (rows.features > learner.declared_features) throw nb::value_error("the rows have more features than the learner");
    double* scores;
    auto result = give<double, nb::memview>(rows.count, learner.rule.unit_count(), scores);
    std::optional<CompactRows> compact;
    if (learner.columns) compact.emplace(*learner.columns, rows.sparse ? CompactRows::ColumnSlots() : learner.column_slots(), learner.features, rows);
    nb::gil_scoped_release free;
    native().learn->learner_scores(learner, compact ? compact->rows : static_cast<const Rows&>(rows), scores);
    return result;
}

auto make_order(std::uint64_t state, std::size_t n, bool replace) {
    Random random{state};
    std::uint32_t* order;
    auto result = give(n, order);
    if (replace) {
        random.sample(order, n, n);
    } else {
        for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i);
        native().rows->shuffle(random, order, n);
    }
    return std::make_pair(result, random.state);
}

auto make_uniform(std::uint64_t state, std::size_t n) {
    Random random{state};
    double* u;
    auto result = give(n, u);
    for (std::size_t i = 0; i < n; ++i) u[i] = random.uniform();
    return std::make_pair(result, random.state);
}

std::size_t entries_of(const In<std::int64_t>& index, const In<double>& value) {
    if (index.shape(0) != value.shape(0)) throw nb::value_error("indices and values differ in length");
    return value.shape(0);
}

}  // namespace

NB_MODULE(_native, m) {
    nb::set_leak_warnings(false);  // an interpreter that ends keeps what a thread or a cycle still holds; that is no fault
    if (const char* wanted = std::getenv("ROSENBLATT_ISA"); wanted && *wanted && !use_instruction_set(wanted)) {
        std::string known;
        for (const char* name : instruction_sets()) known += std::string(known.empty() ? "" : ", ") + name;
        throw nb::import_error(("ROSENBLATT_ISA=" + std::string(wanted) + " is not among the instruction sets of this machine: " + known).c_str());
    }
    m.def("instruction_set", [] { return std::string(native().name); });
    m.def("instruction_sets", [] {
        std::vector<std::string> names;
        for (const char* name : instruction_sets()) names.emplace_back(name);
        return names;
    });

    bind_rows(m);
    bind_memory(m);
    nb::class_<Columns>(m, "Columns").def(nb::init<>());
    auto learner = nb::class_<CompactLearner>(m, "Learner");
    bind_state(learner);
    learner
        .def("__init__", &new_learner, nb::kw_only(), "features"_a, "loss"_a, "learning_rate"_a, "scheme"_a, "eta0"_a, "margin"_a, "r"_a, "batch"_a,
             "fit_intercept"_a, "average"_a, "pocket"_a, "record"_a, "class_weight"_a, "apart"_a, "columns"_a.none() = nb::none())
        .def_prop_ro("features", [](const CompactLearner& learner) { return learner.declared_features; })
        .def_prop_ro("units", [](const CompactLearner& learner) { return learner.rule.unit_count(); })
        .def_prop_ro("t", [](const CompactLearner& learner) { return learner.groups.front().t; })
        .def_prop_ro("mistakes", [](const CompactLearner& learner) { return mistakes_made(learner); })
        .def("judge", [](CompactLearner& learner, bool wanted) { learner.measures_error = wanted; }, "wanted"_a)
        .def_prop_ro("wrong", [](const CompactLearner& learner) { return learner.wrong_weight; })
        .def_prop_ro("weighed", [](const CompactLearner& learner) { return learner.total_weight; })
        .def("grow", &CompactLearner::declare, "features"_a)
        .def("scores", &learner_scores, "rows"_a)
        .def("end_batch", [](CompactLearner& learner) { native().learn->end_batch(learner); })
        .def("may_overflow", [](const CompactLearner& learner, double rows, double largest, double heaviest) {
            return may_overflow(learner, rows, largest, heaviest);
        }, "rows"_a, "largest"_a, "heaviest"_a)
        .def("copy", [](const CompactLearner& learner) { return CompactLearner(learner); })
        .def("learn_dense", [](CompactLearner& learner, const In<double>& x, bool positive, double weight) {
            return learn_one(learner, dense_row(x.data(), x.shape(0)), positive, weight);
        }, "x"_a, "positive"_a, "weight"_a)
        .def("learn_sparse", [](CompactLearner& learner, const In<std::int64_t>& index, const In<double>& value, bool positive, double weight,
                                std::size_t limit) {
            return learn_one(learner, OneSparseRow(index.data(), value.data(), entries_of(index, value), limit), positive, weight);
        }, "indices"_a, "values"_a, "positive"_a, "weight"_a, "limit"_a)
        .def("score_dense", [](const CompactLearner& learner, const In<double>& x, bool average) {
            return score_one(learner, dense_row(x.data(), x.shape(0)), average);
        }, "x"_a, "average"_a)
        .def("score_sparse", [](const CompactLearner& learner, const In<std::int64_t>& index, const In<double>& value, bool average,
                                std::size_t limit) {
            return score_one(learner, OneSparseRow(index.data(), value.data(), entries_of(index, value), limit), average);
        }, "indices"_a, "values"_a, "average"_a, "limit"_a);

    m.def("learn", &learn, "learners"_a, "rows"_a, "labels"_a, "sample_weight"_a.none(), "order"_a.none(),
          "training"_a.none(), "start"_a, "stop"_a, "threads"_a);
    m.def("mistakes", &count_mistakes, "learner"_a, "rows"_a, "labels"_a, "sample_weight"_a.none(), "training"_a.none());
    m.def("judge_clean", &pocket_clean, "learner"_a, "rows"_a, "labels"_a, "sample_weight"_a.none(), "training"_a.none(),
          "mistakes"_a);
    m.def("scores", &score_rows, "rows"_a, "order"_a.none(), "weights"_a, "bias"_a);
    m.def("order", &make_order, "state"_a, "n"_a, "replace"_a);
    m.def("uniform", &make_uniform, "state"_a, "n"_a);
    bind_words(m);
    bind_dual(m);
    bind_certify(m);
    bind_parse(m);
    bind_stream(m);
    bind_panel(m);
}

}  // namespace rosenblatt
