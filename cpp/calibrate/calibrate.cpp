#include "calibrate/calibrate.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "core/minimise.hpp"
#include "core/simd.hpp"

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

// T is double or a vector of them: element by element the same bits.
template <class T>
T softplus(T z) {
    return (z > 0 ? z : splat<T>(0.0)) + logarithm(1.0 + exponential(z > 0 ? -z : z));
}

template <class T>
T sigmoid(T z) {
    const T e = exponential(z > 0 ? -z : z);
    return (z > 0 ? splat<T>(1.0) : e) / (1.0 + e);
}

template <class T>
T clip(T score, double low, double high) {
    score = score < low ? splat<T>(low) : score;
    return score > high ? splat<T>(high) : score;
}

// Calls f(i, T{}) for every i below `count`, with the widest vector T that fits between i and the end.
template <class F>
void in_vectors(std::size_t count, F&& f) {
    std::size_t i = 0;
    for (; i + natural <= count; i += natural) f(i, vec<natural>{});
    for (; i < count; ++i) f(i, double{});
}

// Adds the elements one after the other: the same bits whatever the width of the vector.
template <class T>
void add_in_order(double& sum, T terms) {
    if constexpr (std::is_same_v<T, double>) sum += terms;
    else
        for (int k = 0; k < width_of<T>; ++k) sum += terms[k];
}

// The scores but for the most extreme ones, at either end as many as a 200th of the examples, and at least one. (Of all scores
// a 200th would be half of the highest where there are a hundred classes.)
struct Range {
    double low = 0.0, high = 0.0;
    explicit Range(const ScoredExamples& examples) {
        std::vector<double> sorted(examples.scores, examples.scores + examples.count * examples.columns());
        if (sorted.empty()) return;
        const std::size_t extreme = std::min(std::max<std::size_t>(examples.count / 200, 1), (sorted.size() - 1) / 2);
        const auto at = [&](std::size_t i) {
            std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(i), sorted.end());
            return sorted[i];
        };
        low = at(extreme);
        high = at(sorted.size() - 1 - extreme);
    }
    // A power of 2: dividing by it costs no bit.
    double size() const {
        const double largest = std::max(std::fabs(low), std::fabs(high));
        int exponent;
        std::frexp(largest, &exponent);
        return largest > 0 ? std::ldexp(1.0, exponent - 1) : 1.0;
    }
};

std::vector<double> clipped(const ScoredExamples& examples, const Range& range) {
    std::vector<double> scores(examples.scores, examples.scores + examples.count * examples.columns());
    for (double& score : scores) score = clip(score, range.low, range.high) / range.size();
    return scores;
}

// Some of the examples, in memory of their own.
struct Part {
    std::vector<double> scores;
    std::vector<std::int32_t> truth;
    void add(const ScoredExamples& from, std::size_t i) {
        scores.insert(scores.end(), from.scores + i * from.columns(), from.scores + (i + 1) * from.columns());
        truth.push_back(from.truth[i]);
    }
    ScoredExamples examples(const ScoredExamples& like) const {
        return {scores.data(), truth.data(), truth.size(), like.classes, like.logits};
    }
};

// Of very many examples an even sample: 8,192 determine the few parameters of a map to a ten-thousandth of its log loss.
Part sample_of(const ScoredExamples& all, std::size_t most_rows) {
    const std::size_t rows = std::max<std::size_t>(most_rows / all.columns(), 512), stride = (all.count + rows - 1) / rows;
    Part sample;
    for (std::size_t i = 0; i < all.count; i += stride) sample.add(all, i);
    return sample;
}

std::vector<double> counts_of(const ScoredExamples& examples) {
    std::vector<double> counts(examples.classes);
    for (std::size_t i = 0; i < examples.count; ++i) counts[static_cast<std::size_t>(examples.truth[i])] += 1.0;
    return counts;
}

