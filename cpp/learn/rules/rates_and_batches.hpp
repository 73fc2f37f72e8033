// Learning rates; regularisation, which shrinks all weights once in a while; and batches: within one the weights stay and
// the gradient is summed, row by row.
#pragma once

#include "core/lane_sum.hpp"
#include "learn/state/learner.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

ROSENBLATT_INLINE double rate_at(const Rule& rule, std::uint64_t step) {
    const double steps = 1.0 + static_cast<double>(step);
    if (rule.rate == Rate::inverse) return rule.eta0 / steps;
    if (rule.rate == Rate::invsqrt) return rule.eta0 / std::sqrt(steps);
    return rule.eta0;
}

// The mistake log. (Within a batch the factor is the gradient; the log has the step.) Not inlined where it is rare: it would
// be compiled into every loop.
__attribute__((noinline)) inline void append_to_log(const Rule& rule, Group& group, std::size_t row, std::size_t unit, double factor) {
    if (rule.batch != 1 && rule.rate != Rate::adagrad) factor = rate_at(rule, group.step) * factor;
    group.log.push_back({group.t, row, static_cast<std::uint32_t>(group.first + unit), factor});
}

ROSENBLATT_INLINE void log_update(const Rule& rule, Group& group, std::size_t row, std::size_t unit, double factor) {
    if (rule.record) append_to_log(rule, group, row, unit, factor);
}

template <class V>
ROSENBLATT_INLINE void mark_touched(Group& group, const DenseRow<V>&) { group.touched_all = true; }

template <class I, class V>
ROSENBLATT_INLINE void mark_touched(Group& group, const SparseRow<I, V>& row) {
    for (std::size_t k = 0; k < row.entries; ++k) {
        const std::size_t j = row.column(k);
        if (group.touched[j]) continue;
        group.touched[j] = 1;
        group.touched_list.push_back(static_cast<std::uint32_t>(j));
    }
}

template <int W, class Row>
ROSENBLATT_INLINE void add_to_batch(const Rule& rule, Group& group, const Row& row, vec<W> gradient) {
    mark_touched(group, row);
    double* const pending = group.pending.feature.data();
    each_weight<W>(row, [&](std::size_t offset, auto x) {
        using T = decltype(x);
        store(pending + offset, load<T>(pending + offset) + gradient * x);
    });
    if (rule.intercept) {
        double* const bias = group.pending.bias.data();
        store(bias, load<vec<W>>(bias) + gradient);
    }
}

inline constexpr std::uint64_t shrink_every = 64;  // examples, where there are no batches

// The step of `examples` examples that lowers alpha/2 |w|^2 + l1 |w|_1, for every weight but the bias. It is implicit, so it
// never oversteps: |w| loses k l1 rate, but not its sign (the truncated gradient: Langford, Li and Zhang 2009), and is divided
// by 1 + k alpha rate. A weight of adagrad has a rate of its own, and none before its first update.
inline void shrink(const Rule& rule, Group& group, std::uint64_t examples) {
    const bool adaptive = rule.rate == Rate::adagrad;
    const double rate = rate_at(rule, group.step), before = static_cast<double>(group.t - 1);
    double largest[8] = {};  // of each unit: the width is 1, 4 or 8
    for (std::size_t i = 0; i < group.weights.feature.size(); ++i) {
        double& weight = group.weights.feature[i];
        const double squares = adaptive ? group.scale.feature[i] : 1.0;
        const double own_rate = !adaptive ? rate : squares > 0 ? rate / (std::sqrt(squares) + adagrad_epsilon) : 0.0;
        const double strength = static_cast<double>(examples) * own_rate;
        const double size = std::max(std::fabs(weight) - strength * rule.l1, 0.0) / (1.0 + strength * rule.alpha);
        const double shrunk = size > 0 ? std::copysign(size, weight) : 0.0, change = shrunk - weight;
        weight = shrunk;
        if (rule.average) group.drift.feature[i] += before * change;
        double& of_unit = largest[i & (group.width - 1)];
        of_unit = std::max(of_unit, std::fabs(change));
    }
    // Of the drift; the weights themselves become smaller.
    for (std::size_t u = 0; u < group.width; ++u) group.raise_bound(u, group.unit_bounds[u] + largest[u]);
    for (Pocket& pocket : group.pockets) pocket.counted = pocket.in_pocket = false;
}

// The end of a batch: the weights take the whole step, the pending gradient standing for the example.
inline void end_batch(const Rule& rule, Group& group) {
    if (group.in_batch == 0) return;
    const bool adaptive = rule.rate == Rate::adagrad;
    const double rate = rate_at(rule, group.step), before = static_cast<double>(group.t - 1);
    const auto take_step = [&](Buffer Weights::*part, std::size_t at) {
        double change = 0.0, &pending = (group.pending.*part)[at];
        if (adaptive) {
            double& squares = (group.scale.*part)[at];
            squares += pending * pending;
            change = (rate * pending) / (std::sqrt(squares) + adagrad_epsilon);
        } else change = rate * pending;
        (group.weights.*part)[at] += change;
        if (rule.average) (group.drift.*part)[at] += before * change;
        pending = 0.0;
    };
    const auto step_feature = [&](std::size_t j) {
        for (std::size_t u = 0; u < group.width; ++u) take_step(&Weights::feature, j * group.width + u);
    };
    if (group.touched_all)
        for (std::size_t j = 0; j < group.touched.size(); ++j) step_feature(j);
    else
        for (const std::uint32_t j : group.touched_list) step_feature(j);
    for (const std::uint32_t j : group.touched_list) group.touched[j] = 0;
    group.touched_list.clear();
    group.touched_all = false;
    for (std::size_t u = 0; u < group.width; ++u) take_step(&Weights::bias, u);
    for (Pocket& pocket : group.pockets) pocket.counted = pocket.in_pocket = false;
    if (rule.shrinks) shrink(rule, group, group.in_batch);
    ++group.step;
    group.in_batch = 0;
}

}  // namespace rosenblatt::ROSENBLATT_ISA
