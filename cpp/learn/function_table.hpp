// Learning and scoring, as the rest of the core sees them: one table of functions per instruction set.
#pragma once

#include "core/rows.hpp"
#include "learn/state/learner.hpp"

namespace rosenblatt {

// The examples of one pass, and which of them to visit in which order.
struct Examples {
    Rows rows;
    const std::int32_t* labels = nullptr;          // [rows] index of the class, or of the set of labels
    std::size_t classes = 1;                       // or sets, that every learner knows
    const double* sample_weight = nullptr;         // [rows], or none
    const double* targets = nullptr;               // [rows], of learners that predict a number; their labels are all 0
    const std::uint32_t* order = nullptr;          // positions to rows, or none: the given order
    std::size_t count = 0;                         // positions
    const std::uint32_t* training = nullptr;       // the rows that the pocket counts errors over, or none: all
    std::size_t training_count = 0;

    std::size_t label_of(std::size_t row) const {
        return std::min<std::size_t>(static_cast<std::uint32_t>(read_once(labels + row)), classes - 1);
    }
    double weight_of(const Learner& learner, std::size_t row, std::size_t label) const {
        return (sample_weight ? sample_weight[row] : 1.0) * (learner.label_sets ? 1.0 : learner.class_weight[label]);
    }
};

struct LearnFunctions {
    // Learns positions from..to-1 with every learner, their groups shared out over the threads.
    void (*pass)(const Examples&, std::vector<Learner*>&, std::size_t from, std::size_t to, int threads);
    // How many of the training rows a learner would count as a mistake now, without learning.
    std::uint64_t (*mistakes)(const Examples&, const Learner&);
    // scores[position][unit] of given weights ([unit][feature]), for positions from..to-1.
    void (*scores)(const Rows&, const std::uint32_t* order, std::size_t from, std::size_t to, const double* weights,
                   const double* bias, std::size_t units, double* scores);
    // scores[position][unit] by the weights that a learner has now.
    void (*learner_scores)(const Learner&, const Rows&, const std::uint32_t* order, std::size_t count, double* scores);
    // variances[row][unit] of these scores, by the variances of arow's weights.
    void (*learner_variances)(const Learner&, const Rows&, double* variances);
    // The score of one row by the only unit of a learner, with its last or its average weights.
    double (*score_one)(const Learner&, const Rows&, bool average);
    void (*end_batch)(Learner&);
    // At the end of an epoch: the weights of units that made no mistake in it go into the pocket unless it has better ones.
    void (*pocket_clean)(const Examples&, Learner&, const std::vector<std::uint64_t>& mistakes);
    // Regularised logistic regression (learn/batch/logistic_minimum.hpp).
    std::size_t (*minimise_logistic)(const Examples&, double alpha, std::size_t steps, double* weights);
    // Ridge regression (learn/batch/squared_minimum.hpp).
    void (*column_products)(const Examples&, const double* targets, double* products);
    std::size_t (*minimise_squared)(const Examples&, const double* targets, const double* products, double alpha, std::size_t steps,
                                    double* weights);
};

}  // namespace rosenblatt
