// Maps from scores to probabilities, fitted to examples that the model had not learned.
//
//     temperature  two classes: sigmoid of a s, a >= 0; k classes: (1 - doubt) softmax of a s_k + doubt / k, 0 <= doubt <= 1: some
//                  examples have nothing to do with their scores   (Guo and others 2017; the doubt as in Copas 1988)
//     platt        two classes: P(1) = sigmoid(z), z = a s + b, a >= 0                                   (Platt 1999)
//     beta         two classes: sigmoid(c + v softplus(z) - u softplus(-z)), z as above, u, v >= 0
//                  (Kull, Silva Filho and Flach 2017, written for scores: u = v = 1, c = 0 is Platt's map)
//     isotonic     two classes: the best rising map, linear between its knots (Zadrozny and Elkan 2002)
//     softmax      k classes, one score each: softmax of a_k s_k + b_k, drawn to one common a and to b = 0
//
// Parameters, as plain numbers:
//     platt a b; beta a b u v c; softmax all a, then all b: each followed by the lowest and the highest score, to which scores
//                  are clipped. The most extreme examples are left out of these two: no probability is more certain than what
//                  was seen, and one wild score does not bend the map.
//     temperature  a, the largest gap to the best score of a row (larger ones are clipped to it), of more than two classes the
//                  doubt
//     isotonic     the scores of the knots, then their probabilities
// The targets are Platt's, 1/(n + 2) away from 0 and 1: with two classes n is the number of examples of the class, with
// more classes that of all examples. Logits, the scores of a rule that models probabilities, need no such doubt for a
// temperature, nor those of many classes for a softmax: their common a is drawn to 1. (With doubt, a few scores far from
// 0 would flatten the map for all.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rosenblatt {

enum class MapKind : std::uint8_t { temperature, platt, beta, isotonic, softmax };

// Scores of `count` examples, one column of them for two classes, else one a class, and the class of each.
struct ScoredExamples {
    const double* scores;
    const std::int32_t* truth;
    std::size_t count, classes;
    bool logits = false;
    std::size_t columns() const { return classes == 2 ? 1 : classes; }
};

struct CalibrationFunctions {
    std::vector<double> (*fit)(MapKind, const ScoredExamples&);
    // `probabilities` [count][classes]; the truth is not read.
    void (*apply)(MapKind, const std::vector<double>& parameters, const ScoredExamples&, double* probabilities);
    // -log of the probability of the true class of each example, or of an even sample of many, by maps of each kind that are
    // fitted to the other folds.
    std::vector<std::vector<double>> (*cross_validated_losses)(const std::vector<MapKind>&, const ScoredExamples&, std::size_t folds);
};

}  // namespace rosenblatt
