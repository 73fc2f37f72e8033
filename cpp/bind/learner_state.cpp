// The state of a learner for Python: its weights, as memory that needs no numpy, and everything that is not a weight.
#include <bit>
#include <limits>

#include "bind/lines.hpp"
#include "learn/save_restore.hpp"

namespace rosenblatt {
namespace {

Part part_of(const std::string& name) {
    static constexpr Part parts[] = {&Group::weights, &Group::drift, &Group::scale, &Group::pending, &Group::pocket};
    return parts[one_of<std::size_t>(name, {"weights", "drift", "scale", "pending", "pocket"})];
}

// None where this learner has no such part.
nb::object get_part(const HeldLearner& learner, const std::string& name) {
    const Part part = part_of(name);
    if ((learner.groups.front().*part).empty()) return nb::none();
    double *weights, *bias;
    const std::size_t units = learner.rule.unit_count();
    auto matrix = give<double, nb::memview>(units, learner.told, weights);
    auto column = give<double, nb::memview>(units, bias);
    const double unmet = part == &Group::scale && learner.rule.rate == Rate::arow ? 1.0 : 0.0;
    learner.spread([&](double* w, double* b) { read_part(learner, part, w, b); }, unmet, weights, bias);
    return nb::make_tuple(matrix, column);
}

// Of a part whose columns are those met: which of all its numbers are not `usual` to the bit, these, and the biases. None where
// it has all columns, or writing all its numbers takes no more bytes.
nb::object get_few(const HeldLearner& learner, const std::string& name, double usual) {
    const Part part = part_of(name);
    const std::size_t units = learner.rule.unit_count(), all = learner.told;
    if (!learner.columns || (learner.groups.front().*part).empty() || units * all > std::numeric_limits<std::uint32_t>::max()) return nb::none();
    double* bias;
    const auto biases = give<double, nb::memview>(units, bias);
    Buffer weights(units * learner.features, 0.0);
    read_part(learner, part, weights.data(), bias);
    Grown<std::uint32_t> index;
    Grown<double> value;
    const auto met = learner.met();
    for (std::size_t u = 0; u < units; ++u)
        for (const auto& [column, place] : met) {
            const double x = weights[u * learner.features + place];
            if (std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(usual)) continue;
            index.push(static_cast<std::uint32_t>(u * all + column));
            value.push(x);
        }
    if (12 * index.size() >= 8 * units * all) return nb::none();
    return nb::make_tuple(memory_of(index), memory_of(value), biases);
}

// The weights of one unit, the columns they are of, in order (none: all of them), and its bias.
nb::tuple get_unit(const HeldLearner& learner, std::size_t unit) {
    if (unit >= learner.rule.unit_count()) throw nb::index_error("there is no such unit");
    const Group& group = *std::find_if(learner.groups.begin(), learner.groups.end(),
                                       [=](const Group& of) { return unit < of.first + of.units; });
    const auto weight = [&](std::size_t j) { return group.weights.feature[j * group.width + unit - group.first]; };
    Grown<std::int64_t> columns;
    Grown<double> weights;
    weights.reserve(learner.features);
    if (learner.columns)
        for (const auto& [column, place] : learner.met()) {
            columns.push(static_cast<std::int64_t>(column));
            weights.push(weight(place));
        }
    else
        for (std::size_t j = 0; j < learner.features; ++j) weights.push(weight(j));
    const nb::object of = learner.columns ? memory_of(columns) : nb::none();
    return nb::make_tuple(of, memory_of(weights), group.weights.bias[unit - group.first]);
}

// A learner whose weights are the answer, for sparse rows to be scored by.
HeldLearner answering(const HeldLearner& learner, bool average) {
    Rule rule;
    rule.scheme = learner.rule.scheme;
    rule.classes = learner.rule.classes;
    HeldLearner made(rule, learner.features, learner.class_weight, false);
    made.columns = learner.columns;
    made.told = learner.told;
    const std::size_t units = rule.unit_count();
    Buffer weights(units * learner.features, 0.0), bias(units, 0.0);
    answer(learner, average, weights.data(), bias.data());
    write_part(made, &Group::weights, weights.data(), bias.data());
    return made;
}

void put_part(HeldLearner& learner, const std::string& name, const InMatrix& weights, const In<double>& bias) {
    const std::size_t units = learner.rule.unit_count();
    const Part part = part_of(name);
    if (weights.shape(0) != units || weights.shape(1) != learner.features || bias.shape(0) != units ||
        learner.columns || (learner.groups.front().*part).empty())
        throw nb::value_error("this learner has no such weights");
    write_part(learner, part, weights.data(), bias.data());
}

auto get_answer(const HeldLearner& learner, bool average) {
    double *weights, *bias;
    const std::size_t units = learner.rule.unit_count();
    auto matrix = give<double, nb::memview>(units, learner.told, weights);
    auto column = give<double, nb::memview>(units, bias);
    learner.spread([&](double* w, double* b) { answer(learner, average, w, b); }, 0.0, weights, bias);
    return std::make_pair(matrix, column);
}

// Everything that is not a weight: counters, pockets, the bound, in plain numbers.
nb::dict get_counters(const HeldLearner& learner) {
    const Group& head = learner.groups.front();
    nb::list mistakes, loss, pockets, bound;
    for (const Group& group : learner.groups) {
        for (std::size_t u = 0; u < group.units; ++u) {
            const Pocket& p = group.pockets[u];
            mistakes.append(group.mistakes[u]);
            loss.append(group.loss[u]);
            bound.append(group.bound);
            pockets.append(nb::make_tuple(p.run, p.best_run, p.errors, p.judged, p.held));
        }
    }
    nb::dict d;
    d["t"] = head.t;
    d["step"] = head.step;
    d["in_batch"] = head.in_batch;
    d["wrong"] = learner.wrong;
    d["weighed"] = learner.weighed;
    d["bound"] = bound;
    d["mistakes"] = mistakes;
    d["loss"] = loss;
    d["pockets"] = pockets;
    return d;
}

void put_counters(HeldLearner& learner, const nb::dict& d) {
    learner.wrong = d.contains("wrong") ? nb::cast<double>(d["wrong"]) : 0.0;
    learner.weighed = d.contains("weighed") ? nb::cast<double>(d["weighed"]) : 0.0;
    for (Group& group : learner.groups) {
        group.t = nb::cast<std::uint64_t>(d["t"]);
        group.step = nb::cast<std::uint64_t>(d["step"]);
        group.in_batch = nb::cast<std::uint64_t>(d["in_batch"]);
        for (std::size_t u = 0; u < group.units; ++u) {
            const std::size_t unit = group.first + u;
            group.mistakes[u] = nb::cast<std::uint64_t>(d["mistakes"][unit]);
            group.loss[u] = nb::cast<double>(d["loss"][unit]);
            group.bound = std::max(group.bound, nb::cast<double>(d["bound"][unit]));  // a file may say what it likes
            auto [run, best_run, errors, judged, held] =
                nb::cast<std::tuple<std::uint64_t, std::uint64_t, double, bool, bool>>(d["pockets"][unit]);
            group.pockets[u] = {run, best_run, errors, judged, held};
        }
        bound_drift(group);
    }
}

// The loss since the last call, summed over the units in their order.
double take_loss(HeldLearner& learner) {
    double sum = 0.0;
    for (Group& group : learner.groups)
        for (double& loss : group.loss) sum += std::exchange(loss, 0.0);
    return sum;
}

// The mistake log since the last call, by example and unit: (t, row, unit, coefficient).
auto take_log(HeldLearner& learner) {
    std::vector<LogEntry> log;
    for (Group& group : learner.groups) {
        log.insert(log.end(), group.log.begin(), group.log.end());
        group.log.clear();
    }
    std::stable_sort(log.begin(), log.end(), [](const LogEntry& a, const LogEntry& b) { return a.t < b.t; });
    std::uint64_t *t, *row;
    std::uint32_t* unit;
    double* coefficient;
    auto result = std::make_tuple(give(log.size(), t), give(log.size(), row), give(log.size(), unit),
                                  give(log.size(), coefficient));
    for (std::size_t i = 0; i < log.size(); ++i) {
        t[i] = log[i].t;
        row[i] = log[i].row;
        unit[i] = log[i].unit;
        coefficient[i] = log[i].coefficient;
    }
    return result;
}

std::int64_t overflow_row(const HeldLearner& learner) {
    for (const Group& group : learner.groups)
        if (group.overflow_row >= 0) return group.overflow_row;
    return -1;
}

}  // namespace

void bind_state(nb::class_<HeldLearner>& learner) {
    learner.def("get", &get_part, "name"_a)
        .def("few", &get_few, "name"_a, "usual"_a)
        .def("put", &put_part, "name"_a, "weights"_a, "bias"_a)
        .def("answer", &get_answer, "average"_a)
        .def("answering", &answering, "average"_a)
        .def("unit", &get_unit, "unit"_a)
        .def("counters", &get_counters)
        .def("restore", &put_counters, "counters"_a)
        .def("take_loss", &take_loss)
        .def("take_log", &take_log)
        .def_prop_ro("overflow_row", &overflow_row);
}

}  // namespace rosenblatt