// ---- Two classes: Newton's method, with D parameters -----------------------------------------------------------------

// Solves A x = g for a positive definite A, which is destroyed.
template <int D>
std::array<double, D> solve(std::array<std::array<double, D>, D>& A, std::array<double, D> g) {
    for (int j = 0; j < D; ++j)
        for (int i = j + 1; i < D; ++i) {
            const double factor = A[i][j] / A[j][j];
            for (int k = j; k < D; ++k) A[i][k] -= factor * A[j][k];
            g[i] -= factor * g[j];
        }
    for (int j = D - 1; j >= 0; --j) {
        for (int k = j + 1; k < D; ++k) g[j] -= A[j][k] * g[k];
        g[j] /= A[j][j];
    }
    return g;
}

constexpr double tolerance = 1e-7;  // of the mean log loss
constexpr double draw_of_two = 16.0;  // strength that draws the a of two classes' logits to 1: standard deviation 1/4

// The log loss of sigmoid(theta . x) over all examples, with its first and second derivatives.
template <int D>
struct Derivatives {
    double loss = 0.0;
    std::array<double, D> gradient{};
    std::array<std::array<double, D>, D> curvature{};

    template <class T>
    void add(const std::array<double, D>& theta, const std::array<T, D>& x, T target) {
        T z = splat<T>(0.0);
        for (int j = 0; j < D; ++j) z += theta[j] * x[j];
        const T e = exponential(z > 0 ? -z : z), p = (z > 0 ? splat<T>(1.0) : e) / (1.0 + e);
        add_in_order(loss, (z > 0 ? z : splat<T>(0.0)) + logarithm(1.0 + e) - target * z);
        for (int j = 0; j < D; ++j) {
            add_in_order(gradient[j], (p - target) * x[j]);
            for (int k = 0; k <= j; ++k) add_in_order(curvature[j][k], p * (1.0 - p) * x[j] * x[k]);
        }
    }
};

// A penalty that draws the first parameter to a number: strength / 2 times the square of its distance.
struct Draw {
    double strength = 0.0, to = 0.0;
};

// Minimises that loss by Newton's method with halved steps, against targets strictly between 0 and 1 where nothing is drawn.
// `features` holds D columns of as many numbers as there are targets.
template <int D>
std::array<double, D> fit_logistic(const std::array<std::vector<double>, D>& features, const std::vector<double>& targets,
                                   std::array<double, D> theta, Draw draw = {}) {
    const std::size_t count = targets.size();
    const auto at = [&](const std::array<double, D>& weights) {
        Derivatives<D> sums;
        const double away = weights[0] - draw.to;
        sums.loss = 0.5 * draw.strength * away * away;
        sums.gradient[0] = draw.strength * away;
        sums.curvature[0][0] = draw.strength;
        in_vectors(count, [&]<class T>(std::size_t i, T) {
            std::array<T, D> x;
            for (int j = 0; j < D; ++j) x[j] = load<T>(&features[j][i]);
            sums.add(weights, x, load<T>(&targets[i]));
        });
        return sums;
    };
    Derivatives<D> here = at(theta);
    for (int step = 0; step < 50; ++step) {
        for (int j = 0; j < D; ++j) {
            for (int k = 0; k < j; ++k) here.curvature[k][j] = here.curvature[j][k];
            here.curvature[j][j] += 1e-6 + 1e-9 * here.curvature[j][j];
        }
        const std::array<double, D> move = solve<D>(here.curvature, here.gradient);
        std::array<double, D> next = theta;
        Derivatives<D> there;
        for (double size = 1.0; size > 1e-6; size *= 0.5) {
            for (int j = 0; j < D; ++j) next[j] = theta[j] - size * move[j];
            there = at(next);
            if (there.loss <= here.loss) break;
        }
        if (!(there.loss <= here.loss)) break;
        const double gain = here.loss - there.loss;
        theta = next;
        here = there;
        if (gain <= tolerance * static_cast<double>(count)) break;
    }
    return theta;
}

