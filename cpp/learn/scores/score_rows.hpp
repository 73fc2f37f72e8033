// Scores without learning, and what is counted from them.
#pragma once

#include <functional>

#include "learn/function_table.hpp"
#include "rows/row_readers.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// use(position, scores of all units) for positions from `from` on, until it returns false.
using UseScores = std::function<bool(std::size_t position, const double* scores)>;
void each_scores(const Learner& learner, const Rows& rows, Order order, std::size_t from, const UseScores& use);

// A learner with these weights, to be scored by: weight(unit, feature) and bias(unit).
template <class Weight, class Bias>
Learner scoring_learner(std::size_t units, std::size_t features, Weight&& weight, Bias&& bias) {
    Rule rule;
    rule.scheme = units == 1 ? Scheme::binary : Scheme::ovr;
    rule.classes = units == 1 ? 2 : units;
    Learner learner(rule, features, std::vector<double>(rule.classes, 1.0), false);
    for (Group& group : learner.groups)
        for (std::size_t u = 0; u < group.units; ++u) {
            for (std::size_t j = 0; j < features; ++j) group.weights.feature[j * group.width + u] = weight(group.first + u, j);
            group.weights.bias[u] = bias(group.first + u);
        }
    return learner;
}

// Gallant's pocket, after each example: weights that survived longer than those in the pocket replace them if they make fewer
// errors over the training rows. `group` is null for units that decide jointly: they share one pocket.
void update_pocket(const Examples& examples, Learner& learner, Group* group);
void pocket_clean(const Examples& examples, Learner& learner, const std::vector<std::uint64_t>& mistakes);

std::uint64_t mistakes(const Examples& examples, const Learner& learner);
void scores(const Rows& rows, const std::uint32_t* order, std::size_t from, std::size_t to, const double* weights,
            const double* bias, std::size_t units, double* result);
void learner_scores(const Learner& learner, const Rows& rows, const std::uint32_t* order, std::size_t count, double* result);
void learner_variances(const Learner& learner, const Rows& rows, double* result);
double score_one(const Learner& learner, const Rows& rows, bool average);

}  // namespace rosenblatt::ROSENBLATT_ISA
