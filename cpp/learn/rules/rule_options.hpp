// The options of a learner: the loss it lowers, its learning rate, how its units share the classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace rosenblatt {

enum class Loss : std::uint8_t { perceptron, hinge, logistic, squared, absolute, quantile, huber };  // the last three: of numbers
enum class Rate : std::uint8_t { constant, inverse, invsqrt, adagrad, pa1, pa2, arow, invariant };
enum class Scheme : std::uint8_t { binary, ovr, ovo, joint, multi_label, number };

// The batch is the epoch (fit) or the call (partial_fit): no number of rows ends it.
inline constexpr std::uint64_t full_batch = std::numeric_limits<std::uint64_t>::max();

inline constexpr double adagrad_epsilon = 1e-10;
inline constexpr double too_large = 1e290;
inline constexpr double smallest_unit = 0x1p-512;  // of weights that fade (learn/rules/forgetting.hpp)

struct Rule {
    Loss loss = Loss::perceptron;
    Rate rate = Rate::constant;
    Scheme scheme = Scheme::binary;
    double eta0 = 1.0;
    double margin = 0.0;
    double r = 1.0;                // arow's regularisation: the larger, the smaller the steps
    double alpha = 0.0, l1 = 0.0;  // regularisation: alpha/2 |w|^2 + l1 |w|_1 is added to the mean loss
    double decay = 1.0;            // what an example counts after one more; below 1 it is forgotten (learn/rules/forgetting.hpp)
    std::uint64_t batch = 1;
    std::size_t classes = 2;
    std::size_t answers = 1;       // of a rule that predicts numbers: one, or one for each level of a quantile
    double width = 1.0;            // of huber's loss: how far it is squared
    bool intercept = true;
    bool average = false;
    bool pocket = false;
    bool record = false;

    // Derived from the above. An example is a mistake when y*s <= required, or, when the rule is strict, y*s < required.
    // If the rule ignores correct examples, one that is not a mistake changes nothing but t and step.
    double required = 0.0;
    bool strict = false;
    bool ignores_correct = true;
    bool shrinks = false, fades = false;
    bool changes_by_itself = false;  // weights change without an update: they shrink or fade
    double largest_sum = 0.0;        // beyond it sums may overflow; for numbers, their squares

    void derive() {
        const bool mistake_driven = loss == Loss::perceptron || loss == Loss::hinge;
        ignores_correct = mistake_driven && !pocket;
        strict = loss == Loss::hinge || closed_form();
        shrinks = alpha > 0 || l1 > 0;
        fades = decay < 1.0;
        changes_by_itself = shrinks || fades;
        largest_sum = scheme == Scheme::number ? 0x1p450 : fades ? too_large * smallest_unit : too_large;
        if (strict) required = margin > 0 ? margin : 1.0;
        else required = loss == Loss::perceptron ? margin : 0.0;
    }

    // Rules with a rate for each weight forget through these rates, the others through the weights themselves.
    bool fades_weights() const { return fades && rate != Rate::adagrad && rate != Rate::arow; }
    // These solve "reach y*s >= m by the smallest change of the weights"; their papers take m = 1.
    bool closed_form() const { return rate == Rate::pa1 || rate == Rate::pa2 || rate == Rate::arow; }
    // For numbers: a step may overshoot and end further away than it began. Huber's loss is squared up to its width,
    // which may be large.
    bool may_diverge() const {
        return (loss == Loss::squared || loss == Loss::huber) && (rate == Rate::constant || rate == Rate::inverse || rate == Rate::invsqrt);
    }
    bool needs_norm() const { return closed_form() || rate == Rate::invariant; }
    std::size_t unit_count() const {
        switch (scheme) {
            case Scheme::number: return answers;
            case Scheme::binary: return 1;
            case Scheme::ovo: return classes * (classes - 1) / 2;
            default: return classes;
        }
    }
};

}  // namespace rosenblatt