// Platt's targets, not quite 0 or 1: the fewer examples a class has, the less certain is its target.
std::vector<double> targets_of(const ScoredExamples& examples, const std::vector<double>& counts) {
    const double low = 1.0 / (counts[0] + 2.0), high = (counts[1] + 1.0) / (counts[1] + 2.0);
    std::vector<double> targets(examples.count);
    for (std::size_t i = 0; i < examples.count; ++i) targets[i] = examples.truth[i] == 1 ? high : low;
    return targets;
}

// If the probability falls with the score, the scores say nothing: then every example has the same probability.
std::vector<double> fit_platt(const ScoredExamples& examples) {
    const std::vector<double> counts = counts_of(examples);
    const Range range(examples);
    const double odds = logarithm((counts[1] + 1.0) / (counts[0] + 1.0));
    const std::array<std::vector<double>, 2> features{clipped(examples, range), std::vector<double>(examples.count, 1.0)};
    const auto [a, b] = fit_logistic<2>(features, targets_of(examples, counts), {0.0, odds});
    if (a > 0) return {a / range.size(), b, range.low, range.high};
    return {0.0, odds, range.low, range.high};
}

std::vector<double> fit_beta(const ScoredExamples& examples, const std::vector<double>& platt) {
    std::array<std::vector<double>, 3> features;
    for (auto& column : features) column.assign(examples.count, 1.0);
    in_vectors(examples.count, [&]<class T>(std::size_t i, T) {
        const T z = platt[0] * clip(load<T>(&examples.scores[i]), platt[2], platt[3]) + platt[1];
        store(&features[0][i], -softplus(-z));
        store(&features[1][i], softplus(z));
    });
    const auto [u, v, c] = fit_logistic<3>(features, targets_of(examples, counts_of(examples)), {1.0, 1.0, 0.0});
    if (u >= 0 && v >= 0 && platt[0] > 0) return {platt[0], platt[1], u, v, c, platt[2], platt[3]};
    return {platt[0], platt[1], 1.0, 1.0, 0.0, platt[2], platt[3]};
}

// Examples sorted by score in bins of at least so many, each with its share of positives drawn a little to the share of
// all; then neighbours that fall are joined until all rise (Ayer and others 1955).
std::vector<double> fit_isotonic(const ScoredExamples& examples) {
    constexpr std::size_t fewest_in_bin = 16, most_bins = 512;
    const std::size_t count = examples.count, bin_size = std::max(fewest_in_bin, count / most_bins);
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) { return examples.scores[i] < examples.scores[j]; });
    const std::vector<double> counts = counts_of(examples);
    const double share = (counts[1] + 1.0) / (static_cast<double>(count) + 2.0);
    struct Level {
        double first, last, weight, probability;  // the mean scores of its first and last bin; means of all
    };
    std::vector<Level> rising;
    const auto score_at = [&](std::size_t i) { return examples.scores[order[i]]; };
    for (std::size_t from = 0; from < count;) {
        std::size_t to = std::min(from + bin_size, count);
        if (count - to < bin_size) to = count;
        while (to < count && score_at(to) == score_at(to - 1)) ++to;
        double positives = 0.0, sum = 0.0;
        for (std::size_t i = from; i < to; ++i) {
            positives += examples.truth[order[i]] == 1;
            sum += score_at(i) - score_at(from);
        }
        const double n = static_cast<double>(to - from), middle = score_at(from) + sum / n;
        rising.push_back({middle, middle, n, (positives + share) / (n + 1.0)});
        while (rising.size() > 1 && rising[rising.size() - 2].probability >= rising.back().probability) {
            const Level right = rising.back();
            rising.pop_back();
            Level& joined = rising.back();
            joined.probability += right.weight / (joined.weight + right.weight) * (right.probability - joined.probability);
            joined.weight += right.weight;
            joined.last = right.last;
        }
        from = to;
    }
    std::vector<double> knots, probabilities;
    for (const Level& level : rising)
        for (const double score : {level.first, level.last}) {
            if (!knots.empty() && score <= knots.back()) continue;
            knots.push_back(score);
            probabilities.push_back(level.probability);
        }
    if (knots.empty()) return {0.0, 0.5};
    knots.insert(knots.end(), probabilities.begin(), probabilities.end());
    return knots;
}

