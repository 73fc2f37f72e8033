// What a learner would have predicted, from the scores it has just given: for counting its errors while it learns.
#pragma once

#include "learn/majority.hpp"
#include "learn/learn_example.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

inline std::size_t winner(const double* s, std::size_t classes) {
    std::vector<double> room(2 * classes);
    majority(s, classes, room.data(), room.data() + classes);
    return highest(room.data(), classes);
}

// The index of the class that the scores of all units stand for.
inline std::size_t decision(const Rule& rule, const double* s) {
    if (rule.scheme == Scheme::binary) return s[0] > 0;
    return rule.scheme == Scheme::ovo ? winner(s, rule.classes) : highest(s, rule.classes);
}

// A learner whose answer is its average is judged by the average so far. The last weights, which have scored already,
// stand for it, and what the average does otherwise is added for every example at first and for one in `every` later,
// `every` times: in the mean that is the number of its errors, for the price of a score now and then.
inline constexpr std::uint64_t all_averaged = std::uint64_t{1} << 15, every = 4;

// How many examples this one stands for; 0: the average is not asked.
ROSENBLATT_INLINE double stands_for(const Learner& learner, const Group& group) {
    if (!learner.rule.average || group.t == 0) return 0.0;
    if (group.t < all_averaged) return 1.0;
    return group.t % every == 0 ? static_cast<double>(every) : 0.0;
}

// The score of the average weights, w - drift / t, from that of the last ones.
template <int W, class Row>
ROSENBLATT_INLINE vec<W> averaged(const Row& row, const Group& group, vec<W> s) {
    const vec<W> drift = dot<W>(row, group.drift.feature) + load<vec<W>>(group.drift.bias.data());
    return s - drift / static_cast<double>(group.t);
}

inline void count_decision(Learner& learner, const Example& example, bool last_wrong, bool average_wrong, double copies) {
    learner.weighed += example.weight;
    learner.wrong += example.weight * (last_wrong + copies * (average_wrong - last_wrong));
}

// The scores of all units of a learner, and those of their averages behind them, have been heard.
inline void count_heard(Learner& learner, const Example& example, const std::vector<double>& heard, double copies) {
    const bool last = decision(learner.rule, heard.data()) != example.label;
    const bool average = copies == 0.0 ? last : decision(learner.rule, heard.data() + learner.sign_stride) != example.label;
    count_decision(learner, example, last, average, copies);
}

// The groups of a learner are heard one after the other; with the last of them the decision is known.
template <int W, class Row>
ROSENBLATT_INLINE void judge_decision(Learner& learner, const Group& group, vec<W> scores, const Example& example,
                                      const Row& row, std::vector<double>& heard) {
    const double copies = stands_for(learner, group);
    if constexpr (W == 1)
        if (learner.rule.scheme == Scheme::binary) {
            const bool positive = example.label == 1, last = (scores > 0) != positive;
            const bool average = copies == 0.0 ? last : (averaged<1>(row, group, scores) > 0) != positive;
            return count_decision(learner, example, last, average, copies);
        }
    if (group.first == 0) heard.resize(2 * learner.sign_stride);
    store(heard.data() + group.first, scores);
    if (copies != 0.0) store(heard.data() + learner.sign_stride + group.first, averaged<W>(row, group, scores));
    if (&group == &learner.groups.back()) count_heard(learner, example, heard, copies);
}

}  // namespace rosenblatt::ROSENBLATT_ISA
