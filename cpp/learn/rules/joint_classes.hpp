// Classes that decide jointly: one argmax over the scores of all units, and one update of those that it concerns.
#pragma once

#include <functional>

#include "learn/rules/score_decide_update.hpp"
#include "learn/scores/predicted_class.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// Calls f with the width of a group as a constant.
template <class F>
ROSENBLATT_INLINE void with_width(std::size_t width, F&& f) {
    if (width == 8) f(std::integral_constant<int, 8>{});
    else if (width == 4) f(std::integral_constant<int, 4>{});
    else f(std::integral_constant<int, 1>{});
}

// The gradient for every class: Kesler's construction moves the right class towards the example and the best of the
// others away from it; the softmax moves all of them.
inline void joint_gradient(const Rule& rule, const Example& example, const double* scores, std::size_t other, double* gradient,
                           double& loss) {
    if (rule.loss != Loss::logistic) {
        gradient[example.label] = example.weight;
        gradient[other] = -example.weight;
        return;
    }
    const double top = *std::max_element(scores, scores + rule.classes);
    double sum = 0.0;
    for (std::size_t k = 0; k < rule.classes; ++k) sum += gradient[k] = exponential(scores[k] - top);
    for (std::size_t k = 0; k < rule.classes; ++k)
        gradient[k] = example.weight * ((k == example.label ? 1.0 : 0.0) - gradient[k] / sum);
    loss = example.weight * (std::log(sum) - (scores[example.label] - top));
}

// The norms of the two units of a closed-form step, added.
template <class Row>
inline double joint_norm(const Learner& learner, const Row& row, std::size_t label, std::size_t other) {
    double unit_norm[2] = {};
    for (const Group& group : learner.groups)
        with_width(group.width, [&](auto W) {
            double norm[W()];
            norms<W()>(learner.rule, group, row, norm);
            if (label - group.first < group.units) unit_norm[0] = norm[label - group.first];
            if (other - group.first < group.units) unit_norm[1] = norm[other - group.first];
        });
    return unit_norm[0] + unit_norm[1];
}

// What the classes decide, and the steps that follow: factor[k] of the example in the weights of class k, and arow's beta[k],
// 0 at first. norm(other) is joint_norm. (Apart from it nothing depends on the kind of row: this is compiled once.)
__attribute__((noinline)) inline void decide_jointly(Learner& learner, const Example& example, const double* scores,
                                                     const std::function<double(std::size_t other)>& norm, double* factor, double* beta) {
    const Rule& rule = learner.rule;
    Group& head = learner.groups.front();
    const std::size_t label = example.label;
    const std::size_t other = best_other([&](std::size_t k) { return scores[k]; }, rule.classes, label);
    const double gap = scores[label] - scores[other];
    Slope slope = slope_of(rule, gap, example.weight);
    Pocket& pocket = head.pockets[0];
    pocket.run = slope.mistake ? 0 : pocket.run + 1;
    head.mistakes[0] += slope.mistake;
    if (slope.pull != 0.0) {
        if (rule.closed_form()) {
            factor[label] = closed_form_step(rule, rule.required - gap, norm(other), example.weight, beta[label]);
            factor[other] = -factor[label];
            beta[other] = beta[label];
        } else {
            joint_gradient(rule, example, scores, other, factor, slope.loss);
            for (std::size_t k = 0; k < rule.classes; ++k) factor[k] = gradient_step(rule, head, factor[k]);
        }
        if (rule.batch == 1) pocket.counted = pocket.in_pocket = false;
    }
    head.loss[0] += slope.loss;
}

// Calls changed(group) for groups whose weights may have changed. `factors` is scratch memory.
template <class Row, class Changed>
inline void learn_joint(Learner& learner, const Row& row, const Example& example, const double* scores,
                        std::vector<double>& factors, Changed&& changed) {
    factors.assign(2 * learner.sign_stride, 0.0);
    double *const factor = factors.data(), *const beta = factor + learner.sign_stride;
    const auto norm = [&](std::size_t other) { return joint_norm(learner, row, example.label, other); };
    decide_jointly(learner, example, scores, std::ref(norm), factor, beta);
    for (Group& group : learner.groups) {
        bool moved = false;
        for (std::size_t u = 0; u < group.units; ++u) {
            if (factor[group.first + u] == 0.0) continue;
            moved = true;
            log_update(learner.rule, group, example.row, u, factor[group.first + u]);
        }
        if (moved)
            with_width(group.width, [&](auto W) {
                Step<W()> step;
                step.any = true;
                std::copy_n(factor + group.first, group.units, step.factor);
                std::copy_n(beta + group.first, group.units, step.beta);
                update<W()>(learner, group, row, example, step);
            });
        if (count_example(learner.rule, group) || moved) changed(group);
    }
}

}  // namespace rosenblatt::ROSENBLATT_ISA
