// One example meets one learner: score, decide, update. The learning contract is written here, line by line.
#pragma once

#include "learn/update.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

struct Example {
    std::size_t row;
    std::size_t label;     // index of its class
    double weight;         // sample weight times class weight, never 0
    double largest;        // no value of the call is larger in absolute value (at least 1)
};

// What a rule answers for W units: the coefficient of the example in the update of each (0: none), and arow's beta.
template <int W>
struct Answer {
    double a[W] = {};
    double beta[W] = {};
    bool any = false;
};

template <int W>
ROSENBLATT_INLINE vec<W> vector(const double (&from)[W]) {
    return load<vec<W>>(from);
}

ROSENBLATT_INLINE bool is_mistake(const Rule& rule, double margin) {
    return rule.strict ? margin < rule.required : !(margin > rule.required);
}

// The loss of a margin y s, and the slope times -1: by how much the update follows the example (before the rate).
// The squared loss takes its pull, c (y - s), from the score itself; here it only says that there is one.
struct Slope {
    double loss, pull;
    bool mistake;
};

ROSENBLATT_INLINE Slope slope_of(const Rule& rule, double margin, double c) {
    const bool mistake = is_mistake(rule, margin);
    switch (rule.loss) {
        case Loss::logistic: {
            const double e = exponential(margin);
            return {c * (margin > 0 ? std::log1p(exponential(-margin)) : std::log1p(e) - margin), c / (1.0 + e), mistake};
        }
        case Loss::squared: return {c * (0.5 * ((1.0 - margin) * (1.0 - margin))), 1.0, mistake};
        default: {
            const double missing = rule.required - margin;
            return {mistake && missing > 0 ? c * missing : 0.0, mistake ? c : 0.0, mistake};
        }
    }
}

// The step of the closed-form rules for the shortfall l = m - y s; `norm` is |x|^2 (with the constant 1), or the
// variance of the score for arow, and is asked for only here.
ROSENBLATT_INLINE double closed_form_step(const Rule& rule, double shortfall, double norm, double c, double& beta) {
    switch (rule.rate) {
        case Rate::pa1: {
            const double most = rule.eta0 * c, exact = shortfall / norm;
            return exact < most ? exact : most;
        }
        case Rate::pa2: return shortfall / (norm + 1.0 / (2.0 * (rule.eta0 * c)));
        default:
            beta = 1.0 / (norm + rule.r / c);
            return shortfall * beta;
    }
}

ROSENBLATT_INLINE void record(const Rule& rule, Group& group, const Example& example, std::size_t unit, double a) {
    if (!rule.record) return;
    const double factor = rule.batch != 1 && rule.rate != Rate::adagrad ? rate_at(rule, group.step) * a : a;
    group.log.push_back({group.t, example.row, static_cast<std::uint32_t>(group.first + unit), factor});
}

inline constexpr double too_large = 1e290;

// No score, and no part of its sum, is larger in absolute value. (How many columns were met depends on which thread was
// first; what is refused must not.)
ROSENBLATT_INLINE double reach_of(const Learner& learner, const Group& group, double largest) {
    return group.bound * largest * static_cast<double>(learner.told + 1);
}

// Keeps an upper bound of all weights, so that overflow is known without looking at them.
template <int W>
ROSENBLATT_INLINE void watch(const Rule& rule, const Learner& learner, Group& group, const Example& example,
                             const Answer<W>& answer) {
    double sum = 0.0;
    for (int u = 0; u < W; ++u) sum += std::fabs(answer.a[u]);
    const bool adaptive = rule.rate == Rate::adagrad;
    group.bound += adaptive ? rule.eta0 : sum * example.largest * (rule.batch != 1 ? rule.eta0 : 1.0);
    const double reach = reach_of(learner, group, example.largest);
    const double squares = adaptive ? sum * example.largest * (sum * example.largest) : 0.0;
    if (!(reach * static_cast<double>(group.t + 1) < too_large && squares < too_large) && group.overflow_row < 0)
        group.overflow_row = static_cast<std::int64_t>(example.row);
}

