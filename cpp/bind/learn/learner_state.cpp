// The state of a learner: its weights, as memoryviews, which need no numpy, and everything that is not a weight.
#include <bit>
#include <limits>

#include "bind/learn/learner_access.hpp"
#include "learn/state/save_restore.hpp"

namespace rosenblatt {
namespace {

Part part_of(const std::string& name) {
    static constexpr Part parts[] = {&Group::weights, &Group::drift, &Group::scale, &Group::pending, &Group::pocket};
    return parts[one_of<std::size_t>(name, {"weights", "drift", "scale", "pending", "pocket"})];
}

// (weights[unit][feature], bias[unit]) that read(weights, bias) writes for the learner's own features; `absent` for the others.
template <class Read>
nb::tuple expanded(const CompactLearner& learner, double absent, Read read) {
    double *weights, *bias;
    const std::size_t units = learner.rule.unit_count();
    auto matrix = new_matrix<double, nb::memview>(units, learner.declared_features, weights);
    auto column = new_array<double, nb::memview>(units, bias);
    learner.expand(read, absent, weights, bias);
    return nb::make_tuple(matrix, column);
}

// None where this learner does not have the part.
nb::object get_part(const CompactLearner& learner, const std::string& name) {
    const Part part = part_of(name);
    if ((learner.groups.front().*part).empty()) return nb::none();
    const double absent = part == &Group::scale && learner.rule.rate == Rate::arow ? 1.0 : 0.0;
    return expanded(learner, absent, [&](double* weights, double* bias) { read_part(learner, part, weights, bias); });
}

nb::tuple get_final_weights(const CompactLearner& learner, bool average) {
    return expanded(learner, 0.0, [&](double* weights, double* bias) { final_weights(learner, average, weights, bias); });
}

// A part of a learner with compact columns: (indices, values, biases) of the numbers whose bits differ from `fill`. None where
// it has all columns, or the dense form takes no more bytes.
nb::object get_sparse_part(const CompactLearner& learner, const std::string& name, double fill) {
    const Part part = part_of(name);
    const std::size_t units = learner.rule.unit_count(), all = learner.declared_features;
    if (!learner.columns || (learner.groups.front().*part).empty() || units * all > std::numeric_limits<std::uint32_t>::max()) return nb::none();
    // Columns in their order, and for each the weights of a group side by side, as they lie in memory: counted, then copied.
    const auto columns = learner.column_slots();
    const auto each_entry = [&](auto visit) {
        for (const Group& group : learner.groups)
            for (const auto& [column, slot] : columns) {
                const double* weights = (group.*part).feature.data() + slot * group.width;
                for (std::size_t u = 0; u < group.units; ++u)
                    if (std::bit_cast<std::uint64_t>(weights[u]) != std::bit_cast<std::uint64_t>(fill)) visit(group.first + u, column, weights[u]);
            }
    };
    std::vector<std::size_t> place(units + 1);  // of the first entry of each unit
    each_entry([&](std::size_t unit, std::size_t, double) { ++place[unit + 1]; });
    for (std::size_t u = 0; u < units; ++u) place[u + 1] += place[u];
    const std::size_t count = place[units];
    if (12 * count >= 8 * units * all) return nb::none();
    std::uint32_t* index;
    double *value, *bias;
    const auto indices = new_array<std::uint32_t, nb::memview>(count, index);
    const auto values = new_array<double, nb::memview>(count, value);
    const auto biases = new_array<double, nb::memview>(units, bias);
    each_entry([&](std::size_t unit, std::size_t column, double x) {
        const std::size_t at = place[unit]++;
        index[at] = static_cast<std::uint32_t>(unit * all + column);
        value[at] = x;
    });
    for (const Group& group : learner.groups) std::copy_n((group.*part).bias.data(), group.units, bias + group.first);
    return nb::make_tuple(indices, values, biases);
}

const Group& group_of(const CompactLearner& learner, std::size_t unit) {
    if (unit >= learner.rule.unit_count()) throw nb::index_error(("there is no unit " + std::to_string(unit)).c_str());
    return *std::find_if(learner.groups.begin(), learner.groups.end(),
                         [=](const Group& candidate) { return unit < candidate.first + candidate.units; });
}

// (columns, weights, bias) of one unit; columns are ascending, or None where it has all of them.
nb::tuple get_unit(const CompactLearner& learner, std::size_t unit) {
    const Group& group = group_of(learner, unit);
    const auto weight = [&](std::size_t j) { return group.weights.feature[j * group.width + unit - group.first]; };
    PooledVector<std::int64_t> columns;
    PooledVector<double> weights;
    weights.reserve(learner.features);
    if (learner.columns)
        for (const auto& [column, slot] : learner.column_slots()) {
            columns.push(static_cast<std::int64_t>(column));
            weights.push(weight(slot));
        }
    else
        for (std::size_t j = 0; j < learner.features; ++j) weights.push(weight(j));
    const nb::object columns_or_none = learner.columns ? to_memoryview(columns) : nb::none();
    return nb::make_tuple(columns_or_none, to_memoryview(weights), group.weights.bias[unit - group.first]);
}

// (column, absolute value) of the largest positive weights of a unit, or of its smallest negative ones, furthest from 0 first;
// of equal ones the first column. Weights are read in place, because only a few of very many are returned.
auto largest_of_unit(const CompactLearner& learner, std::size_t unit, bool negative, std::size_t max_count) {
    const Group& group = group_of(learner, unit);
    const double* weight = group.weights.feature.data() + (unit - group.first);
    std::vector<std::pair<std::size_t, double>> heap;
    const auto before = [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; };
    for (std::size_t j = 0; j < learner.features; ++j, weight += group.width) {
        const double size = negative ? -*weight : *weight;
        if (!(size > 0.0) || max_count == 0 || (heap.size() == max_count && size < heap.front().second)) continue;
        const std::int64_t column = learner.columns ? (*learner.columns)[j] : static_cast<std::int64_t>(j);
        if (column < 0) continue;
        const std::pair<std::size_t, double> entry(static_cast<std::size_t>(column), size);
        if (heap.size() == max_count) {
            if (!before(entry, heap.front())) continue;
            std::pop_heap(heap.begin(), heap.end(), before);
            heap.pop_back();
        }
        heap.push_back(entry);
        std::push_heap(heap.begin(), heap.end(), before);
    }
    std::sort_heap(heap.begin(), heap.end(), before);
    return heap;
}

// A learner whose weights are the final ones, to score sparse rows with.
CompactLearner scoring_copy(const CompactLearner& learner, bool average) {
    Rule rule;
    rule.scheme = learner.rule.scheme;
    rule.classes = learner.rule.classes;
    CompactLearner copy(rule, learner.features, learner.class_weight, false, learner.levels);
    copy.columns = learner.columns;
    copy.declared_features = learner.declared_features;
    const std::size_t units = copy.rule.unit_count();  // a learner of quantiles has one for each
    Buffer weights(units * learner.features, 0.0), bias(units, 0.0);
    final_weights(learner, average, weights.data(), bias.data());
    write_part(copy, &Group::weights, weights.data(), bias.data());
    return copy;
}

void put_part(CompactLearner& learner, const std::string& name, const InMatrix& weights, const In<double>& bias) {
    const std::size_t units = learner.rule.unit_count();
    const Part part = part_of(name);
    if (weights.shape(0) != units || weights.shape(1) != learner.features || bias.shape(0) != units ||
        learner.columns || (learner.groups.front().*part).empty())
        throw nb::value_error("this learner has no such weights: another part, another shape, or compact columns");
    write_part(learner, part, weights.data(), bias.data());
}

// The same for a learner with compact columns, whose columns have all been added: the numbers that differ from `usual`, at
// ascending indices of [unit][declared feature]. False where an index lies outside, does not ascend, or has no column or value.
bool put_sparse_part(CompactLearner& learner, const std::string& name, const In<std::uint32_t>& index, const In<double>& value, double usual,
                     const In<double>& bias) {
    const std::size_t units = learner.rule.unit_count(), all = learner.declared_features, count = index.shape(0);
    const Part part = part_of(name);
    if (!learner.columns || bias.shape(0) != units) throw nb::value_error("expected compact columns, and a bias for each unit");
    if (value.shape(0) != count) return false;
    learner.grow_to_columns();
    if ((learner.groups.front().*part).empty()) throw nb::value_error("this learner has no such weights");
    for (Group& group : learner.groups) {
        Weights& to = group.*part;
        for (std::size_t j = 0; j < learner.features; ++j) std::fill_n(to.feature.data() + j * group.width, group.units, usual + 0.0);
        for (std::size_t u = 0; u < group.units; ++u) to.bias[u] = bias.data()[group.first + u] + 0.0;
    }
    auto group = learner.groups.begin();
    std::size_t unit = 0, first = 0;  // `first`: the index of the unit's column 0
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = index.data()[i];
        if (at >= units * all || (i > 0 && index.data()[i - 1] >= at)) return false;
        for (; at - first >= all; first += all) ++unit;
        while (unit >= group->first + group->units) ++group;
        const std::int64_t slot = learner.columns->find(at - first);
        if (slot < 0) return false;
        ((*group).*part).feature[static_cast<std::size_t>(slot) * group->width + unit - group->first] = value.data()[i] + 0.0;
    }
    part_is_written(learner, part);
    return true;
}

// Everything that is not a weight, in plain numbers: counters, pockets, the bound.
nb::dict get_counters(const CompactLearner& learner) {
    const Group& head = learner.groups.front();
    nb::list mistakes, loss, pockets, bound;
    for (const Group& group : learner.groups) {
        for (std::size_t u = 0; u < group.units; ++u) {
            const Pocket& p = group.pockets[u];
            mistakes.append(group.mistakes[u]);
            loss.append(group.loss[u]);
            bound.append(group.unit_bounds[u]);
            pockets.append(nb::make_tuple(p.run, p.best_run, p.errors, p.counted, p.in_pocket));
        }
    }
    nb::dict d;
    d["t"] = head.t;
    d["step"] = head.step;
    d["in_batch"] = head.in_batch;
    d["wrong"] = learner.wrong_weight;
    d["weighed"] = learner.total_weight;
    d["bound"] = bound;
    if (learner.predicts_number()) {
        d["squared_error"] = learner.squared_error;
        d["absolute_error"] = learner.absolute_error;
        d["pinball_error"] = learner.pinball_error;
        d["largest_target"] = head.largest_target;
    }
    if (learner.rule.fades) {
        d["unit"] = learner.rule.fades_weights() ? head.weight_unit : head.scale_unit;
        d["recent"] = head.recent;
    }
    d["mistakes"] = mistakes;
    d["loss"] = loss;
    d["pockets"] = pockets;
    return d;
}

void put_counters(CompactLearner& learner, const nb::dict& d) {
    if (nb::cast<std::uint64_t>(d["in_batch"]) >= learner.rule.batch || nb::cast<std::uint64_t>(d["in_batch"]) > nb::cast<std::uint64_t>(d["t"]))
        throw nb::value_error("the unfinished batch holds more examples than a batch does, or than were visited");
    learner.wrong_weight = d.contains("wrong") ? nb::cast<double>(d["wrong"]) : 0.0;
    learner.total_weight = d.contains("weighed") ? nb::cast<double>(d["weighed"]) : 0.0;
    if (learner.predicts_number()) {
        learner.squared_error = nb::cast<double>(d["squared_error"]);
        learner.absolute_error = nb::cast<double>(d["absolute_error"]);
        learner.pinball_error = nb::cast<double>(d["pinball_error"]);
        for (Group& group : learner.groups) group.largest_target = nb::cast<double>(d["largest_target"]);
    }
    for (Group& group : learner.groups) {
        group.t = nb::cast<std::uint64_t>(d["t"]);
        group.step = nb::cast<std::uint64_t>(d["step"]);
        group.in_batch = nb::cast<std::uint64_t>(d["in_batch"]);
        for (std::size_t u = 0; u < group.units; ++u) {
            const std::size_t unit = group.first + u;
            group.mistakes[u] = nb::cast<std::uint64_t>(d["mistakes"][unit]);
            group.loss[u] = nb::cast<double>(d["loss"][unit]);
            group.raise_bound(u, nb::cast<double>(d["bound"][unit]));  // a file may be wrong: never below the true bound
            auto [run, best_run, errors, counted, in_pocket] =
                nb::cast<std::tuple<std::uint64_t, std::uint64_t, double, bool, bool>>(d["pockets"][unit]);
            group.pockets[u] = {run, best_run, errors, counted, in_pocket};
        }
        if (learner.rule.fades) {
            group.recent = d.contains("recent") ? nb::cast<double>(d["recent"]) : static_cast<double>(group.t);
            group.set_unit(learner.rule, d.contains("unit") ? nb::cast<double>(d["unit"]) : 1.0);
            bound_weights(group);
        } else bound_drift(group);
    }
}

// (scores[example][unit], labels, examples visited before each of them, stride) of the sample.
nb::tuple get_sample(const CompactLearner& learner) {
    const ScoreSample& sample = learner.sample;
    double* scores;
    std::int32_t* labels;
    std::uint64_t* t;
    auto matrix = new_matrix<double, nb::memview>(sample.t.size(), learner.rule.unit_count(), scores);
    auto label_array = new_array<std::int32_t, nb::memview>(sample.t.size(), labels);
    auto t_array = new_array<std::uint64_t, nb::memview>(sample.t.size(), t);
    std::copy(sample.scores.begin(), sample.scores.end(), scores);
    std::copy(sample.labels.begin(), sample.labels.end(), labels);
    std::copy(sample.t.begin(), sample.t.end(), t);
    return nb::make_tuple(matrix, label_array, t_array, sample.stride);
}

// Of a learner that predicts numbers: the targets of the sample.
auto get_sample_targets(const CompactLearner& learner) {
    double* targets;
    auto result = new_array<double, nb::memview>(learner.sample.targets.size(), targets);
    std::copy(learner.sample.targets.begin(), learner.sample.targets.end(), targets);
    return result;
}

void put_sample(CompactLearner& learner, const InMatrix& scores, const In<std::int32_t>& labels, const In<std::uint64_t>& t, std::uint64_t stride,
                const std::optional<In<double>>& targets) {
    const std::size_t rows = t.shape(0), units = learner.rule.unit_count();
    if (scores.shape(0) != rows || scores.shape(1) != units || labels.shape(0) != rows || rows > learner.most_sampled() || !std::has_single_bit(stride))
        throw nb::value_error("these are not the scores of a sample of this learner");
    if (learner.predicts_number() != targets.has_value() || (targets && targets->shape(0) != rows)) throw nb::value_error("a sample of numbers has a target for each score, and no other has any");
    learner.sample = {stride, {scores.data(), scores.data() + rows * units}, {labels.data(), labels.data() + rows}, {}, {t.data(), t.data() + rows}};
    if (targets) learner.sample.targets.assign(targets->data(), targets->data() + rows);
}

// The loss since the last call, summed over the units in their order.
double take_loss(CompactLearner& learner) {
    double sum = 0.0;
    for (Group& group : learner.groups)
        for (double& loss : group.loss) sum += std::exchange(loss, 0.0);
    return sum;
}

// The mistake log since the last call, by example and unit: (t, row, unit, coefficient).
auto take_log(CompactLearner& learner) {
    std::vector<LogEntry> log;
    for (Group& group : learner.groups) {
        log.insert(log.end(), group.log.begin(), group.log.end());
        group.log.clear();
    }
    std::stable_sort(log.begin(), log.end(), [](const LogEntry& a, const LogEntry& b) { return a.t < b.t; });
    std::uint64_t *t, *row;
    std::uint32_t* unit;
    double* coefficient;
    auto result = std::make_tuple(new_array(log.size(), t), new_array(log.size(), row), new_array(log.size(), unit),
                                  new_array(log.size(), coefficient));
    for (std::size_t i = 0; i < log.size(); ++i) {
        t[i] = log[i].t;
        row[i] = log[i].row;
        unit[i] = log[i].unit;
        coefficient[i] = log[i].coefficient;
    }
    return result;
}

std::int64_t overflow_row(const CompactLearner& learner) {
    const Group* first = nullptr;
    for (const Group& group : learner.groups)
        if (group.overflow_row >= 0 && (!first || group.overflow_t < first->overflow_t)) first = &group;
    return first ? first->overflow_row : -1;
}

}  // namespace

