// Decisions that need no exact score. A score summed in whatever way is quickest lies within a known distance of the
// one that counts; where the decision is further away than that, both decide alike, and only the others are summed in
// lanes (the filters of exact geometry, Fortune and Van Wyk 1993). It saves time and changes no bit.
#pragma once

#include "visit.hpp"

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

// The score in as many sums side by side as keep the adders busy.
template <int W, class I, class V>
ROSENBLATT_INLINE vec<W> quick_score(const SparseRow<I, V>& row, const Group& group) {
    constexpr std::size_t chains = 4;
    const double* const weight = group.weights.feature.data();
    const auto term = [&](std::size_t k) ROSENBLATT_ALWAYS {
        return load<vec<W>>(weight + static_cast<std::size_t>(row.index[k]) * W) * static_cast<double>(row.value[k]);
    };
    vec<W> sum[chains] = {};
    std::size_t k = 0;
    for (; k + chains <= row.entries; k += chains)
        for (std::size_t c = 0; c < chains; ++c) sum[c] += term(k + c);
    for (; k < row.entries; ++k) sum[0] += term(k);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + load<vec<W>>(group.weights.bias.data());
}

// How far apart two sums of the same n products can lie: each errs by less than n 2^-53 times the sum of |w x|
// (Higham 2002, 4.2), which is at most n times the largest product. Twice that, so that this line may round as well.
ROSENBLATT_INLINE double distance_of_sums(std::size_t entries, const Group& group, double largest) {
    const auto n = static_cast<double>(entries + 4);
    return n * n * 0x1p-51 * (largest * group.bound);
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
    // A sum of numbers so large may overflow in one order and not in another; updates are watched for it (visit.hpp).
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
