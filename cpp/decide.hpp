// What a learner would have predicted, from the scores it has just given: for counting its errors while it learns.
#pragma once

#include "visit.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// The class with the highest score, the first of equals.
inline std::size_t highest(const double* s, std::size_t count) {
    return static_cast<std::size_t>(std::max_element(s, s + count) - s);
}

// One-vs-one: a vote for the winner of each pair; summed scores, squeezed below half a vote, tell equal votes apart.
inline std::size_t majority(const double* s, std::size_t classes) {
    std::vector<double> votes(2 * classes, 0.0);
    double *const sums = votes.data() + classes, *const won = votes.data();
    for (std::size_t i = 0; i < classes; ++i)
        for (std::size_t j = i + 1; j < classes; ++j, ++s) {
            won[*s > 0 ? j : i] += 1.0;
            sums[i] -= *s;
            sums[j] += *s;
        }
    for (std::size_t k = 0; k < classes; ++k) won[k] += sums[k] / (3.0 * (std::fabs(sums[k]) + 1.0));
    return highest(won, classes);
}

// The index of the class that the scores of all units stand for.
inline std::size_t decision(const Rule& rule, const double* s) {
    if (rule.scheme == Scheme::binary) return s[0] > 0;
    return rule.scheme == Scheme::ovo ? majority(s, rule.classes) : highest(s, rule.classes);
}

// The groups of a learner are heard one after the other; with the last of them the decision is known.
template <int W>
ROSENBLATT_INLINE void judge_decision(Learner& learner, const Group& group, vec<W> scores, std::size_t label,
                                      std::vector<double>& heard) {
    if constexpr (W == 1)
        if (learner.rule.scheme == Scheme::binary) {
            learner.wrong += (scores > 0) != (label == 1);
            return;
        }
    if (group.first == 0) heard.resize(learner.sign_stride);
    store(heard.data() + group.first, scores);
    if (&group == &learner.groups.back()) learner.wrong += decision(learner.rule, heard.data()) != label;
}

}  // namespace rosenblatt::ROSENBLATT_ISA