// ---- Many classes ----------------------------------------------------------------------------------------------------

constexpr std::size_t most_steps = 100;

// Probabilities in place of logits; returns the log of their normaliser.
double softmax_of(double* z, std::size_t classes) {
    const double highest = *std::max_element(z, z + classes);
    double sum = 0.0;
    for (std::size_t k = 0; k < classes; ++k) sum += z[k] = exponential(z[k] - highest);
    for (std::size_t k = 0; k < classes; ++k) z[k] /= sum;
    return highest + logarithm(sum);
}

constexpr double ridge = 4.0;

// The log loss of the softmax of each row of logits against the targets of its class. fill(i, z) fills the logits of an
// example; pull(i, k, d) takes the derivative by each of them.
template <class Fill, class Pull>
double softmax_loss(const ScoredExamples& examples, Fill&& fill, Pull&& pull) {
    const std::size_t classes = examples.classes;
    const double doubt = examples.logits ? 0.0 : 1.0 / (static_cast<double>(examples.count) + 2.0);
    const double own = 1.0 - doubt, other = doubt / static_cast<double>(classes - 1);
    std::vector<double> z(classes);
    double loss = 0.0;
    for (std::size_t i = 0; i < examples.count; ++i) {
        const auto label = static_cast<std::size_t>(examples.truth[i]);
        fill(i, z.data());
        double targeted = 0.0;
        for (std::size_t k = 0; k < classes; ++k) targeted += (k == label ? own : other) * z[k];
        loss += softmax_of(z.data(), classes) - targeted;
        for (std::size_t k = 0; k < classes; ++k) pull(i, k, z[k] - (k == label ? own : other));
    }
    return loss;
}

// What draws the common a of logits to 1: few examples that are all decided rightly would let it grow without end.
double draw_to_1(const ScoredExamples& examples, double a, double& derivative) {
    if (!examples.logits) return 0.0;
    derivative += ridge * (a - 1.0);
    return 0.5 * ridge * (a - 1.0) * (a - 1.0);
}

// The parameters while it is fitted: the common a, how far each a_k is from it, each b_k. The last two are drawn to 0.
std::vector<double> fit_softmax(const ScoredExamples& examples) {
    const std::size_t classes = examples.classes;
    const Range range(examples);
    const std::vector<double> scores = clipped(examples, range);
    const double unit = examples.logits ? range.size() : 1.0;  // of the common a
    const auto value = [&](const std::vector<double>& x, std::vector<double>& gradient) {
        std::fill(gradient.begin(), gradient.end(), 0.0);
        double loss = softmax_loss(
            examples,
            [&](std::size_t i, double* z) {
                for (std::size_t k = 0; k < classes; ++k) z[k] = (unit * x[0] + x[1 + k]) * scores[i * classes + k] + x[1 + classes + k];
            },
            [&](std::size_t i, std::size_t k, double pull) {
                gradient[1 + k] += pull * scores[i * classes + k];
                gradient[1 + classes + k] += pull;
            });
        for (std::size_t k = 0; k < classes; ++k) gradient[0] += unit * gradient[1 + k];
        loss += draw_to_1(examples, x[0], gradient[0]);
        for (std::size_t j = 1; j < x.size(); ++j) {
            loss += 0.5 * ridge * x[j] * x[j];
            gradient[j] += ridge * x[j];
        }
        return loss;
    };
    std::vector<double> start(2 * classes + 1);
    start[0] = 1.0;
    const std::vector<double> x = minimise(std::move(start), most_steps, tolerance * static_cast<double>(examples.count), value);
    std::vector<double> parameters(2 * classes);
    for (std::size_t k = 0; k < classes; ++k) {
        parameters[k] = std::max(unit * x[0] + x[1 + k], 0.0) / range.size();
        parameters[classes + k] = x[1 + classes + k];
    }
    parameters.insert(parameters.end(), {range.low, range.high});
    return parameters;
}

