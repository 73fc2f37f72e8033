// Decides most sparse rows without the exact score. A quick score, summed in the fastest order, differs from the exact
// one by no more than a known bound. Where its margin is further than that from the required margin, both scores decide
// alike; only the other rows need the exact score, summed in lanes. No bit of the result changes. (A floating-point
// filter, as in exact geometry: Fortune and Van Wyk 1993.)
#pragma once

#include "learn/filter/scorer_concept.hpp"
#include "learn/rules/score_decide_update.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// What is certain about a score that may be off by `error`. For several units: correct if all of them are, else
// undecided.
template <int W>
ROSENBLATT_INLINE Verdict verdict_of(const Rule& rule, const double* sign, vec<W> s, double error) {
    const vec<W> margin = load<vec<W>>(sign) * s;
    const double enough = rule.required + error;
    if constexpr (W == 1) {
        if (margin > enough || *sign == 0.0) return Verdict::correct;
        return margin < rule.required - error ? Verdict::mistake : Verdict::undecided;
    } else return any(~((margin > enough) | (load<vec<W>>(sign) == 0.0))) ? Verdict::undecided : Verdict::correct;
}

// Sums over a sparse row of several arrays laid out like weights, in as many independent chains as keep the adders
// busy.
template <int W, std::size_t parts, class I, class V>
ROSENBLATT_INLINE void quick_dots(const SparseRow<I, V>& row, const double* const (&arrays)[parts], vec<W> (&result)[parts]) {
    constexpr std::size_t chains = 4;
    vec<W> sum[parts][chains] = {};
    const auto add = [&](std::size_t k, std::size_t c) ROSENBLATT_ALWAYS {
        const std::size_t j = row.column(k) * W;
        for (std::size_t p = 0; p < parts; ++p) sum[p][c] += load<vec<W>>(arrays[p] + j) * static_cast<double>(row.value[k]);
    };
    std::size_t k = 0;
    for (; k + chains <= row.entries; k += chains)
        for (std::size_t c = 0; c < chains; ++c) add(k + c, c);
    for (; k < row.entries; ++k) add(k, 0);
    for (std::size_t p = 0; p < parts; ++p) result[p] = (sum[p][0] + sum[p][1]) + (sum[p][2] + sum[p][3]);
}

template <int W, class I, class V>
ROSENBLATT_INLINE vec<W> quick_score(const SparseRow<I, V>& row, const Group& group) {
    const double* const arrays[] = {group.weights.feature.data()};
    vec<W> s[1];
    quick_dots<W>(row, arrays, s);
    return s[0] + load<vec<W>>(group.weights.bias.data());
}

// The scores of the last weights and of their average so far, w - drift / t, of one unit.
template <class I, class V>
ROSENBLATT_INLINE std::pair<double, double> quick_scores(const SparseRow<I, V>& row, const Group& group) {
    const double* const arrays[] = {group.weights.feature.data(), group.drift.feature.data()};
    double s[2];
    quick_dots<1>(row, arrays, s);
    const double last = s[0] + group.weights.bias[0];
    return {last, last - (s[1] + group.drift.bias[0]) / static_cast<double>(group.t)};
}

// How much two sums of the same n products can differ: each errs by less than n 2^-53 times the sum of |w x|
// (Higham 2002, 4.2), which is at most n times the largest product. Doubled, because this line rounds as well.
ROSENBLATT_INLINE double score_error(std::size_t entries, const Group& group, double largest) {
    const auto n = static_cast<double>(entries + 4);
    return n * n * 0x1p-51 * (largest * group.bound);
}

// The same for scores of averages: no component of a drift is larger than t times the bound, so the sum over the drift
// adds at most as much error again, and the three operations that combine both sums add less than that.
ROSENBLATT_INLINE double average_score_error(std::size_t entries, const Group& group, double largest) {
    return 4.0 * score_error(entries, group, largest);
}

