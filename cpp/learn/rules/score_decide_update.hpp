// The learning contract: what happens to one example, for the units of a group that each decide on their own. The first
// half of this file scores it in lanes, decides whether it is a mistake, moves the weights and counts. The second half
// says how far they move and how (perceptron, gradient steps, pa1, pa2, arow).
// rules/joint_classes.hpp has the classes that decide jointly, rules/numbers.hpp the units that predict numbers,
// rules/rates_and_batches.hpp the steps that wait.
#pragma once

#include "core/lane_sum.hpp"
#include "learn/function_table.hpp"
#include "learn/rules/forgetting.hpp"
#include "learn/rules/rates_and_batches.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

struct Example {
    std::size_t row;
    std::size_t label;  // index of its class, or of its set of labels
    double weight;      // sample weight times class weight, never 0
    double largest;     // no value of the call is larger in absolute value (at least 1)
    double target = 0.0;  // where a number is predicted (rules/numbers.hpp)
};

// The update of W units: the factor of the example in each (0: none), and arow's beta.
template <int W>
struct Step {
    double factor[W] = {}, beta[W] = {};
    bool any = false;
};

// A margin y s as the rule sees it: its loss, and minus the slope of the loss (0: no update).
struct Slope {
    double loss, pull;
    bool mistake;
};

ROSENBLATT_INLINE Slope slope_of(const Rule&, double margin, double weight);
ROSENBLATT_INLINE double gradient_step(const Rule&, const Group&, double gradient);
ROSENBLATT_INLINE double closed_form_step(const Rule&, double shortfall, double norm, double weight, double& beta);
template <int W, class Row>
void norms(const Rule&, const Group&, const Row&, double (&norm)[W]);
template <int W, class Row>
void update(const Learner&, Group&, const Row&, const Example&, const Step<W>&);
struct NoObserver {
    ROSENBLATT_INLINE void operator()(auto&&...) const {}
};
inline constexpr NoObserver no_observer;

// s = w.x + b, summed in eight lanes (core/lane_sum.hpp). The unit is 1 unless weights fade (learn/rules/forgetting.hpp).
template <int W, class Row>
ROSENBLATT_INLINE vec<W> score(const Row& row, const Group& group) {
    return (dot<W>(row, group.weights.feature) + load<vec<W>>(group.weights.bias.data())) * group.weight_unit;
}

ROSENBLATT_INLINE bool is_mistake(const Rule& rule, double margin) {
    return rule.strict ? margin < rule.required : !(margin > rule.required);
}

template <int W>
ROSENBLATT_INLINE bool all_correct(const Rule& rule, const double* sign, vec<W> s) {
    const vec<W> margin = load<vec<W>>(sign) * s;
    if constexpr (W == 1) return *sign == 0.0 || !is_mistake(rule, margin);
    else {
        const mask<W> correct = rule.strict ? margin >= rule.required : margin > rule.required;
        return !any(~(correct | (load<vec<W>>(sign) == 0.0)));
    }
}

// How much the example counts for a unit whose target is y.
ROSENBLATT_INLINE double weight_for(const Learner& learner, const Group& group, std::size_t unit, const Example& example, double y) {
    return learner.weighs_labels && y > 0 ? example.weight * learner.class_weight[group.first + unit] : example.weight;
}

ROSENBLATT_INLINE void count_decision(Group& group, std::size_t unit, const Slope& slope) {
    Pocket& pocket = group.pockets[unit];
    pocket.run = slope.mistake ? 0 : pocket.run + 1;
    group.loss[unit] += slope.loss;
    group.mistakes[unit] += slope.mistake;
}

// True: it completed a batch, whose step moved the weights, or it was time to shrink them.
ROSENBLATT_INLINE bool count_example(const Rule& rule, Group& group) {
    ++group.t;
    if (rule.batch == 1) {
        ++group.step;
        if (!rule.changes_by_itself) return false;
        if (rule.fades) return fade(rule, group);
        if (group.t % shrink_every != 0) return false;
        shrink(rule, group, shrink_every);
        return true;
    }
    if (++group.in_batch != rule.batch) return false;
    end_batch(rule, group);
    return true;
}

