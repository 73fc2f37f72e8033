// Updates: how the weights of a group move once a rule has said how much the example counts.
#pragma once

#include "core/lane_sum.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// w += a x                                                             (Rosenblatt; also PA, and every gradient step)
template <int W>
struct Plain {
    static constexpr bool scaled = false;
    vec<W> a;
    template <class T>
    ROSENBLATT_INLINE T operator()(double*, T x) const { return a * x; }
};

// h = g x;  G += h^2;  w += eta h / (sqrt G + epsilon)                 (Duchi, Hazan and Singer 2011, diagonal)
template <int W>
struct Adagrad {
    static constexpr bool scaled = true;
    vec<W> g;
    double eta;
    template <class T>
    ROSENBLATT_INLINE T operator()(double* squares, T x) const {
        const T h = g * x;
        const T sum = load<T>(squares) + h * h;
        store(squares, sum);
        return (eta * h) / (root(sum) + adagrad_epsilon);
    }
};

// z = S x;  w += a z;  S -= beta z^2                                   (Crammer, Kulesza and Dredze 2009, diagonal)
template <int W>
struct Arow {
    static constexpr bool scaled = true;
    vec<W> a, beta;
    template <class T>
    ROSENBLATT_INLINE T operator()(double* variances, T x) const {
        const T s = load<T>(variances);
        const T z = s * x;
        store(variances, s - beta * (z * z));
        return a * z;
    }
};

// What the weights of one unit said of the row before they moved, added up while they move; or nothing of it.
struct Unheard {
    template <class... Of>
    ROSENBLATT_INLINE void operator()(Of&&...) const {}
};
inline constexpr Unheard unheard;

struct HeardSparse {
    double lane[8] = {};
    ROSENBLATT_INLINE void operator()(std::size_t j, double w, double x, double) { lane[j & 7] += w * x; }
    double score() const { return tree(lane); }
};

// Eight entries of a sparse row at a time: their weights are gathered, moved as one vector and put back. The columns of
// a row are all different, and each element meets the same operations as alone, so the bits are the same.
// Not inlined: it would stand in many places, and take long to compile in each.
template <bool averaged, class I, class V, class Delta, class Hear>
__attribute__((noinline)) std::size_t move_eights(Group& group, const SparseRow<I, V>& row, double before,
                                                  const Delta& delta, Hear& hear) {
    double* const w = group.weights.feature.data();
    double* const drift = group.drift.feature.data();
    double* const scale = group.scale.feature.data();
    std::size_t k = 0;
    for (; k + 8 <= row.entries; k += 8) {
        const I* const j = row.index + k;
        alignas(64) double weight[8], drifted[8], scaled[8];
        for (int l = 0; l < 8; ++l) {
            weight[l] = w[j[l]];
            if constexpr (Delta::scaled) scaled[l] = scale[j[l]];
            if constexpr (averaged) drifted[l] = drift[j[l]];
        }
        for (int l = 0; l < 8; ++l)
            hear(static_cast<std::size_t>(j[l]), weight[l], static_cast<double>(row.value[k + l]), 0.0);
        const vec<8> d = delta(scaled, widen(row.value + k));
        store(weight, load<vec<8>>(weight) + d);
        if constexpr (averaged) store(drifted, load<vec<8>>(drifted) + before * d);
        for (int l = 0; l < 8; ++l) {
            w[j[l]] = weight[l];
            if constexpr (Delta::scaled) scale[j[l]] = scaled[l];
            if constexpr (averaged) drift[j[l]] = drifted[l];
        }
    }
    return k;
}

template <bool averaged, class V, class Delta, class Hear>
ROSENBLATT_INLINE std::size_t move_eights(Group&, const DenseRow<V>&, double, const Delta&, Hear&) {
    return 0;
}

template <class I, class V>
ROSENBLATT_INLINE SparseRow<I, V> rest_of(const SparseRow<I, V>& row, std::size_t from) {
    return {row.index + from, row.value + from, row.entries - from};
}

template <class V>
ROSENBLATT_INLINE const DenseRow<V>& rest_of(const DenseRow<V>& row, std::size_t) {
    return row;
}