void bind_learner_state(Class<CompactLearner>& learner) {
    learner.def("get", reading(&get_part), "name"_a)
        .def("entries_other_than", reading(&get_sparse_part), "name"_a, "usual"_a)
        .def("put", changing(&put_part), "name"_a, "weights"_a, "bias"_a)
        .def("put_entries", changing(&put_sparse_part), "name"_a, "index"_a, "value"_a, "usual"_a, "bias"_a)
        .def("final_weights", reading(&get_final_weights), "average"_a)
        .def("scoring_copy", reading(&scoring_copy), "average"_a)
        .def("unit", reading(&get_unit), "unit"_a)
        .def("largest_of_unit", reading(&largest_of_unit), "unit"_a, "below"_a, "most"_a)
        .def("counters", reading(&get_counters))
        .def("restore", changing(&put_counters), "counters"_a)
        .def("score_sample", reading(&get_sample))
        .def("sample_targets", reading(&get_sample_targets))
        .def_prop_ro("sample_capacity", +[](const CompactLearner& learner) { return learner.most_sampled(); })
        .def("restore_sample", changing(&put_sample), "scores"_a, "labels"_a, "t"_a, "stride"_a, "targets"_a.none() = nb::none())
        .def("take_loss", changing(&take_loss))
        .def("take_log", changing(&take_log))
        .def_prop_ro("overflow_row", reading(&overflow_row));
}

}  // namespace rosenblatt