// Learns the example from its scores: binary, one-vs-rest and one-vs-one units. True if weights may have changed.
template <int W, class Row>
ROSENBLATT_INLINE bool learn_units(const Learner& learner, Group& group, const Row& row, const Example& example, vec<W> scores) {
    const Rule& rule = learner.rule;
    if (rule.ignores_correct && all_correct<W>(rule, learner.signs_of(example.label, group), scores)) return count_example(rule, group);
    return learn_undecided<W>(learner, group, row, example, scores);
}

// The same where the rule learns from correct examples too, or some unit is wrong. (Not inlined: it would be compiled into every
// loop. Given copies: the loops that call it keep their row in registers.)
template <int W, class Row>
__attribute__((noinline)) bool learn_undecided(const Learner& learner, Group& group, Row row, Example example, vec<W> scores) {
    const Rule& rule = learner.rule;
    const double* const sign = learner.signs_of(example.label, group);
    double s[W], norm[W];
    store(s, scores);
    Step<W> step;
    for (std::size_t u = 0; u < W; ++u) {
        const double y = sign[u];
        if (y == 0.0) continue;
        const double weight = weight_for(learner, group, u, example, y);
        const Slope slope = slope_of(rule, y * s[u], weight);
        count_decision(group, u, slope);
        if (slope.pull == 0.0) continue;
        if (rule.closed_form()) {
            if (!step.any) norms<W>(rule, group, row, norm);
            step.factor[u] = y * closed_form_step(rule, rule.required - y * s[u], norm[u], weight, step.beta[u]);
        } else step.factor[u] = gradient_step(rule, group, rule.loss == Loss::squared ? weight * (y - s[u]) : y * slope.pull);
        step.any = true;
        if (rule.batch == 1) group.pockets[u].counted = group.pockets[u].in_pocket = false;
        log_update(rule, group, example.row, u, step.factor[u]);
    }
    if (step.any) update<W>(learner, group, row, example, step);
    return count_example(rule, group) || step.any;
}

// ---- How far: the factor of the example ------------------------------------------------------------------------------

// The squared loss takes its pull, weight (y - s), from the score itself; here it only says that there is one.
ROSENBLATT_INLINE Slope slope_of(const Rule& rule, double margin, double weight) {
    const bool mistake = is_mistake(rule, margin);
    switch (rule.loss) {
        case Loss::logistic: {
            const double e = exponential(margin);
            return {weight * (margin > 0 ? std::log1p(exponential(-margin)) : std::log1p(e) - margin), weight / (1.0 + e), mistake};
        }
        case Loss::squared: return {weight * (0.5 * ((1.0 - margin) * (1.0 - margin))), 1.0, mistake};
        default: {
            const double missing = rule.required - margin;
            return {mistake && missing > 0 ? weight * missing : 0.0, mistake ? weight : 0.0, mistake};
        }
    }
}

// |x|^2 with the constant 1, or for arow the variance of the score. (Not inlined: several functions need it, of few rules.)
template <int W, class Row>
__attribute__((noinline)) void norms(const Rule& rule, const Group& group, const Row& row, double (&norm)[W]) {
    if (rule.rate == Rate::arow) {
        vec<W> v = rule.fades ? faded_score_variance<W>(row, group) : variance<W>(row, group.scale.feature);
        const auto of_bias = load<vec<W>>(group.scale.bias.data());
        if (rule.intercept) v += rule.fades ? faded_variance(of_bias, 1.0 / group.scale_unit) : of_bias;
        store(norm, v);
    } else {
        const double q = squared_norm(row) + (rule.intercept ? 1.0 : 0.0);
        for (double& n : norm) n = q;
    }
}

