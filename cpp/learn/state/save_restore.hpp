// Saving and restoring a learner's state, in a layout that does not depend on how units are grouped: [unit][feature].
#pragma once

#include <cmath>

#include "isa/dispatch.hpp"
#include "learn/function_table.hpp"

namespace rosenblatt {

using Part = Weights Group::*;

// part_of(group, unit) of each unit.
template <class PartOf>
void read_units(const Learner& learner, PartOf part_of, double* weights, double* bias) {
    for (const Group& group : learner.groups)
        for (std::size_t u = 0; u < group.units; ++u) {
            const Weights& from = group.*part_of(group, u);
            double* to = weights + (group.first + u) * learner.features;
            for (std::size_t j = 0; j < learner.features; ++j) to[j] = from.feature[j * group.width + u];
            bias[group.first + u] = from.bias[u];
        }
}

inline void read_part(const Learner& learner, Part part, double* weights, double* bias) {
    read_units(learner, [part](const Group&, std::size_t) { return part; }, weights, bias);
}

// No part of a drift is larger than t times the bound: learn/filter/error_bounds.hpp relies on it, whatever a file says. In a
// file that we wrote this changes nothing: the bound has grown with every step. To be called once the counters are known.
inline void bound_drift(Group& group) {
    for (std::size_t u = 0; u < group.width; ++u) {
        double largest = 0.0;
        for (const Buffer* buffer : {&group.drift.feature, &group.drift.bias})
            for (std::size_t i = u; i < buffer->size(); i += group.width) largest = std::max(largest, std::fabs((*buffer)[i]));
        const double needed = largest / static_cast<double>(std::max<std::uint64_t>(group.t, 1));
        if (needed > 1.01 * group.unit_bounds[u]) group.raise_bound(u, needed);
    }
}

// Weights that fade are bounded once their unit is known.
inline void bound_weights(Group& group) {
    for (const Buffer* buffer : {&group.weights.feature, &group.weights.bias})
        for (std::size_t i = 0; i < buffer->size(); ++i) group.raise_bound(i % group.width, std::fabs((*buffer)[i]) * group.weight_unit);
}

// For arow. A weight moves by at most its variance times the step: the bound relies on it, whatever a file says.
inline void measure_variances(Learner& learner) {
    double largest = 1.0;
    for (const Group& group : learner.groups)
        for (const Buffer* buffer : {&group.scale.feature, &group.scale.bias})
            for (std::size_t i = 0; i < buffer->size(); ++i) largest = std::max(largest, (*buffer)[i]);
    for (Group& group : learner.groups) group.largest_variance = largest;
}

// Updates what depends on a part that was written.
inline void part_is_written(Learner& learner, Part part) {
    if (part == &Group::scale) measure_variances(learner);
    for (Group& group : learner.groups) {
        if (part == &Group::pending) group.touched_all = true;
        if (part == &Group::drift && group.t > 0 && !learner.rule.fades) bound_drift(group);
        if (part == &Group::weights && !learner.rule.fades) bound_weights(group);
    }
}

inline void write_part(Learner& learner, Part part, const double* weights, const double* bias) {
    for (Group& group : learner.groups)
        for (std::size_t u = 0; u < group.units; ++u) {
            Weights& to = group.*part;
            const double* from = weights + (group.first + u) * learner.features;
            // + 0.0: no weight is ever -0, so that a sparse row, which does not touch it, agrees with a dense one
            for (std::size_t j = 0; j < learner.features; ++j) to.feature[j * group.width + u] = from[j] + 0.0;
            to.bias[u] = bias[group.first + u] + 0.0;
        }
    part_is_written(learner, part);
}

inline std::uint64_t mistakes_made(const Learner& learner) {
    std::uint64_t sum = 0;
    for (const Group& group : learner.groups)
        for (const std::uint64_t m : group.mistakes) sum += m;
    return sum;
}

// The final weights of a unit are those in its pocket, once there are some. Units that decide jointly share one.
inline Part final_part(const Learner& learner, const Group& group, std::size_t unit) {
    if (!learner.rule.pocket) return &Group::weights;
    const Pocket& pocket = learner.is_joint() ? learner.groups.front().pockets.front() : group.pockets[unit];
    return std::isfinite(pocket.errors) ? &Group::pocket : &Group::weights;
}

// Weights as they are, from weights that are stored in this unit.
inline void in_unit(const Learner& learner, double unit, double* weights, double* bias) {
    if (!learner.rule.fades) return;
    const std::size_t units = learner.rule.unit_count();
    for (std::size_t i = 0; i < units * learner.features; ++i) weights[i] *= unit;
    for (std::size_t u = 0; u < units; ++u) bias[u] *= unit;
}

// The weights of the run if it ended here: an unfinished batch counts as finished.
inline void final_weights(const Learner& learner, bool average, double* weights, double* bias) {
    if (learner.groups.front().in_batch > 0) {
        Learner ended = learner;
        native().learn->end_batch(ended);
        return final_weights(ended, average, weights, bias);
    }
    read_units(learner, [&](const Group& group, std::size_t u) { return final_part(learner, group, u); }, weights, bias);
    const std::uint64_t t = learner.groups.front().t;
    if (!average || t == 0) return in_unit(learner, learner.groups.front().weight_unit, weights, bias);
    const auto examples = static_cast<double>(t);
    for (const Group& group : learner.groups)
        for (std::size_t u = 0; u < group.units; ++u) {
            double* w = weights + (group.first + u) * learner.features;
            for (std::size_t j = 0; j < learner.features; ++j)
                w[j] = w[j] - group.drift.feature[j * group.width + u] / examples;
            bias[group.first + u] = bias[group.first + u] - group.drift.bias[u] / examples;
        }
    in_unit(learner, learner.groups.front().weight_unit * learner.groups.front().average_unit, weights, bias);
}

// Could `rows` more examples, with values up to `largest` and weights up to `heaviest`, make any number overflow?
// "No" is certain. For a rule whose step grows with the score the bound is computed row by row: it may grow exponentially.
// Numbers have targets up to `farthest`; where their scores may diverge the answer is yes.
inline bool may_overflow(const Learner& learner, double rows, double largest, double heaviest, double farthest = 1.0) {
    const Rule& rule = learner.rule;
    const double m = std::max(1.0, largest), d = static_cast<double>(learner.declared_features + 1);
    double bound = 0.0, variance = 1.0;
    for (const Group& group : learner.groups) {
        bound = std::max(bound, group.bound);
        variance = std::max(variance, group.largest_variance);
    }
    const double t = static_cast<double>(learner.groups.front().t) + rows + 1.0;
    const bool number = learner.predicts_number();
    if (number && rule.may_diverge()) return true;
    const double most = number ? 1e120 : 1e280, pull = !number ? 1.0 : rule.loss == Loss::huber ? std::max(1.0, rule.width) : 1.0;
    const auto safe = [&](double w) { return w * m * d * t < most && heaviest * m < 1e140 && w * m * d * m < 1e140; };
    const bool steady = rule.rate == Rate::adagrad || rule.rate == Rate::pa1 ||
                        (rule.loss != Loss::squared && !rule.closed_form());
    const double largest_step = rule.rate == Rate::adagrad ? rule.eta0 : 8.0 * rule.eta0 * heaviest * m * pull;
    if (steady) return !safe(bound + rows * largest_step);
    const double gain = rule.rate == Rate::arow ? variance / rule.r : rule.rate == Rate::pa2 ? 2.0 * rule.eta0 : rule.eta0;
    for (double i = 0; i < rows; ++i) {
        bound += 8.0 * ((number ? farthest : rule.required + 1.0) + bound * m * d) * gain * heaviest * m;
        if (!safe(bound)) return true;
    }
    return false;
}

}  // namespace rosenblatt
