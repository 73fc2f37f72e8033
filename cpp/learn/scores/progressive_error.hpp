// The progressive error: each example is predicted before it is learned, from the scores that learning needs anyway.
//
// A learner whose final weights are the average is measured by the average so far. That costs a second score, so after the
// first examples it is taken for one in `sample_every` only; the last weights, already scored, stand in for the others,
// and what the average decides differently counts `sample_every` times: an unbiased count of its errors.
#pragma once

#include "learn/rules/score_decide_update.hpp"
#include "learn/scores/predicted_class.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

inline constexpr std::uint64_t sampled_from = std::uint64_t{1} << 15, sample_every = 4;

// How many examples the average's decision on this one counts for; 0: the average is not scored.
ROSENBLATT_INLINE double average_copies(const Learner& learner, const Group& group) {
    if (!learner.measures_error || !learner.rule.average || group.t == 0) return 0.0;
    if (group.t < sampled_from) return 1.0;
    return group.t % sample_every == 0 ? static_cast<double>(sample_every) : 0.0;
}

// Whether the scores of this example go into the sample; filters then leave it alone, as they compute no score.
ROSENBLATT_INLINE bool samples_scores(const Learner& learner, const Group& group) {
    return learner.measures_error && learner.sample.takes(group.t);
}

// The score of the average weights, w - drift / t, from that of the last ones. Both units are 1 unless weights fade.
template <int W, class Row>
ROSENBLATT_INLINE vec<W> average_score(const Row& row, const Group& group, vec<W> s) {
    if (group.t == 0) return s;
    const vec<W> drift = dot<W>(row, group.drift.feature) + load<vec<W>>(group.drift.bias.data());
    return (s - (drift * group.weight_unit) / static_cast<double>(group.t)) * group.average_unit;
}

// Of an example with several labels, the share of the labels that are wrong counts.
inline void count_prediction(Learner& learner, const Example& example, double last_wrong, double average_wrong, double copies) {
    learner.total_weight += example.weight;
    learner.wrong_weight += example.weight * (last_wrong + copies * (average_wrong - last_wrong));
}

inline double wrong_share(const Learner& learner, const Example& example, const double* scores) {
    if (!learner.label_sets) return decided_class(learner.rule, scores) != example.label;
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < learner.rule.classes; ++k) wrong += (scores[k] > 0) != learner.label_sets->has(example.label, k);
    return static_cast<double>(wrong) / static_cast<double>(learner.rule.classes);
}

// For numbers: how far the answers were off, squared, absolute, and by the loss of each unit's own level. Of several units
// the answer is that of the one whose level is nearest the median. Where the average answers, only the examples that it
// scores count, each for as many as it stands for.
inline void count_answer(Learner& learner, double target, const double* answers, double weight) {
    std::size_t median = 0;
    double pinball = 0.0;
    for (std::size_t u = 0; u < learner.levels.size(); ++u) {
        const double level = learner.levels[u], missing = target - answers[u];
        if (std::fabs(level - 0.5) < std::fabs(learner.levels[median] - 0.5)) median = u;
        pinball += missing > 0 ? level * missing : (level - 1.0) * missing;
    }
    const double missing = target - answers[median];
    learner.total_weight += weight;
    learner.squared_error += weight * (missing * missing);
    learner.absolute_error += weight * std::fabs(missing);
    learner.pinball_error += weight * (pinball / static_cast<double>(learner.levels.size()));
}

// Once the answers of all units are known.
__attribute__((noinline)) inline void finish_number(Learner& learner, const Group& group, const Example& example, const double* answers,
                                                    double copies, bool sampled) {
    if (sampled) learner.sample.add(group.t, 0, answers, learner.levels.size(), learner.most_sampled(), &example.target);
    if (copies > 0.0) count_answer(learner, example.target, answers, example.weight * copies);
}

template <int W, class Row>
void count_number(Learner& learner, const Group& group, vec<W> s, const Example& example, const Row& row, std::vector<double>& answers) {
    const bool averages = learner.rule.average && group.t > 0, sampled = samples_scores(learner, group);
    const double copies = averages ? average_copies(learner, group) : 1.0;
    if (copies == 0.0 && !sampled) return;
    answers.resize(learner.sign_stride);
    store(answers.data() + group.first, averages ? average_score<W>(row, group, s) : s);
    if (&group == &learner.groups.back()) finish_number(learner, group, example, answers.data(), copies, sampled);
}

// Once the scores of all units are known: those of the last weights, and behind them those of their averages.
__attribute__((noinline)) inline void finish_prediction(Learner& learner, const Group& group, const Example& example, const double* last,
                                                        bool averages, double copies, bool sampled) {
    const double* const average = averages ? last + learner.sign_stride : last;
    if (sampled) learner.sample.add(group.t, example.label, average, learner.rule.unit_count(), learner.most_sampled());
    const double last_wrong = wrong_share(learner, example, last);
    const double average_wrong = copies == 0.0 ? last_wrong : wrong_share(learner, example, average);
    count_prediction(learner, example, last_wrong, average_wrong, copies);
}

// The groups of a learner are scored one after the other; with the last of them the prediction is known. `scores` collects
// those of all units, and behind them those of their averages. (Not inlined: it would be compiled into every loop.)
template <int W, class Row>
__attribute__((noinline)) void count_prediction(Learner& learner, const Group& group, vec<W> s, const Example& example, const Row& row,
                                                std::vector<double>& scores) {
    if (learner.predicts_number()) return count_number<W>(learner, group, s, example, row, scores);
    const double copies = average_copies(learner, group);
    const bool sampled = samples_scores(learner, group), averages = copies != 0.0 || (sampled && learner.rule.average);
    if constexpr (W == 1)
        if (learner.rule.scheme == Scheme::binary) {
            const double average = averages ? average_score<1>(row, group, s) : s;
            const bool positive = example.label == 1, last_wrong = (s > 0) != positive;
            if (sampled) learner.sample.add(group.t, example.label, &average, 1, learner.most_sampled());
            return count_prediction(learner, example, last_wrong, (average > 0) != positive, copies);
        }
    if (group.first == 0) scores.resize(2 * learner.sign_stride);
    double *const last = scores.data(), *const average = last + learner.sign_stride;
    store(last + group.first, s);
    if (averages) store(average + group.first, average_score<W>(row, group, s));
    if (&group == &learner.groups.back()) finish_prediction(learner, group, example, last, averages, copies, sampled);
}

}  // namespace rosenblatt::ROSENBLATT_ISA
