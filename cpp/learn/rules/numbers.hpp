// Numbers: the score itself is the answer, and an example has a target, not a class. The same contract as
// score_decide_update.hpp, with every step of its second half; the error of a unit is how far its score is from the
// target. Several units are the quantiles of several levels, learned side by side.
#pragma once

#include "learn/rules/score_decide_update.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// The loss of a score, and minus its slope (0: no update).
struct Residual {
    double loss, pull;
};

// `missing` is the target minus the score. (rosenblatt/losses.py has the same functions of the score minus the target.)
ROSENBLATT_INLINE Residual residual(const Rule& rule, double level, double missing) {
    const double sign = missing > 0 ? 1.0 : missing < 0 ? -1.0 : 0.0, size = std::fabs(missing);
    switch (rule.loss) {
        case Loss::absolute: return {size, sign};
        case Loss::quantile: {
            const double pull = sign > 0 ? level : sign < 0 ? level - 1.0 : 0.0;
            return {pull * missing, pull};
        }
        case Loss::huber: {
            const double bent = std::min(size, rule.width);
            return {bent * (size - 0.5 * bent), sign * bent};
        }
        default: return {0.5 * (missing * missing), missing};
    }
}

// 1 - exp(-z) for z >= 0; by its series where that would cancel.
inline double approach(double z) {
    if (z >= 0x1p-5) return 1.0 - exponential(-z);
    double sum = 1.0;
    for (int k = 8; k >= 2; --k) sum = 1.0 - sum * (z / k);
    return z * sum;
}

// The factor of the example after very many very small steps, of `time` in all, in place of one: the score comes closer to the
// target and never passes it, and a weight of 2 is the same as the example twice (Karampatziakis and Langford 2011). `norm`
// is |x|^2.
inline double invariant_step(const Rule& rule, double missing, double pull, double norm, double time) {
    if (norm == 0.0) return 0.0;
    const double size = std::fabs(missing);
    if (rule.loss == Loss::absolute || rule.loss == Loss::quantile) return std::copysign(std::min(std::fabs(pull) * time, size / norm), missing);
    if (rule.loss == Loss::squared || size <= rule.width) return missing * (approach(time * norm) / norm);
    const double straight = (size - rule.width) / (rule.width * norm);  // the time until huber's loss bends
    if (time <= straight) return std::copysign(rule.width * time, missing);
    return std::copysign((size - rule.width + rule.width * approach((time - straight) * norm)) / norm, missing);
}

// Squared loss by a plain rate, and Huber's within its width: a step may overshoot by more than it was meant to correct, and
// the next by still more. Such scores grow in proportion to the targets, so one this many times as large as every target so far
// is past recovery.
inline constexpr double diverged_beyond = 1e9;

ROSENBLATT_INLINE void refuse_divergence(const Rule& rule, Group& group, const Example& example, double score) {
    group.largest_target = std::max(group.largest_target, std::fabs(example.target));
    if (group.t == 0) group.largest_target = std::max(group.largest_target, std::fabs(score));  // of weights it began with
    if (rule.may_diverge() && !(std::fabs(score) <= diverged_beyond * group.largest_target)) group.note_overflow(example.row);
}

// What each unit learns from its score; `norm` of each is read where the rule needs it. (Not inlined: it is the same for every row.)
template <int W>
__attribute__((noinline)) void decide_number(const Learner& learner, Group& group, const Example& example, const double (&s)[W],
                                             const double (&norm)[W], Step<W>& step) {
    const Rule& rule = learner.rule;
    for (std::size_t u = 0; u < group.units; ++u) {
        const double missing = example.target - s[u];
        const Residual r = residual(rule, learner.levels[group.first + u], missing);
        group.loss[u] += example.weight * r.loss;
        if (r.pull == 0.0) continue;
        if (rule.rate == Rate::invariant) step.factor[u] = invariant_step(rule, missing, r.pull, norm[u], rule.eta0 * example.weight);
        else if (rule.rate == Rate::arow) step.factor[u] = closed_form_step(rule, missing, norm[u], example.weight, step.beta[u]);
        else step.factor[u] = gradient_step(rule, group, example.weight * r.pull);
        step.any = true;
        log_update(rule, group, example.row, u, step.factor[u]);
    }
}

// Learns the example from its scores. True if weights may have changed. (Not inlined, and given copies, as learn_undecided.)
template <int W, class Row>
__attribute__((noinline)) bool learn_number(const Learner& learner, Group& group, Row row, Example example, vec<W> scores) {
    const Rule& rule = learner.rule;
    double s[W], norm[W];
    store(s, scores);
    refuse_divergence(rule, group, example, s[0]);
    if (rule.needs_norm()) norms<W>(rule, group, row, norm);
    Step<W> step;
    decide_number<W>(learner, group, example, s, norm, step);
    if (step.any) update<W>(learner, group, row, example, step);
    return count_example(rule, group) || step.any;
}

}  // namespace rosenblatt::ROSENBLATT_ISA