// Whether to try the filter before an exact score. It is useless where every example changes the weights, or where the
// scores themselves are needed; and where many examples are mistakes, it is paused for some rows.
class FilterThrottle {
public:
    // For one group, or without one for all groups of the learner. Given a group it reads no other, because other
    // threads may be changing those. (Inlined, so that its state can stay in registers.)
    ROSENBLATT_INLINE FilterThrottle(const Learner& learner, const Group* group, double largest) {
        const Rule& rule = learner.rule;
        enabled_ = rule.ignores_correct && !rule.changes_by_itself && !(learner.measures_error && learner.groups.size() > 1) && !may_overflow(learner, group, largest);
        const bool mistakes_are_errors = rule.scheme == Scheme::binary && rule.required == 0.0;
        settles_mistakes_ = enabled_ && rule.batch == 1 && !rule.closed_form() && (!learner.measures_error || mistakes_are_errors);
    }
    bool enabled() const { return enabled_; }

    // Whether a certain mistake can be learned in one sweep over the row, which moves the weights and sums the exact
    // score: its step must not depend on the score. (If the learner measures its error, a mistake must also be a wrong
    // prediction.)
    bool settles_mistakes() const { return settles_mistakes_; }

    ROSENBLATT_INLINE bool should_try() {
        if (paused_ == 0) return enabled_;
        --paused_;
        return false;
    }
    void record_successes(std::size_t times) { credit_ = times < max_credit ? std::min(credit_ + static_cast<int>(times), max_credit) : max_credit; }
    ROSENBLATT_INLINE void record(bool success) {
        credit_ = success ? std::min(credit_ + 1, max_credit) : credit_ - failure_cost;
        if (credit_ >= 0) return;
        credit_ = max_credit / 2;
        paused_ = pause;
    }

private:
    // Sums of numbers this large may overflow in one order and not in another; updates check for overflow
    // (learn/rules/score_decide_update.hpp).
    static bool may_overflow(const Learner& learner, const Group* group, double largest) {
        const auto may = [&](const Group& each) { return !(score_bound(learner, each.bound, std::max(1.0, largest)) < too_large); };
        return group ? may(*group) : std::any_of(learner.groups.begin(), learner.groups.end(), may);
    }

    static constexpr int failure_cost = 3, max_credit = 64;  // a failed try costs about three times what a success saves
    static constexpr unsigned pause = 1024;                  // rows
    bool enabled_, settles_mistakes_;
    int credit_ = max_credit / 2;
    unsigned paused_ = 0;
};

// Sums the exact score of the old weights while a sparse update moves them.
struct SparseScore {
    double lane[8] = {};
    ROSENBLATT_INLINE void operator()(std::size_t j, double w, double x, double) { lane[j & 7] += w * x; }
    double score() const { return tree(lane); }
};

// Learns a certain mistake: the weights move while the observer sums the exact score. Returns the factor of the
// example. (Not inlined, so that the path of correct examples stays short.)
template <class Row, class Observer>
__attribute__((noinline)) double learn_certain_mistake(const Learner& learner, Group& group, const Row& row, const Example& example,
                                                       Observer&& observer) {
    const Rule& rule = learner.rule;
    const double y = *learner.signs_of(example.label, group), bias = group.weights.bias[0];
    const double weight = weight_for(learner, group, 0, example, y);
    Step<1> step;
    step.factor[0] = gradient_step(rule, group, y * weight);
    raise_bound(rule, learner, group, example, step);
    take_gradient_step<1>(rule, group, row, step.factor[0], observer);
    count_decision(group, 0, slope_of(rule, y * (observer.score() + bias), weight));
    group.pockets[0].counted = group.pockets[0].in_pocket = false;
    log_update(rule, group, example.row, 0, step.factor[0]);
    count_example(rule, group);
    return step.factor[0];
}

// A scorer that filters nothing: the base of the scorers of single rows.
struct ExactScorer {
    static constexpr bool filters = false, unit_major = false;
    template <int W, class Row>
    ROSENBLATT_INLINE Verdict filter(const Job&, const Example&, const Row&) const { return Verdict::undecided; }
    template <int W, class Row>
    ROSENBLATT_INLINE vec<W> score(const Job&, const Group& group, const Row& row) const {
        return ROSENBLATT_ISA::score<W>(row, group);
    }
    void moved(const Job&, double) const {}
    void changed(const Job&, const Group&) const {}
};

// Scores one row at a time, for any units. Sparse rows are filtered, because their largest value is known.
template <bool filters_>
struct RowScorer : ExactScorer {
    static constexpr bool filters = filters_;
    std::vector<FilterThrottle> throttles;  // [job]

