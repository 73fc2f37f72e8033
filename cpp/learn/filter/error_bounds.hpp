// Decisions that need no exact score. A score summed in whatever way is quickest lies within a known distance of the
// one that counts; where the decision is further away than that, both decide alike, and only the others are summed in
// lanes (the filters of exact geometry, Fortune and Van Wyk 1993). It saves time and changes no bit.
#pragma once

#include "learn/learn_example.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

enum class Verdict : std::uint8_t { open, right, wrong };

// What a score that may be off by `distance` says of an example. Of several units it only says whether all are right.
template <int W>
ROSENBLATT_INLINE Verdict verdict_of(const Rule& rule, const double* sign, vec<W> s, double distance) {
    const vec<W> margin = load<vec<W>>(sign) * s;
    const double enough = rule.required + distance;
    if constexpr (W == 1) {
        if (margin > enough || *sign == 0.0) return Verdict::right;
        return margin < rule.required - distance ? Verdict::wrong : Verdict::open;
    } else return any(~((margin > enough) | (load<vec<W>>(sign) == 0.0))) ? Verdict::open : Verdict::right;
}

// Sums over a sparse row of what is laid out as weights are, in as many chains side by side as keep the adders busy.
template <int W, std::size_t parts, class I, class V>
ROSENBLATT_INLINE void quick_dots(const SparseRow<I, V>& row, const double* const (&of)[parts], vec<W> (&result)[parts]) {
    constexpr std::size_t chains = 4;
    vec<W> sum[parts][chains] = {};
    const auto add = [&](std::size_t k, std::size_t c) ROSENBLATT_ALWAYS {
        const std::size_t j = static_cast<std::size_t>(row.index[k]) * W;
        for (std::size_t p = 0; p < parts; ++p) sum[p][c] += load<vec<W>>(of[p] + j) * static_cast<double>(row.value[k]);
    };
    std::size_t k = 0;
    for (; k + chains <= row.entries; k += chains)
        for (std::size_t c = 0; c < chains; ++c) add(k + c, c);
    for (; k < row.entries; ++k) add(k, 0);
    for (std::size_t p = 0; p < parts; ++p) result[p] = (sum[p][0] + sum[p][1]) + (sum[p][2] + sum[p][3]);
}

template <int W, class I, class V>
ROSENBLATT_INLINE vec<W> quick_score(const SparseRow<I, V>& row, const Group& group) {
    const double* const of[] = {group.weights.feature.data()};
    vec<W> s[1];
    quick_dots<W>(row, of, s);
    return s[0] + load<vec<W>>(group.weights.bias.data());
}

// The scores of the last weights and of their average so far, w - drift / t, of one unit.
template <class I, class V>
ROSENBLATT_INLINE std::pair<double, double> quick_scores(const SparseRow<I, V>& row, const Group& group) {
    const double* const of[] = {group.weights.feature.data(), group.drift.feature.data()};
    double s[2];
    quick_dots<1>(row, of, s);
    const double last = s[0] + group.weights.bias[0];
    return {last, last - (s[1] + group.drift.bias[0]) / static_cast<double>(group.t)};
}

// How far apart two sums of the same n products can lie: each errs by less than n 2^-53 times the sum of |w x|
// (Higham 2002, 4.2), which is at most n times the largest product. Twice that, so that this line may round as well.
ROSENBLATT_INLINE double distance_of_sums(std::size_t entries, const Group& group, double largest) {
    const auto n = static_cast<double>(entries + 4);
    return n * n * 0x1p-51 * (largest * group.bound);
}

// The same of the scores of averages: no part of a drift is larger than t times the bound, so its sum adds as much
// again, and the three operations that join both less than that.
ROSENBLATT_INLINE double distance_of_averages(std::size_t entries, const Group& group, double largest) {
    return 4.0 * distance_of_sums(entries, group, largest);
}

// Whether to look before an exact score. There is nothing to be had where every example changes the weights, or where
// the scores themselves are asked for; and where many examples are mistakes, looking rests for some time.
class Looking {
public:
    static constexpr unsigned rest = 1024;

    Looking(const Learner& learner, double largest) {
        const Rule& rule = learner.rule;
        allowed_ = rule.quiet && !(learner.judged && learner.groups.size() > 1) && !overflows(learner, largest);
        const bool decides = rule.scheme == Scheme::binary && rule.required == 0.0;
        moves_ = allowed_ && rule.batch == 1 && !rule.closed_form() && (!learner.judged || decides);
    }
    bool allowed() const { return allowed_; }

    // A certain mistake moves the weights by a step that does not depend on the score: both are one sweep. (For a
    // learner that counts its wrong decisions a mistake must be one.)
    bool moves() const { return moves_; }

    ROSENBLATT_INLINE bool now() {
        if (resting_ == 0) return allowed_;
        --resting_;
        return false;
    }
    void helped(std::size_t times) { luck_ = times < most ? std::min(luck_ + static_cast<int>(times), most) : most; }
    ROSENBLATT_INLINE void heard(bool helped) {
        luck_ = helped ? std::min(luck_ + 1, most) : luck_ - price;
        if (luck_ >= 0) return;
        luck_ = most / 2;
        resting_ = rest;
    }

private:
    // A sum of numbers so large may overflow in one order and not in another; updates are watched for it (learn/learn_example.hpp).
    static bool overflows(const Learner& learner, double largest) {
        return std::any_of(learner.groups.begin(), learner.groups.end(), [&](const Group& group) {
            return !(reach_of(learner, group, std::max(1.0, largest)) < too_large);
        });
    }

    static constexpr int price = 3, most = 64;  // a look in vain costs about three times what one in luck saves
    bool allowed_, moves_;
    int luck_ = most / 2;
    unsigned resting_ = 0;
};

// A certain mistake: the weights move while what they said is added up. The coefficient of the example is returned.
// (Not inlined: the way of those that are right is to stay short.)
template <class Row, class Hear>
__attribute__((noinline)) double learn_mistake(const Learner& learner, Group& group, const Row& row,
                                               const Example& example, Hear&& heard) {
    const Rule& rule = learner.rule;
    const double y = learner.signs[example.label * learner.sign_stride + group.first], bias = group.weights.bias[0];
    Answer<1> answer;
    answer.a[0] = gradient_step(rule, group, y * example.weight);
    update<1>(learner, group, row, example, answer, heard);
    count(group, 0, slope_of(rule, y * (heard.score() + bias), example.weight));
    group.pockets[0].judged = group.pockets[0].held = false;
    record(rule, group, example, 0, answer.a[0]);
    seen(rule, group);
    return answer.a[0];
}

}  // namespace rosenblatt::ROSENBLATT_ISA