// Applies the answer now, or gathers it for the end of the batch.
template <int W, class Row, class Hear = const Unheard>
ROSENBLATT_INLINE void update(const Learner& learner, Group& group, const Row& row, const Example& example,
                              const Answer<W>& answer, Hear& hear = unheard) {
    const Rule& rule = learner.rule;
    watch(rule, learner, group, example, answer);
    const vec<W> a = vector(answer.a);
    if (rule.batch != 1) gather<W>(rule, group, row, a);
    else if (rule.rate == Rate::adagrad) move<W>(rule, group, row, Adagrad<W>{a, rule.eta0}, hear);
    else if (rule.rate == Rate::arow) move<W>(rule, group, row, Arow<W>{a, vector(answer.beta)}, hear);
    else move<W>(rule, group, row, Plain<W>{a}, hear);
}

// The example has been seen: counters move, and a full batch makes its step; true if it did.
ROSENBLATT_INLINE bool seen(const Rule& rule, Group& group) {
    ++group.t;
    if (rule.batch == 1) {
        ++group.step;
        return false;
    }
    if (++group.in_batch != rule.batch) return false;
    end_batch(rule, group);
    return true;
}

template <int W, class Row>
ROSENBLATT_INLINE vec<W> score(const Row& row, const Group& group) {
    return dot<W>(row, group.weights.feature) + load<vec<W>>(group.weights.bias.data());
}

template <int W, class Row>
ROSENBLATT_INLINE void norms(const Rule& rule, const Group& group, const Row& row, double (&norm)[W]) {
    if (rule.rate == Rate::arow) {
        vec<W> v = variance<W>(row, group.scale.feature);
        if (rule.intercept) v += load<vec<W>>(group.scale.bias.data());
        store(norm, v);
    } else {
        const double q = squared_norm(row) + (rule.intercept ? 1.0 : 0.0);
        for (double& n : norm) n = q;
    }
}

// The multiplier of the example from its slope: the gradient itself where the rule scales it later.
ROSENBLATT_INLINE double gradient_step(const Rule& rule, const Group& group, double g) {
    return rule.batch != 1 || rule.rate == Rate::adagrad ? g : rate_at(rule, group.step) * g;
}

template <int W>
ROSENBLATT_INLINE bool none_mistaken(const Rule& rule, const double* sign, vec<W> s) {
    if (!rule.quiet) return false;
    const vec<W> margin = load<vec<W>>(sign) * s;
    if constexpr (W == 1) return *sign == 0.0 || !is_mistake(rule, margin);
    else {
        const mask<W> fine = rule.strict ? margin >= rule.required : margin > rule.required;
        return !any(~(fine | (load<vec<W>>(sign) == 0.0)));
    }
}

ROSENBLATT_INLINE void count(Group& group, std::size_t unit, const Slope& slope) {
    Pocket& pocket = group.pockets[unit];
    pocket.run = slope.mistake ? 0 : pocket.run + 1;
    group.loss[unit] += slope.loss;
    group.mistakes[unit] += slope.mistake;
}

// Units that decide on their own: binary, one-vs-rest, one-vs-one. True if their weights may have changed.
template <int W, class Row>
ROSENBLATT_INLINE bool visit_apart(const Learner& learner, Group& group, const Row& row, const Example& example,
                                   vec<W> scores) {
    const Rule& rule = learner.rule;
    const double* sign = learner.signs.data() + example.label * learner.sign_stride + group.first;
    if (none_mistaken<W>(rule, sign, scores)) return seen(rule, group);
    double s[W];
    store(s, scores);

    Answer<W> answer;
    double norm[W];
    for (std::size_t u = 0; u < W; ++u) {
        const double y = sign[u];
        if (y == 0.0) continue;
        const Slope slope = slope_of(rule, y * s[u], example.weight);
        count(group, u, slope);
        if (slope.pull == 0.0) continue;
        if (rule.closed_form()) {
            if (!answer.any) norms<W>(rule, group, row, norm);
            answer.a[u] = y * closed_form_step(rule, rule.required - y * s[u], norm[u], example.weight, answer.beta[u]);
        } else {
            const double g = rule.loss == Loss::squared ? example.weight * (y - s[u]) : y * slope.pull;
            answer.a[u] = gradient_step(rule, group, g);
        }
        answer.any = true;
        if (rule.batch == 1) group.pockets[u].judged = group.pockets[u].held = false;
        record(rule, group, example, u, answer.a[u]);
    }
    if (answer.any) update<W>(learner, group, row, example, answer);
    return seen(rule, group) || answer.any;
}

