// From the scores of all units of a learner to a class.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "learn/rules/rule_options.hpp"

namespace rosenblatt {

// The class with the highest score, the first of equals.
inline std::size_t highest(const double* scores, std::size_t count) {
    return static_cast<std::size_t>(std::max_element(scores, scores + count) - scores);
}

// The best class besides the right one, the first of equals; score(k) is that of class k.
template <class Score>
inline std::size_t best_other(Score&& score, std::size_t classes, std::size_t label) {
    std::size_t best = label == 0 ? 1 : 0;
    for (std::size_t k = best + 1; k < classes; ++k)
        if (k != label && score(k) > score(best)) best = k;
    return best;
}

// One-vs-one: a vote for the winner of each pair; summed scores, scaled to less than half a vote, break ties.
// `votes` and `sums` have room for one number a class.
inline void count_votes(const double* scores, std::size_t classes, double* votes, double* sums) {
    std::fill_n(votes, classes, 0.0);
    std::fill_n(sums, classes, 0.0);
    for (std::size_t i = 0; i < classes; ++i)
        for (std::size_t j = i + 1; j < classes; ++j, ++scores) {
            votes[*scores > 0 ? j : i] += 1.0;
            sums[i] -= *scores;
            sums[j] += *scores;
        }
    for (std::size_t k = 0; k < classes; ++k) votes[k] += sums[k] / (3.0 * (std::fabs(sums[k]) + 1.0));
}

// The class that the scores of all units decide for.
inline std::size_t decided_class(const Rule& rule, const double* scores) {
    if (rule.scheme == Scheme::binary) return scores[0] > 0;
    if (rule.scheme != Scheme::ovo) return highest(scores, rule.classes);
    std::vector<double> votes(2 * rule.classes);
    count_votes(scores, rule.classes, votes.data(), votes.data() + rule.classes);
    return highest(votes.data(), rule.classes);
}

// Gallant's ratchet (1990): once weights have been right for longer than those in the pocket ever were, their errors over
// all training rows are counted, once. True: count them now. A Flag is a bool or a byte.
template <class Flag>
inline bool outlived(std::uint64_t run, std::uint64_t& best_run, Flag& counted, Flag in_pocket) {
    if (run <= best_run) return false;
    if (in_pocket) {
        best_run = run;
        return false;
    }
    if (counted) return false;
    counted = true;
    return true;
}

}  // namespace rosenblatt