    RowScorer(const Examples& examples, const std::vector<Job>& jobs) {
        for (const Job& job : jobs) throttles.emplace_back(*job.learner, job.group, examples.rows.largest);
    }
    template <int W, class Row>
    ROSENBLATT_INLINE Verdict filter(const Job& job, const Example& example, const Row& row) {
        if constexpr (!filters) return Verdict::undecided;
        else {
            if (!throttles[job.number].should_try()) return Verdict::undecided;
            return decide<W>(job, example, quick_score<W>(row, *job.group), score_error(row.entries, *job.group, example.largest));
        }
    }
    // What the last weights of a binary learner decide, and what their average decides.
    template <class Row>
    ROSENBLATT_INLINE Filtered filter_with_average(const Job& job, const Example& example, const Row& row)
        requires filters
    {
        const Group& group = *job.group;
        if (job.learner->rule.scheme != Scheme::binary || !throttles[job.number].should_try()) return {};
        const auto [last, average] = quick_scores(row, group);
        const double error = average_score_error(row.entries, group, example.largest);
        if (!(std::fabs(average) > error)) return {};
        return {decide<1>(job, example, last, error), (average > 0) != (example.label == 1)};
    }
    SparseScore observer(const Job&) const { return {}; }

private:
    template <int W>
    ROSENBLATT_INLINE Verdict decide(const Job& job, const Example& example, vec<W> s, double error) {
        FilterThrottle& throttle = throttles[job.number];
        Verdict verdict = verdict_of<W>(job.learner->rule, job.learner->signs_of(example.label, *job.group), s, error);
        if (verdict == Verdict::mistake && !throttle.settles_mistakes()) verdict = Verdict::undecided;
        throttle.record(verdict != Verdict::undecided);
        return verdict;
    }
};

// Scores sparse rows for one binary unit where every example has weight 1. Most rows are certainly correct: skip()
// skips them after one comparison, and they are counted together before the next row that is not skipped.
class SingleUnitScorer : public ExactScorer {
public:
    static constexpr bool filters = true;

    SingleUnitScorer(const Examples& examples, const std::vector<Job>& jobs)
        : learner_(*jobs.front().learner), group_(*jobs.front().group), largest_(std::max(1.0, examples.rows.largest)),
          throttle_(learner_, &group_, examples.rows.largest) {}

    static bool fits(const Examples& examples, const std::vector<Job>& jobs) {
        const Learner& learner = *jobs.front().learner;
        return jobs.size() == 1 && learner.rule.scheme == Scheme::binary && !learner.measures_error && !examples.sample_weight &&
               std::all_of(learner.class_weight.begin(), learner.class_weight.end(), [](double c) { return c == 1.0; }) &&
               FilterThrottle(learner, jobs.front().group, examples.rows.largest).settles_mistakes();
    }

    template <class Row>
    ROSENBLATT_INLINE bool skip(const Row& row, std::size_t label) {
        Verdict verdict = Verdict::undecided;
        if (throttle_.should_try()) {
            verdict = verdict_of<1>(learner_.rule, learner_.signs_of(label), quick_score<1>(row, group_),
                                    score_error(row.entries, group_, largest_));
            if (verdict == Verdict::correct) {
                ++skipped_;
                return true;
            }
            count_skipped();
            throttle_.record(verdict == Verdict::mistake);
        } else count_skipped();
        verdict_ = verdict;
        return false;
    }
    ROSENBLATT_INLINE void count_skipped() {
        group_.t += skipped_;
        group_.step += skipped_;
        throttle_.record_successes(skipped_);
        skipped_ = 0;
    }
    double largest() const { return largest_; }

    template <int W, class Row>
    ROSENBLATT_INLINE Verdict filter(const Job&, const Example&, const Row&) const { return verdict_; }
    SparseScore observer(const Job&) const { return {}; }

private:
    const Learner& learner_;
    Group& group_;
    const double largest_;
    FilterThrottle throttle_;
    Verdict verdict_ = Verdict::undecided;
    std::size_t skipped_ = 0;
};

}  // namespace rosenblatt::ROSENBLATT_ISA