// The closed-form rules, for the shortfall l = m - y s (Crammer and others 2006: pa1, pa2; 2009: arow).
ROSENBLATT_INLINE double closed_form_step(const Rule& rule, double shortfall, double norm, double weight, double& beta) {
    switch (rule.rate) {
        case Rate::pa1: {
            const double largest_step = rule.eta0 * weight, exact = shortfall / norm;
            return exact < largest_step ? exact : largest_step;
        }
        case Rate::pa2: return shortfall / (norm + 1.0 / (2.0 * (rule.eta0 * weight)));
        default:
            beta = 1.0 / (norm + rule.r / weight);
            return shortfall * beta;
    }
}

// The gradient itself where the rule scales it later.
ROSENBLATT_INLINE double gradient_step(const Rule& rule, const Group& group, double gradient) {
    return rule.batch != 1 || rule.rate == Rate::adagrad ? gradient : rate_at(rule, group.step) * gradient;
}

// ---- How: the weights move -------------------------------------------------------------------------------------------

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

// Eight entries of a sparse row at a time: their weights are gathered, moved as one vector and put back. The columns of
// a row are all different, and each element takes part in the same operations as alone, so the bits are the same.
// Not inlined: it would be compiled in many places.
template <bool averaged, class I, class V, class Delta, class Observer>
__attribute__((noinline)) std::size_t move_eights(Group& group, const SparseRow<I, V>& row, double before, const Delta& delta,
                                                  Observer& observer) {
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
            observer(static_cast<std::size_t>(j[l]), weight[l], static_cast<double>(row.value[k + l]), 0.0);
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

// Moves every weight the row touches, and the bias as the weight of the constant 1. With averaging each change d also
// adds before * d to the drift: the sum of the weights over t examples is t w - drift, however the changes are spaced.
// The observer sees each weight before and after: (index, old, value, new), so that a score can be summed on the way.
template <int W, bool averaged, class Row, class Delta, class Observer>
ROSENBLATT_INLINE void move_weights(Group& group, Row row, bool intercept, double before, const Delta& delta, Observer& observer) {
    double* const w = group.weights.feature.data();
    double* const drift = group.drift.feature.data();
    double* const scale = group.scale.feature.data();
    auto local = observer;  // a copy, which the compiler knows no weight overlaps
    const auto move = [&](double* weight, double* drifted, double* scaled, auto x, auto&& observe) ROSENBLATT_ALWAYS {
        using T = decltype(x);
        const T d = delta(scaled, x), old = load<T>(weight), moved = old + d;
        store(weight, moved);
        if constexpr (averaged) store(drifted, load<T>(drifted) + before * d);
        observe(old, moved);
    };
    if constexpr (W == 1 && Delta::scaled && requires { row.entries; }) {
        const std::size_t done = move_eights<averaged>(group, row, before, delta, local);
        row = {row.index + done, row.value + done, row.entries - done};
    }
    each_weight<W>(row, [&](std::size_t offset, auto x, auto... part) ROSENBLATT_ALWAYS {
        move(w + offset, averaged ? drift + offset : nullptr, Delta::scaled ? scale + offset : nullptr, x,
             [&](auto old, auto moved) ROSENBLATT_ALWAYS { local(offset, old, x, moved, part...); });
    });
    if constexpr (!std::is_const_v<Observer>) observer = local;
    if (intercept)
        move(group.weights.bias.data(), group.drift.bias.data(), group.scale.bias.data(), splat<vec<W>>(1.0), no_observer);
}

// No score, and no part of its sum, is larger in absolute value. (Of declared features: how many columns have occurred
// depends on the timing of threads; what is refused must not.)
ROSENBLATT_INLINE double score_bound(const Learner& learner, double weight_bound, double largest) {
    return weight_bound * largest * static_cast<double>(learner.declared_features + 1);
}

// Keeps an upper bound of all weights, so that overflow is detected without reading them. Each unit by itself: what is refused
// must not depend on the units that a layout puts into one group.
template <int W>
ROSENBLATT_INLINE void raise_bound(const Rule& rule, const Learner& learner, Group& group, const Example& example, const Step<W>& step) {
    // A variance of arow loses a multiple of x^2, and if that is 0 times infinity the variance is lost, also of a unit that stays.
    if (rule.rate == Rate::arow && !(score_bound(learner, group.largest_variance * example.largest, example.largest) < too_large))
        group.note_overflow(example.row);
    const bool adaptive = rule.rate == Rate::adagrad;
    const double scale = example.largest * (rule.batch != 1 ? rule.eta0 : group.largest_variance);
    for (std::size_t u = 0; u < W; ++u) {
        if (step.factor[u] == 0.0) continue;
        const double size = std::fabs(step.factor[u]), gradient = adaptive ? size * example.largest : 0.0;
        double& bound = group.unit_bounds[u];
        bound += adaptive ? rule.eta0 : size * scale;
        if (!(bound <= group.bound)) group.bound = bound;
        const double all_scores = score_bound(learner, bound, example.largest) * static_cast<double>(group.t + 1);
        if (!(all_scores < rule.largest_sum && gradient * gradient < rule.largest_sum)) [[unlikely]] group.note_overflow(example.row);
    }
}

// The rules with a rate for each weight, where weights fade; these have no average. Not inlined: few learners forget.
template <int W, class Row>
__attribute__((noinline)) void take_fading_step(const Rule& rule, Group& group, const Row& row, vec<W> a, const Step<W>& step) {
    const double unit = group.scale_unit;
    if (rule.rate == Rate::adagrad) move_weights<W, false>(group, row, rule.intercept, 0.0, FadingAdagrad<W>{a, rule.eta0, unit, 1.0 / unit}, no_observer);
    else move_weights<W, false>(group, row, rule.intercept, 0.0, FadingArow<W>{a, load<vec<W>>(step.beta), unit, 1.0 / unit}, no_observer);
}

template <int W, class Row, class Delta, class Observer>
ROSENBLATT_INLINE void move_by(const Rule& rule, Group& group, const Row& row, const Delta& delta, Observer& observer) {
    const auto before = static_cast<double>(group.t);
    if (rule.average) move_weights<W, true>(group, row, rule.intercept, before, delta, observer);
    else move_weights<W, false>(group, row, rule.intercept, before, delta, observer);
}

// The step of a rule whose factor does not depend on the score.
template <int W, class Row, class Observer>
ROSENBLATT_INLINE void take_gradient_step(const Rule& rule, Group& group, const Row& row, vec<W> a, Observer& observer) {
    if (rule.rate == Rate::adagrad) move_by<W>(rule, group, row, Adagrad<W>{a, rule.eta0}, observer);
    else move_by<W>(rule, group, row, Plain<W>{rule.fades ? a / group.weight_unit : a}, observer);
}

// Takes the step now, or adds it to the batch. Not inlined: it is most of the code, and would be compiled into every loop.
template <int W, class Row>
__attribute__((noinline)) void update(const Learner& learner, Group& group, const Row& row, const Example& example, const Step<W>& step) {
    const Rule& rule = learner.rule;
    raise_bound(rule, learner, group, example, step);
    const vec<W> a = load<vec<W>>(step.factor);
    if (rule.batch != 1) return add_to_batch<W>(rule, group, row, a);
    const bool has_own_rates = rule.rate == Rate::adagrad || rule.rate == Rate::arow;
    if (rule.fades && has_own_rates) return take_fading_step<W>(rule, group, row, a, step);
    if (rule.rate == Rate::arow) move_by<W>(rule, group, row, Arow<W>{a, load<vec<W>>(step.beta)}, no_observer);
    else take_gradient_step<W>(rule, group, row, a, no_observer);
}

}  // namespace rosenblatt::ROSENBLATT_ISA