// Calls f with the width of the group as a constant.
template <class F>
ROSENBLATT_INLINE void with_width(std::size_t width, F&& f) {
    if (width == 8) f(std::integral_constant<int, 8>{});
    else if (width == 4) f(std::integral_constant<int, 4>{});
    else f(std::integral_constant<int, 1>{});
}

template <class Row>
inline void all_scores(const Learner& learner, const Row& row, double* s) {
    for (const Group& group : learner.groups)
        with_width(group.width, [&](auto W) { store(s + group.first, score<W()>(row, group)); });
}

inline std::size_t best_other(const double* s, std::size_t classes, std::size_t label) {
    std::size_t best = label == 0 ? 1 : 0;
    for (std::size_t k = best + 1; k < classes; ++k)
        if (k != label && s[k] > s[best]) best = k;
    return best;
}

// The pull on every class when the classes decide together: Kesler's construction moves the right class towards the
// example and the best of the others away from it; the softmax moves all of them.
inline void joint_pulls(const Rule& rule, const Example& example, const double* s, std::size_t other, double* pull,
                        double& loss) {
    if (rule.loss != Loss::logistic) {
        pull[example.label] = example.weight;
        pull[other] = -example.weight;
        return;
    }
    const double top = *std::max_element(s, s + rule.classes);
    double sum = 0.0;
    for (std::size_t k = 0; k < rule.classes; ++k) sum += pull[k] = exponential(s[k] - top);
    for (std::size_t k = 0; k < rule.classes; ++k)
        pull[k] = example.weight * ((k == example.label ? 1.0 : 0.0) - pull[k] / sum);
    loss = example.weight * (std::log(sum) - (s[example.label] - top));
}

template <class Row>
inline double joint_norm(const Learner& learner, const Row& row, std::size_t label, std::size_t other) {
    double of[2] = {};
    for (const Group& group : learner.groups)
        with_width(group.width, [&](auto W) {
            double norm[W()];
            norms<W()>(learner.rule, group, row, norm);
            if (label - group.first < group.units) of[0] = norm[label - group.first];
            if (other - group.first < group.units) of[1] = norm[other - group.first];
        });
    return of[0] + of[1];
}

// One argmax decision over all units, from their scores; changed(group) is called for those whose weights may have.
template <class Row, class Changed>
inline void visit_jointly(Learner& learner, const Row& row, const Example& example, const double* s,
                          std::vector<double>& room, Changed&& changed) {
    const Rule& rule = learner.rule;
    Group& head = learner.groups.front();
    room.assign(2 * learner.sign_stride, 0.0);
    double *const a = room.data(), *const beta = a + learner.sign_stride;
    const std::size_t label = example.label, other = best_other(s, rule.classes, label);
    const double gap = s[label] - s[other];
    Slope slope = slope_of(rule, gap, example.weight);
    Pocket& pocket = head.pockets[0];
    pocket.run = slope.mistake ? 0 : pocket.run + 1;
    head.mistakes[0] += slope.mistake;
    if (slope.pull != 0.0) {
        if (rule.closed_form()) {
            const double norm = joint_norm(learner, row, label, other);
            a[label] = closed_form_step(rule, rule.required - gap, norm, example.weight, beta[label]);
            a[other] = -a[label];
            beta[other] = beta[label];
        } else {
            joint_pulls(rule, example, s, other, a, slope.loss);
            for (std::size_t k = 0; k < rule.classes; ++k) a[k] = gradient_step(rule, head, a[k]);
        }
        if (rule.batch == 1) pocket.judged = pocket.held = false;
    }
    head.loss[0] += slope.loss;
    for (Group& group : learner.groups) {
        bool moved = false;
        with_width(group.width, [&](auto W) {
            Answer<W()> answer;
            for (std::size_t u = 0; u < group.units; ++u) {
                answer.a[u] = a[group.first + u];
                answer.beta[u] = beta[group.first + u];
                if (answer.a[u] == 0.0) continue;
                answer.any = true;
                record(rule, group, example, u, answer.a[u]);
            }
            if (answer.any) update<W()>(learner, group, row, example, answer);
            moved = answer.any;
        });
        if (seen(rule, group) || moved) changed(group);
    }
}

}  // namespace rosenblatt::ROSENBLATT_ISA