// Moves every weight the row touches, and the bias as the weight of the constant 1. With averaging each change d also
// adds before * d to the drift: the sum of the weights over t examples is t w - drift, however the changes are spaced.
template <int W, bool averaged, class Row, class Delta, class Hear>
ROSENBLATT_INLINE void move(Group& group, const Row& row, bool intercept, double before, const Delta& delta,
                            Hear& hear) {
    double* const w = group.weights.feature.data();
    double* const drift = group.drift.feature.data();
    double* const scale = group.scale.feature.data();
    auto heard_of = hear;  // by itself, where no weight that is written can be taken for it
    const auto at = [&](double* weight, double* drifted, double* scaled, auto x, auto&& heard) ROSENBLATT_ALWAYS {
        using T = decltype(x);
        const T d = delta(scaled, x), old = load<T>(weight), moved = old + d;
        store(weight, moved);
        if constexpr (averaged) store(drifted, load<T>(drifted) + before * d);
        heard(old, moved);
    };
    std::size_t done = 0;
    if constexpr (W == 1 && Delta::scaled) done = move_eights<averaged>(group, row, before, delta, heard_of);
    each_weight<W>(rest_of(row, done), [&](std::size_t offset, auto x, auto... part) ROSENBLATT_ALWAYS {
        at(w + offset, averaged ? drift + offset : nullptr, Delta::scaled ? scale + offset : nullptr, x,
           [&](auto old, auto moved) ROSENBLATT_ALWAYS { heard_of(offset, old, x, moved, part...); });
    });
    if constexpr (!std::is_const_v<Hear>) hear = heard_of;
    if (intercept)
        at(group.weights.bias.data(), group.drift.bias.data(), group.scale.bias.data(), splat<vec<W>>(1.0), unheard);
}

template <int W, class Row, class Delta, class Hear>
ROSENBLATT_INLINE void move(const Rule& rule, Group& group, const Row& row, const Delta& delta, Hear& hear) {
    const auto before = static_cast<double>(group.t);
    if (rule.average) move<W, true>(group, row, rule.intercept, before, delta, hear);
    else move<W, false>(group, row, rule.intercept, before, delta, hear);
}

// Within a batch the weights wait: the gradient is gathered, row by row.
template <int W, class V>
ROSENBLATT_INLINE void touch(Group& group, const DenseRow<V>&) { group.touched_all = true; }

template <int W, class I, class V>
ROSENBLATT_INLINE void touch(Group& group, const SparseRow<I, V>& row) {
    for (std::size_t k = 0; k < row.entries; ++k) {
        const auto j = static_cast<std::size_t>(row.index[k]);
        if (group.touched[j]) continue;
        group.touched[j] = 1;
        group.touched_list.push_back(static_cast<std::uint32_t>(j));
    }
}

template <int W, class Row>
ROSENBLATT_INLINE void gather(const Rule& rule, Group& group, const Row& row, vec<W> g) {
    touch<W>(group, row);
    double* const pending = group.pending.feature.data();
    each_weight<W>(row, [&](std::size_t offset, auto x) {
        using T = decltype(x);
        store(pending + offset, load<T>(pending + offset) + g * x);
    });
    if (rule.intercept) {
        double* const bias = group.pending.bias.data();
        store(bias, load<vec<W>>(bias) + g);
    }
}

ROSENBLATT_INLINE double rate_at(const Rule& rule, std::uint64_t step) {
    const double passed = 1.0 + static_cast<double>(step);
    if (rule.rate == Rate::inverse) return rule.eta0 / passed;
    if (rule.rate == Rate::invsqrt) return rule.eta0 / std::sqrt(passed);
    return rule.eta0;
}

// One step of a batch for one weight, where the pending gradient stands for the example.
struct Step {
    bool adaptive;
    double rate, before;

    ROSENBLATT_INLINE double change(double pending, double& squares) const {
        if (!adaptive) return rate * pending;
        squares += pending * pending;
        return (rate * pending) / (std::sqrt(squares) + adagrad_epsilon);
    }
};

inline Step step_of(const Rule& rule, const Group& group) {
    return {rule.rate == Rate::adagrad, rate_at(rule, group.step), static_cast<double>(group.t - 1)};
}

inline void step_weight(const Rule& rule, const Step& step, Weights& w, Weights& drift, Weights& scale, Weights& pending,
                        Buffer Weights::*part, std::size_t at) {
    double none = 0.0;
    const double d = step.change((pending.*part)[at], step.adaptive ? (scale.*part)[at] : none);
    (w.*part)[at] += d;
    if (rule.average) (drift.*part)[at] += step.before * d;
    (pending.*part)[at] = 0.0;
}

// The end of a batch: the weights take the whole step.
inline void end_batch(const Rule& rule, Group& group) {
    if (group.in_batch == 0) return;
    const Step step = step_of(rule, group);
    const auto feature = [&](std::size_t j) {
        for (std::size_t u = 0; u < group.width; ++u)
            step_weight(rule, step, group.weights, group.drift, group.scale, group.pending, &Weights::feature,
                        j * group.width + u);
    };
    if (group.touched_all)
        for (std::size_t j = 0; j < group.touched.size(); ++j) feature(j);
    else
        for (const std::uint32_t j : group.touched_list) feature(j);
    for (const std::uint32_t j : group.touched_list) group.touched[j] = 0;
    group.touched_list.clear();
    group.touched_all = false;
    for (std::size_t u = 0; u < group.width; ++u)
        step_weight(rule, step, group.weights, group.drift, group.scale, group.pending, &Weights::bias, u);
    for (Pocket& pocket : group.pockets) pocket.judged = pocket.held = false;
    ++group.step;
    group.in_batch = 0;
}

}  // namespace rosenblatt::ROSENBLATT_ISA