// ---- A temperature, for any number of classes -------------------------------------------------------------------------

// How far the score of a class lies below the best of its row, and counts: at most `width`.
double below_best(double score, double best, double width) { return std::max(score - best, -width); }

// How far the scores of a row reach below the best of them, or on either side of 0: all rows but the widest ones, one in 200
// and at least one. (By the second best score alone, classes that are rare would all be clipped to one probability.)
double widest_gap(const ScoredExamples& examples) {
    const std::size_t columns = examples.columns();
    std::vector<double> gaps(examples.count);
    for (std::size_t i = 0; i < examples.count; ++i) {
        const double* const row = examples.scores + i * columns;
        const auto [lowest, highest] = std::minmax_element(row, row + columns);
        gaps[i] = columns == 1 ? std::fabs(row[0]) : *highest - *lowest;
    }
    if (gaps.empty()) return 0.0;
    const std::size_t extreme = std::min(std::max<std::size_t>(gaps.size() / 200, 1), (gaps.size() - 1) / 2);
    const auto at = gaps.end() - 1 - static_cast<std::ptrdiff_t>(extreme);
    std::nth_element(gaps.begin(), at, gaps.end());
    return std::min(*at, 1e300);
}

// A power of 2 near the width.
double size_of(double width) {
    int exponent;
    std::frexp(width, &exponent);
    return width > 0 ? std::ldexp(1.0, exponent - 1) : 1.0;
}

std::vector<double> fit_temperature_of_two(const ScoredExamples& examples) {
    const double width = widest_gap(examples), size = size_of(width);
    std::vector<double> scores(examples.scores, examples.scores + examples.count);
    for (double& score : scores) score = std::clamp(score, -width, width) / size;
    double a;
    if (examples.logits) {
        const std::vector<double> targets(examples.truth, examples.truth + examples.count);
        a = fit_logistic<1>({std::move(scores)}, targets, {size}, {draw_of_two / (size * size), size})[0];
    } else {
        a = fit_logistic<1>({std::move(scores)}, targets_of(examples, counts_of(examples)), {0.0})[0];
    }
    return {std::max(a, 0.0) / size, width};
}

// The log loss of one row, -sum of t_k log q_k with q_k = (1 - doubt) p_k + doubt / classes, and its derivatives by a and by the
// doubt. `gaps` are those of the scores, z has room for the probabilities p, the targets t are `own` and `other`.
struct RowLoss {
    double loss = 0.0, by_a = 0.0, by_doubt = 0.0;

    RowLoss(const double* gaps, std::vector<double>& z, double a, double doubt, std::size_t label, double own, double other) {
        const std::size_t classes = z.size();
        const double share = 1.0 / static_cast<double>(classes);
        for (std::size_t k = 0; k < classes; ++k) z[k] = a * gaps[k];
        softmax_of(z.data(), classes);
        double mean_gap = 0.0;
        for (std::size_t k = 0; k < classes; ++k) mean_gap += z[k] * gaps[k];
        for (std::size_t k = 0; k < classes; ++k) {
            const double target = k == label ? own : other;
            if (target == 0.0) continue;
            const double q = std::max((1.0 - doubt) * z[k] + doubt * share, 1e-300);
            loss -= target * logarithm(q);
            by_a -= target * (1.0 - doubt) * z[k] / q * (gaps[k] - mean_gap);
            by_doubt -= target * (share - z[k]) / q;
        }
    }
};

