// Forgetting, for streams that drift: what was learned of an example counts half after a half-life of more examples.
//
//   constant, pa1, pa2:  the weights fade, w *= decay before each example; an average is one of weights that count alike
//   adagrad:             the sums of squared gradients fade, so that steps stay as large as the half-life makes them
//   arow:                variances grow, S /= decay, up to the 1 that they began at: what is old is less certain
//
// No weight is visited for it. What fades is stored in a unit that fades: w = unit * stored, S = min(stored / unit, 1), and a
// change is stored in the unit of its time. A unit that has become too small is taken back to about 1 by a power of 2, which
// rounds nothing, once in many half-lives.
#pragma once

#include "core/lane_sum.hpp"
#include "learn/state/learner.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

inline constexpr double unit_change = 1.0 / smallest_unit;

inline void take_back_unit(const Rule& rule, Group& group) {
    const auto each_number = [&](Weights& part, auto&& change) {
        for (Buffer* buffer : {&part.feature, &part.bias})
            for (std::size_t i = 0; i < buffer->size(); ++i) (*buffer)[i] = change((*buffer)[i]);
    };
    const auto smaller = [](double x) { return x / unit_change; };
    if (rule.fades_weights()) {
        each_number(group.weights, smaller);
        each_number(group.drift, smaller);
    } else if (rule.rate == Rate::arow) each_number(group.scale, [](double x) { return std::min(x * unit_change, 1.0); });
    else each_number(group.scale, smaller);
}

// One example more. True: the numbers that are stored have changed.
inline bool fade(const Rule& rule, Group& group) {
    const double unit = (rule.fades_weights() ? group.weight_unit : group.scale_unit) * rule.decay;
    const bool taken_back = unit < smallest_unit;
    if (taken_back) take_back_unit(rule, group);
    group.recent = rule.decay * group.recent + 1.0;
    group.set_unit(rule, taken_back ? unit * unit_change : unit);
    return taken_back;
}

// h = g x;  G += h^2;  w += eta h / (sqrt G + epsilon), G in its unit
template <int W>
struct FadingAdagrad {
    static constexpr bool scaled = true;
    vec<W> g;
    double eta, unit, inverse;
    template <class T>
    ROSENBLATT_INLINE T operator()(double* squares, T x) const {
        const T h = g * x;
        const T sum = load<T>(squares) + inverse * (h * h);
        store(squares, sum);
        return (eta * h) / (root(unit * sum) + adagrad_epsilon);
    }
};

template <class T>
ROSENBLATT_INLINE T faded_variance(T stored, double inverse) {
    const T grown = stored * inverse, most = splat<T>(1.0);
    return grown < most ? grown : most;
}

// z = S x;  w += a z;  S -= beta z^2, S in its unit
template <int W>
struct FadingArow {
    static constexpr bool scaled = true;
    vec<W> a, beta;
    double unit, inverse;
    template <class T>
    ROSENBLATT_INLINE T operator()(double* variances, T x) const {
        const T stored = load<T>(variances), s = faded_variance(stored, inverse), most = splat<T>(1.0);
        const T z = s * x;
        const T before = s < most ? stored : splat<T>(unit);
        const T after = before - unit * (beta * (z * z));
        store(variances, x != T{} ? after : stored);  // a feature that is 0 is not touched, as if it were absent
        return a * z;
    }
};

// The variance of the score, as variance() in core/lane_sum.hpp.
template <int W, class Row>
ROSENBLATT_INLINE vec<W> faded_score_variance(const Row& row, const Group& group) {
    const double* const variances = group.scale.feature.data();
    const double inverse = 1.0 / group.scale_unit;
    if constexpr (W == 1)
        return lane_sum(row, [&](std::size_t j, auto x) { return (faded_variance(load<decltype(x)>(variances + j), inverse) * x) * x; });
    else
        return lane_sums<W>(row, [&](std::size_t j, auto x) { return (faded_variance(load<vec<W>>(variances + j * W), inverse) * x) * x; });
}

}  // namespace rosenblatt::ROSENBLATT_ISA
