// From the scores of all units of a learner to the class that they stand for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace rosenblatt {

// The class with the highest score, the first of equals.
inline std::size_t highest(const double* s, std::size_t count) {
    return static_cast<std::size_t>(std::max_element(s, s + count) - s);
}

// One-vs-one: a vote for the winner of each pair; summed scores, squeezed below half a vote, tell equal votes apart.
// `votes` and `sums` are room for one number a class.
inline void majority(const double* s, std::size_t classes, double* votes, double* sums) {
    std::fill_n(votes, classes, 0.0);
    std::fill_n(sums, classes, 0.0);
    for (std::size_t i = 0; i < classes; ++i)
        for (std::size_t j = i + 1; j < classes; ++j, ++s) {
            votes[*s > 0 ? j : i] += 1.0;
            sums[i] -= *s;
            sums[j] += *s;
        }
    for (std::size_t k = 0; k < classes; ++k) votes[k] += sums[k] / (3.0 * (std::fabs(sums[k]) + 1.0));
}

}  // namespace rosenblatt
