// Dense rows and unit-major learners, filtered in single precision: four rows are scored by all units while their weights,
// rounded to floats, pass through the cache once. Most decisions are certain then (learn/filter/error_bounds.hpp) and the
// others are made exactly. When a unit moves by a multiple of one of the rows, its scores of the rest change by that multiple
// of the rows' inner product; when it changes in another way, the rest of the four rows are scored again.
#pragma once

#include <bit>

#include "learn/filter/error_bounds.hpp"
#include "learn/filter/row_block.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

typedef float floats __attribute__((vector_size(2 * natural * sizeof(float))));
typedef float four_floats __attribute__((vector_size(4 * sizeof(float))));
inline constexpr std::size_t floats_at_once = 2 * natural;

ROSENBLATT_INLINE floats load_floats(const float* from) {
    floats value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// The sum of the elements of each of four vectors. They are stored as one vector, since they will be loaded as one.
ROSENBLATT_INLINE void sums_of_four(const floats (&vectors)[4], float (&sum)[4]) {
    four_floats folded[4];
    for (int i = 0; i < 4; ++i) {
        four_floats part[floats_at_once / 4];
        std::memcpy(part, &vectors[i], sizeof vectors[i]);
        for (std::size_t half = floats_at_once / 8; half > 0; half /= 2)
            for (std::size_t k = 0; k < half; ++k) part[k] += part[k + half];
        folded[i] = part[0];
    }
    four_floats place[4];
    for (int k = 0; k < 4; ++k) place[k] = four_floats{folded[0][k], folded[1][k], folded[2][k], folded[3][k]};
    const four_floats all = (place[0] + place[2]) + (place[1] + place[3]);
    std::memcpy(sum, &all, sizeof all);
}

// How far a sum of `lines` cache lines of floats can be from the exact score, in units of |w| |x|: a rounding of each
// factor, of each product and of each addition (Higham 2002, 3.1, with Cauchy and Schwarz). A score that was corrected for
// steps a x' of the unit errs by as much in units of |w| |x| + |a| |x'| |x|, and by one more rounding for each of the steps,
// three at most: the norm of the unit includes them all. (Inner products of rows are summed eight floats wide.) Twice that
// covers the terms of second order, the rounding of the norms, and the exact sum's own, up to max_float_features.
inline double relative_error(std::size_t lines) {
    return static_cast<double>(lines * (16 / std::min<std::size_t>(floats_at_once, 8)) + 12) * 0x1p-23;
}

inline constexpr std::size_t max_float_features = std::size_t{1} << 24;

// Infinite where a product of two such lengths may overflow as a float: nothing is certain then.
inline double float_safe(double norm) { return norm < 1e18 ? norm : std::numeric_limits<double>::infinity(); }

// An upper bound of a length, from the sum of its squares as floats: numbers that underflow as floats are included.
inline double norm_bound(double squares, std::size_t features) {
    return float_safe(std::sqrt(squares) + std::sqrt(static_cast<double>(features)) * 0x1p-60);
}

// A unit's weights as floats, and its scores of the four rows.
struct FloatUnit {
    Group* group;
    FilterThrottle throttle;
    Buffer storage;
    double norm = 0.0;   // an upper bound of the length of the weights
    unsigned steps = 0;  // since it was measured
    alignas(16) float s[block_rows] = {};

    FloatUnit(const Learner& learner, Group& group_, double largest)
        : group(&group_), throttle(learner, &group_, largest), storage((group_.weights.feature.size() + 16 + 63) / 64 * 32, 0.0) {
        round_weights();
        measure();
    }
    float* weights() { return reinterpret_cast<float*>(storage.data()); }

    void round_weights() {
        const Buffer& exact = group->weights.feature;
        for (std::size_t j = 0; j < exact.size(); j += natural)
            store_narrow<natural>(weights() + j, load<vec<natural>>(exact.data() + j));
    }
    // The lengths of plain steps are added up: for a few of them that is a tight enough bound.
    void add_step(double length) {
        norm = float_safe(norm + length);
        ++steps;
    }
    // The error of corrected scores refers to the norm from before the steps, so it is measured between blocks only.
    void measure_sometimes() {
        if (steps >= 32) measure();
    }
    __attribute__((noinline)) void measure() {
        steps = 0;
        floats squares[4] = {};
        float sum[4];
        for (std::size_t j = 0; j < storage.size() * 2; j += 4 * floats_at_once)
            for (std::size_t i = 0; i < 4; ++i) {
                const floats w = load_floats(weights() + j + i * floats_at_once);
                squares[i] += w * w;
            }
        sums_of_four(squares, sum);
        norm = norm_bound((sum[0] + sum[1]) + (sum[2] + sum[3]), storage.size() * 2);
    }
};

// While a dense update moves the weights: sums the exact score of the old ones, and rounds the new ones to floats.
struct DenseScore {
    float* to;
    Lanes lane = {};
    template <class Part>
    ROSENBLATT_INLINE void operator()(std::size_t j, vec<natural> w, vec<natural> x, vec<natural> moved, Part part) {
        lane.values[part()] += w * x;
        store_narrow<natural>(to + j, moved);
    }
    double score() const { return lane.sum(); }
};

// The scores of four rows by U units.
template <std::size_t U>
void float_scores(const PackedRows<float>& rows, FloatUnit* unit, Prefetcher& prefetch) {
    floats sum[U][block_rows];
    const float* weight[U];
    for (std::size_t u = 0; u < U; ++u) {
        weight[u] = unit[u].weights();
        for (floats& row_sum : sum[u]) row_sum = floats{};
    }
    const std::uint32_t* const line = rows.line();
    for (std::size_t b = 0, lines = rows.lines(); b < lines; ++b) {
        prefetch.advance();
        const std::size_t j = line[b];
        for (std::size_t part = 0; part < 16; part += floats_at_once) {
            floats w[U];
            for (std::size_t u = 0; u < U; ++u) w[u] = load_floats(weight[u] + j + part);
            for (std::size_t r = 0; r < block_rows; ++r) {
                const floats x = load_floats(rows.values(j, r) + part);
                for (std::size_t u = 0; u < U; ++u) sum[u][r] += w[u] * x;
            }
        }
    }
    for (std::size_t u = 0; u < U; ++u) sums_of_four(sum[u], unit[u].s);
}

// The last `Rest` of the four rows again, by a unit that has changed.
template <std::size_t Rest>
void rescore(const PackedRows<float>& rows, FloatUnit& unit) {
    constexpr std::size_t first = block_rows - Rest;
    floats sum[4] = {};
    const std::uint32_t* const line = rows.line();
    const float* const weight = unit.weights();
    for (std::size_t b = 0, lines = rows.lines(); b < lines; ++b)
        for (std::size_t part = 0; part < 16; part += floats_at_once) {
            const floats w = load_floats(weight + line[b] + part);
            for (std::size_t r = 0; r < Rest; ++r)
                sum[first + r] += w * load_floats(rows.values(line[b], first + r) + part);
        }
    sums_of_four(sum, unit.s);
}

static_assert(block_rows == 4);

// For a unit that has changed at row `r` in another way than by a multiple of it.
inline void rescore_rest(const PackedRows<float>& rows, FloatUnit& unit, std::size_t r) {
    unit.measure();
    if (r == 0) rescore<3>(rows, unit);
    if (r == 1) rescore<2>(rows, unit);
    if (r == 2) rescore<1>(rows, unit);
}

// Four rows scored in single precision by all units, which are unit-major.
class FloatBlock {
public:
    static constexpr bool filters = true, unit_major = true;

    template <class V>
    void score_block(const V* const (&row)[block_rows], Prefetcher& prefetch) {
        pack_and_score(packed_, units_, row, prefetch, [&](FloatUnit* unit, auto U) { float_scores<U()>(packed_, unit, prefetch); });
    }
    template <class V>
    DenseRow<V> select(std::size_t r, const V* value) {
        r_ = r;
        return packed_.row(value);
    }
    // An exact score costs about as much as a float score by eight units.
    bool pays_off(std::size_t rows) const { return exact_scores_ * 8 <= rows * units_.size(); }

protected:
    explicit FloatBlock(const Examples& examples) : packed_(examples.rows.features) {}

    double row_norm(std::size_t r) const { return norm_bound(packed_.product(r, r), packed_.features); }
    // For a unit whose weights have length 1.
    double row_error(std::size_t r) const { return relative_error(packed_.lines()) * row_norm(r); }
    // What adding the bias and comparing with the required margin may round.
    static double rounding(double bias, const Rule& rule) { return 0x1p-50 * (std::fabs(bias) + rule.required); }

    PackedRows<float> packed_;
    std::vector<FloatUnit> units_;
    std::size_t r_ = 0;             // the row that is being learned
    std::size_t exact_scores_ = 0;  // computed so far
};

// Units that decide independently. They are learned unit by unit, four rows in one comparison: a unit that is certainly
// correct about all of them, as most are, has nothing more to do.
class IndependentFloatBlock : public FloatBlock {
public:
    IndependentFloatBlock(const Examples& examples, const std::vector<Job>& jobs) : FloatBlock(examples), examples_(examples) {
        for (const Job& job : jobs) units_.emplace_back(*job.learner, *job.group, examples.rows.largest);
    }
    static bool fits(const Examples& examples, const std::vector<Job>& jobs) {
        return std::all_of(jobs.begin(), jobs.end(), [&](const Job& job) {
            return job.group && !job.learner->label_sets && FilterThrottle(*job.learner, job.group, examples.rows.largest).enabled();
        });
    }

    void read_examples(const Order& order, std::size_t p) {
        learner_ = nullptr;
        for (std::size_t r = 0; r < block_rows; ++r) {
            const std::size_t row = order[p + r];
            example_[r] = {row, examples_.label_of(row), 1.0, std::max(1.0, examples_.rows.largest)};
            norm_[r] = row_norm(r);
            error_[r] = relative_error(packed_.lines()) * norm_[r];
        }
    }
    const Example& example(std::size_t r) const { return example_[r]; }

    // learn(r) for the rows that the unit is not certainly correct about, in order; the others are counted.
    template <class Learn>
    ROSENBLATT_INLINE void each_uncertain(const Job& job, Learn&& learn) {
        if (job.learner != learner_) read_weights_and_signs(*job.learner);
        FloatUnit& unit = units_[job.number];
        unit.measure_sometimes();
        Group& group = *job.group;
        const bool skips = !job.learner->measures_error && job.learner->rule.batch == 1;  // otherwise every row is counted by itself
        for (unsigned left = weighted_; left != 0;) {
            const unsigned uncertain = skips ? left & ~correct(job.learner->rule, group, unit) : left;
            const unsigned next = uncertain & -uncertain, skipped = next == 0 ? left : left & (next - 1);
            group.t += static_cast<unsigned>(std::popcount(skipped));
            group.step += static_cast<unsigned>(std::popcount(skipped));
            if (next == 0) return;
            learn(static_cast<std::size_t>(std::countr_zero(next)));
            left &= ~(skipped | next);
        }
    }

    template <int W, class Row>
    ROSENBLATT_INLINE Verdict filter(const Job& job, const Example& example, const Row&) {
        const Learner& learner = *job.learner;
        const FloatUnit& unit = units_[job.number];
        const double bias = job.group->weights.bias[0];
        const Verdict verdict = verdict_of<1>(learner.rule, learner.signs_of(example.label) + job.group->first,
                                              static_cast<double>(unit.s[r_]) + bias, error_[r_] * unit.norm + rounding(bias, learner.rule));
        if (verdict == Verdict::correct || (verdict == Verdict::mistake && unit.throttle.settles_mistakes())) return verdict;
        ++exact_scores_;
        return Verdict::undecided;
    }
    template <int W, class Row>
    ROSENBLATT_INLINE vec<W> score(const Job&, const Group& group, const Row& row) const {
        return ROSENBLATT_ISA::score<W>(row, group);
    }
    DenseScore observer(const Job& job) { return {units_[job.number].weights()}; }
    void moved(const Job& job, double factor) {
        FloatUnit& unit = units_[job.number];
        if (job.learner->rule.rate == Rate::adagrad) return rescore_rest(packed_, unit, r_);
        unit.add_step(std::fabs(factor) * norm_[r_]);
        for (std::size_t k = r_ + 1; k < block_rows; ++k)
            unit.s[k] = static_cast<float>(static_cast<double>(unit.s[k]) + factor * static_cast<double>(packed_.product(k, r_)));
    }
    void changed(const Job& job, const Group&) {
        units_[job.number].round_weights();
        rescore_rest(packed_, units_[job.number], r_);
    }

private:
    void read_weights_and_signs(const Learner& learner) {
        learner_ = &learner;
        weighted_ = 0;
        for (std::size_t r = 0; r < block_rows; ++r) {
            example_[r].weight = examples_.weight_of(learner, example_[r].row, example_[r].label);
            sign_[r] = learner.signs_of(example_[r].label);
            weighted_ |= static_cast<unsigned>(example_[r].weight != 0.0) << r;
        }
    }
    // The rows that a unit is certainly correct about.
    ROSENBLATT_INLINE unsigned correct(const Rule& rule, const Group& group, const FloatUnit& unit) const {
        const double bias = group.weights.bias[0];
        const std::size_t u = group.first;
        const vec<4> y = {sign_[0][u], sign_[1][u], sign_[2][u], sign_[3][u]}, margin = y * (widen<4>(unit.s) + bias);
        return set_elements((margin > rule.required + (error_ * unit.norm + rounding(bias, rule))) | (y == 0.0));
    }

    const Examples& examples_;
    const Learner* learner_ = nullptr;  // whose weights and signs are below
    Example example_[block_rows];
    const double* sign_[block_rows];    // of its first unit
    unsigned weighted_ = 0;             // the rows with a weight, a bit for each
    double norm_[block_rows];
    vec<4> error_;                      // for a unit whose weights have length 1
};

// Units that decide jointly: an example is certainly correct where the score of its class exceeds all the others by more
// than they can err. Where it is not, the unit of its class is scored exactly, and those that may be the best of the
// others; the rest cannot be.
class JointFloatBlock : public FloatBlock {
public:
    JointFloatBlock(const Examples& examples, const std::vector<Job>& jobs) : FloatBlock(examples), rule_(jobs.front().learner->rule) {
        for (Group& group : jobs.front().learner->groups)
            units_.emplace_back(*jobs.front().learner, group, examples.rows.largest);
        highest_.resize(units_.size());
    }
    static bool fits(const Examples& examples, const std::vector<Job>& jobs) {
        const Learner& learner = *jobs.front().learner;
        return jobs.size() == 1 && !jobs.front().group && learner.rule.batch == 1 &&
               FilterThrottle(learner, nullptr, examples.rows.largest).enabled();
    }

    // Also notes the highest that each score may be, and the lowest that the best of the others may be.
    ROSENBLATT_INLINE bool certainly_correct(std::size_t label) {
        const double error = row_error(r_);
        double own_lowest = 0.0;
        label_ = label;
        best_lowest_ = -std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < units_.size(); ++k) {
            const double bias = units_[k].group->weights.bias[0], s = static_cast<double>(units_[k].s[r_]) + bias;
            const double off = error * units_[k].norm + rounding(bias, rule_);
            highest_[k] = s + off;
            if (k == label) own_lowest = s - off;
            else best_lowest_ = std::max(best_lowest_, s - off);
        }
        bool correct = true;
        for (std::size_t k = 0; k < units_.size(); ++k) correct &= k == label || own_lowest - highest_[k] > rule_.required;
        return correct;
    }

    template <int W, class Row>
    ROSENBLATT_INLINE Verdict filter(const Job&, const Example&, const Row&) const { return Verdict::undecided; }
    template <int W, class Row>
    ROSENBLATT_INLINE vec<W> score(const Job&, const Group& group, const Row& row) {
        const std::size_t k = group.first;
        if (k != label_ && highest_[k] < best_lowest_) return -std::numeric_limits<double>::infinity();
        ++exact_scores_;
        return ROSENBLATT_ISA::score<W>(row, group);
    }
    DenseScore observer(const Job& job) { return {units_[job.number].weights()}; }
    void moved(const Job&, double) const {}
    void changed(const Job&, const Group& group) {
        units_[group.first].round_weights();
        rescore_rest(packed_, units_[group.first], r_);
    }

private:
    const Rule& rule_;
    std::size_t label_ = 0;
    std::vector<double> highest_;
    double best_lowest_ = 0.0;
};

}  // namespace rosenblatt::ROSENBLATT_ISA