// The doubt is fitted as the sigmoid of a number. It begins at one in a hundred, as if a fiftieth of an example had nothing to do
// with its scores: it is never 0, and nearly 0 where nothing speaks for it.
std::vector<double> fit_temperature_of_many(const ScoredExamples& examples) {
    constexpr double example_in_doubt = 0.02, first_doubt = -4.6;
    const std::size_t classes = examples.classes;
    const double width = widest_gap(examples), size = size_of(width), unit = examples.logits ? size : 1.0;
    std::vector<double> gaps(examples.scores, examples.scores + examples.count * classes), z(classes);
    for (std::size_t i = 0; i < examples.count; ++i) {
        double* const row = gaps.data() + i * classes;
        const double best = *std::max_element(row, row + classes);
        for (std::size_t k = 0; k < classes; ++k) row[k] = below_best(row[k], best, width) / size;
    }
    const double platts = examples.logits ? 0.0 : 1.0 / (static_cast<double>(examples.count) + 2.0);
    const auto value = [&](const std::vector<double>& x, std::vector<double>& gradient) {
        const double doubt = sigmoid(x[1]);
        double loss = -example_in_doubt * logarithm(std::max(doubt, 1e-300)), by_doubt = 0.0;
        gradient[0] = 0.0;
        for (std::size_t i = 0; i < examples.count; ++i) {
            const RowLoss row(gaps.data() + i * classes, z, unit * x[0], doubt, static_cast<std::size_t>(examples.truth[i]), 1.0 - platts,
                              platts / static_cast<double>(classes - 1));
            loss += row.loss;
            gradient[0] += unit * row.by_a;
            by_doubt += row.by_doubt;
        }
        gradient[1] = (1.0 - doubt) * (doubt * by_doubt - example_in_doubt);
        return loss + draw_to_1(examples, x[0], gradient[0]);
    };
    const std::vector<double> x = minimise({1.0, first_doubt}, most_steps, tolerance * static_cast<double>(examples.count), value);
    return {std::max(unit * x[0], 0.0) / size, width, sigmoid(x[1])};
}

// ---- The maps as they are used ---------------------------------------------------------------------------------------

std::vector<double> fit(MapKind kind, const ScoredExamples& all) {
    if (kind == MapKind::isotonic) return fit_isotonic(all);
    const Part sample = sample_of(all, all.classes > 2 ? 1 << 17 : 1 << 13);
    const ScoredExamples examples = sample.examples(all);
    switch (kind) {
        case MapKind::temperature: return all.classes == 2 ? fit_temperature_of_two(examples) : fit_temperature_of_many(examples);
        case MapKind::platt: return fit_platt(examples);
        case MapKind::beta: return fit_beta(examples, fit_platt(examples));
        default: return fit_softmax(examples);
    }
}

double interpolate(const std::vector<double>& knots, double score) {
    const std::size_t count = knots.size() / 2;
    const double *const x = knots.data(), *const y = x + count;
    const std::size_t right = static_cast<std::size_t>(std::upper_bound(x, x + count, score) - x);
    if (right == 0) return y[0];
    if (right == count) return y[count - 1];
    const double part = (score - x[right - 1]) / (x[right] - x[right - 1]);
    return y[right - 1] + part * (y[right] - y[right - 1]);
}

template <class T>
T positive_probability(MapKind kind, const std::vector<double>& parameters, T score) {
    if (kind == MapKind::temperature) return sigmoid(parameters[0] * clip(score, -parameters[1], parameters[1]));
    const double* const range = parameters.data() + parameters.size() - 2;
    const T z = parameters[0] * clip(score, range[0], range[1]) + parameters[1];
    if (kind == MapKind::platt) return sigmoid(z);
    return sigmoid(parameters[4] + parameters[3] * softplus(z) - parameters[2] * softplus(-z));
}

void positive_probabilities(MapKind kind, const std::vector<double>& parameters, const ScoredExamples& examples, double* probabilities) {
    if (kind == MapKind::isotonic) {
        for (std::size_t i = 0; i < examples.count; ++i) probabilities[i] = interpolate(parameters, examples.scores[i]);
        return;
    }
    in_vectors(examples.count, [&]<class T>(std::size_t i, T) {
        store(probabilities + i, positive_probability(kind, parameters, load<T>(examples.scores + i)));
    });
}

void apply(MapKind kind, const std::vector<double>& parameters, const ScoredExamples& examples, double* probabilities) {
    const std::size_t classes = examples.classes;
    if (classes == 2) {
        positive_probabilities(kind, parameters, examples, probabilities + examples.count);
        for (std::size_t i = 0; i < examples.count; ++i) {
            const double positive = probabilities[examples.count + i];
            probabilities[2 * i] = 1.0 - positive;
            probabilities[2 * i + 1] = positive;
        }
        return;
    }
    const bool is_temperature = kind == MapKind::temperature;
    const double doubt = is_temperature && parameters.size() == 3 ? parameters[2] : 0.0;  // older models have none
    const double even = doubt / static_cast<double>(classes);
    for (std::size_t i = 0; i < examples.count; ++i, probabilities += classes) {
        const double* const scores = examples.scores + i * classes;
        const double best = *std::max_element(scores, scores + classes), last = parameters.back();
        for (std::size_t k = 0; k < classes; ++k)
            probabilities[k] = is_temperature
                                   ? parameters[0] * below_best(scores[k], best, parameters[1])
                                   : parameters[k] * std::clamp(scores[k], parameters[2 * classes], last) + parameters[classes + k];
        softmax_of(probabilities, classes);
        if (doubt > 0.0)
            for (std::size_t k = 0; k < classes; ++k) probabilities[k] = (1.0 - doubt) * probabilities[k] + even;
    }
}

std::vector<std::vector<double>> cross_validated_losses(const std::vector<MapKind>& kinds, const ScoredExamples& all, std::size_t folds) {
    const Part sample = sample_of(all, 1 << 12);
    const ScoredExamples examples = sample.examples(all);
    const auto fold_of = [&](std::size_t i) { return (i * 0x9E3779B97F4A7C15u >> 32) % folds; };
    std::vector<std::vector<double>> losses(kinds.size(), std::vector<double>(examples.count));
    for (std::size_t fold = 0; fold < folds; ++fold) {
        Part training, left_out;
        for (std::size_t i = 0; i < examples.count; ++i) (fold_of(i) == fold ? left_out : training).add(examples, i);
        const ScoredExamples seen = training.examples(examples), unseen = left_out.examples(examples);
        std::vector<double> platt, probabilities(unseen.count * unseen.classes), chances(unseen.count);
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            const bool on_platt = kinds[k] == MapKind::beta && !platt.empty();
            const std::vector<double> parameters = on_platt ? fit_beta(seen, platt) : fit(kinds[k], seen);
            if (kinds[k] == MapKind::platt) platt = parameters;
            apply(kinds[k], parameters, unseen, probabilities.data());
            for (std::size_t i = 0; i < unseen.count; ++i)
                chances[i] = std::max(probabilities[i * unseen.classes + static_cast<std::size_t>(unseen.truth[i])], 1e-300);
            in_vectors(unseen.count, [&]<class T>(std::size_t i, T) { store(&chances[i], -logarithm(load<T>(&chances[i]))); });
            for (std::size_t i = 0, at = 0; i < examples.count; ++i)
                if (fold_of(i) == fold) losses[k][i] = chances[at++];
        }
    }
    return losses;
}

}  // namespace

extern const CalibrationFunctions calibration_functions;
const CalibrationFunctions calibration_functions{fit, apply, cross_validated_losses};

}  // namespace rosenblatt::ROSENBLATT_ISA
