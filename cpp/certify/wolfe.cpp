// The nearest points of two convex hulls, by Wolfe's algorithm (1976): keep a corral, a set of affinely independent
// rows; find the nearest point of the flat they span; if it lies outside their hull, walk towards it until a weight is
// zero and remove that row; otherwise add the row furthest on the wrong side, until there is none.
//
// With z_i = y_i x_i and e_i the hull of row i as a unit vector, the corral's Gram matrix of lifted vectors
// (z_i, sqrt(lift) e_i) is positive definite, and its Cholesky factor L is updated as rows come and go.
// Compiled once per instruction set.
#include "certify/wolfe.hpp"

#include <algorithm>
#include <limits>

#include "core/lane_sum.hpp"

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

using Numbers = std::vector<double>;

ROSENBLATT_INLINE double dot_product(const double* a, const double* b, std::size_t n) {
    vec<8> lane = {};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) lane += load<vec<8>>(a + i) * load<vec<8>>(b + i);
    double sum = tree(lane);
    for (; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

ROSENBLATT_INLINE void add_multiple(double* a, double factor, const double* b, std::size_t n) {
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) store(a + i, load<vec<8>>(a + i) + splat<vec<8>>(factor) * load<vec<8>>(b + i));
    for (; i < n; ++i) a[i] += factor * b[i];
}

class WolfeSearch {
public:
    explicit WolfeSearch(Hulls& state) : state_(state), buffer_(state.p.size()) {}

    void start(const std::uint32_t* rows, const double* weights, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) {
            add_to_pool(rows[k]);
            if (weights[k] > 0.0) add_to_corral(rows[k], weights[k]);
        }
        update_point();
    }

    void run(std::size_t steps, double tolerance, std::size_t batch) {
        state_.status = Hulls::Status::going;
        for (std::size_t step = 0; step < steps && state_.status == Hulls::Status::going; ++step) {
            ++state_.steps;
            walk_into_hull();
            refine_weights();
            if (state_.norm2 <= touching_tolerance_ * state_.size) {
                state_.status = Hulls::Status::touching;
                return;
            }
            if (state_.norm2 < best_norm2_ * (1.0 - 1e-13)) {
                best_norm2_ = state_.norm2;
                blocked_.clear();
            } else if (blocked_.size() > max_blocked_) {
                state_.status = Hulls::Status::stalled;
                return;
            }
            const std::int64_t entering = worst_in_pool(tolerance);
            if (entering >= 0) {
                blocked_.push_back(static_cast<std::uint32_t>(entering));
                add_to_corral(blocked_.back(), 0.0);
            } else if (!extend_pool(tolerance, batch)) state_.status = Hulls::Status::nearest;
        }
    }

private:
    double* factor_row(std::size_t i) { return state_.factor.data() + i * (i + 1) / 2; }
    std::size_t size() const { return state_.corral.size(); }

    void add_to_pool(std::uint32_t i) {
        if (state_.pooled[i]) return;
        state_.pooled[i] = 1;
        state_.pool.push_back(i);
    }

    // z_i.v of every row of a list, valid until the next call.
    const Numbers& products(const std::uint32_t* list, std::size_t count, const double* v, double v_constant) {
        const double constant = state_.augmented ? state_.constant * v_constant : 0.0;
        products_.resize(count);
        with_reader(state_.rows, Order{list, count, state_.rows.count}, false, [&](auto&& reader) {
            for (std::size_t at = 0; at < count; ++at) {
                const double d = lane_sum(reader[at], [&](std::size_t j, auto x) { return load<decltype(x)>(v + j) * x; });
                products_[at] = state_.sign[list ? list[at] : at] * (d + constant);
            }
        });
        return products_;
    }

    // Writes z_i to the buffer.
    void densify(std::uint32_t i) {
        std::fill(buffer_.begin(), buffer_.end(), 0.0);
        const double y = state_.sign[i];
        with_reader(state_.rows, Order{&i, 1, state_.rows.count}, false, [&](auto&& reader) {
            each(reader[0], [&](std::size_t j, double x) { buffer_[j] += y * x; });
        });
    }

    // L u = g, in place.
    void forward(Numbers& u) {
        for (std::size_t i = 0; i < size(); ++i) u[i] = (u[i] - dot_product(factor_row(i), u.data(), i)) / factor_row(i)[i];
    }
    // L^T u = g, in place.
    void backward(Numbers& u) {
        for (std::size_t i = size(); i-- > 0;) {
            u[i] /= factor_row(i)[i];
            add_multiple(u.data(), -u[i], factor_row(i), i);
        }
    }

    // Adds row i with this weight. If it depends on the corral, weight is moved along the dependence, which leaves p
    // where it is, until a row of the corral has none and can be removed (Caratheodory).
    void add_to_corral(std::uint32_t i, double weight) {
        for (;;) {
            densify(i);
            const double constant = state_.sign[i] * state_.constant;
            Numbers l = products(state_.corral.data(), size(), buffer_.data(), constant);
            for (std::size_t at = 0; at < size(); ++at) l[at] += state_.hull_of(state_.corral[at]) == state_.hull_of(i) ? state_.lift : 0.0;
            const double square = dot_product(buffer_.data(), buffer_.data(), buffer_.size()) +
                                  (state_.augmented ? constant * constant : 0.0);
            state_.size = std::max(state_.size, square);
            forward(l);
            const double rest = square + state_.lift - dot_product(l.data(), l.data(), l.size());
            if (rest > dependence_tolerance_ * (square + state_.lift)) {
                l.push_back(std::sqrt(rest));
                state_.factor.insert(state_.factor.end(), l.begin(), l.end());
                state_.corral.push_back(i);
                state_.weight.push_back(weight);
                return;
            }
            backward(l);
            const std::size_t vanished = exchange(l, weight);
            if (vanished == size()) return;
            remove_from_corral(vanished);
            if (weight <= 0.0 && size() == 0) return;
        }
    }

    // ẑ_i = sum c_j ẑ_j: shifts weight from the c_j > 0 to row i, and from row i to the others, as far as possible.
    // Returns the position in the corral whose weight vanished, or its size.
    std::size_t exchange(const Numbers& c, double& weight) {
        std::size_t vanished = size();
        double step = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < size(); ++j)
            if (c[j] > 1e-12 && state_.weight[j] / c[j] < step) {
                step = state_.weight[j] / c[j];
                vanished = j;
            }
        if (vanished == size()) return vanished;
        for (std::size_t j = 0; j < size(); ++j) state_.weight[j] = std::max(0.0, state_.weight[j] - step * c[j]);
        weight += step;
        return vanished;
    }

    // Removes row k of L; rotations make the rest triangular again.
    void remove_from_corral(std::size_t k) {
        const std::size_t last = size() - 1;
        std::vector<std::pair<double, double>> rotations;
        for (std::size_t i = k; i < last; ++i) {
            double* from = factor_row(i + 1);
            for (std::size_t r = 0; r < rotations.size(); ++r) {
                const auto [c, s] = rotations[r];
                const double a = from[k + r], b = from[k + r + 1];
                from[k + r] = c * a + s * b;
                from[k + r + 1] = c * b + (-s) * a;  // not c b - s a: GCC fuses such a pair to vfmsubadd even with -ffp-contract=off
            }
            const double a = from[i], b = from[i + 1], length = std::sqrt(a * a + b * b);
            rotations.emplace_back(a / length, b / length);
            std::copy(from, from + i, factor_row(i));
            factor_row(i)[i] = length;
        }
        state_.factor.resize(last * (last + 1) / 2);
        state_.corral.erase(state_.corral.begin() + static_cast<std::ptrdiff_t>(k));
        state_.weight.erase(state_.weight.begin() + static_cast<std::ptrdiff_t>(k));
    }

    // The weights of the nearest point of the flat: M v = E^T m, E v = 1.
    Numbers nearest_on_flat() {
        const std::size_t hulls = state_.hulls();
        for (std::size_t h = 0; h < hulls; ++h) {
            solution_[h].assign(size(), 0.0);
            for (std::size_t j = 0; j < size(); ++j) solution_[h][j] = state_.hull_of(state_.corral[j]) == h ? 1.0 : 0.0;
            forward(solution_[h]);
            backward(solution_[h]);
        }
        const double ones[2] = {1.0, 1.0};
        double m[2];
        solve_levels(ones, m);
        Numbers v(size());
        for (std::size_t j = 0; j < size(); ++j) v[j] = m[0] * solution_[0][j] + (hulls == 2 ? m[1] * solution_[1][j] : 0.0);
        return v;
    }

    // (E M^-1 E^T) m = e
    void solve_levels(const double* e, double* m) {
        double a[2][2] = {};
        for (std::size_t j = 0; j < size(); ++j)
            for (std::size_t h = 0; h < state_.hulls(); ++h) a[state_.hull_of(state_.corral[j])][h] += solution_[h][j];
        if (state_.hulls() == 1) {
            m[0] = e[0] / a[0][0];
            m[1] = 0.0;
            return;
        }
        const double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        m[0] = (e[0] * a[1][1] - e[1] * a[0][1]) / det;
        m[1] = (a[0][0] * e[1] - a[1][0] * e[0]) / det;
    }

    // Walks to the nearest point of the flat, or as far as the hull reaches, until it is inside.
    void walk_into_hull() {
        for (;;) {
            const Numbers v = nearest_on_flat();
            double fraction = 1.0;
            for (std::size_t j = 0; j < size(); ++j)
                if (v[j] <= vanishing_weight_) fraction = std::min(fraction, state_.weight[j] / std::max(state_.weight[j] - v[j], 1e-300));
            if (std::all_of(v.begin(), v.end(), [](double x) { return x > vanishing_weight_; })) {
                state_.weight = v;
                break;
            }
            for (std::size_t j = 0; j < size(); ++j) state_.weight[j] += fraction * (v[j] - state_.weight[j]);
            std::size_t removed = 0;
            for (std::size_t j = size(); j-- > 0;)
                if (state_.weight[j] <= vanishing_weight_ && v[j] <= vanishing_weight_) {
                    remove_from_corral(j);
                    ++removed;
                }
            if (removed == 0 || size() <= state_.hulls()) break;
        }
        update_point();
    }

    void update_point() {
        double sums[2] = {};
        for (std::size_t j = 0; j < size(); ++j) sums[state_.hull_of(state_.corral[j])] += state_.weight[j];
        for (std::size_t j = 0; j < size(); ++j) state_.weight[j] /= sums[state_.hull_of(state_.corral[j])];
        std::fill(state_.p.begin(), state_.p.end(), 0.0);
        state_.p_constant = 0.0;
        with_reader(state_.rows, Order{state_.corral.data(), size(), state_.rows.count}, false, [&](auto&& reader) {
            for (std::size_t at = 0; at < size(); ++at) {
                const double factor = state_.weight[at] * state_.sign[state_.corral[at]];
                each_weight<1>(reader[at], [&](std::size_t j, auto x) {
                    store(state_.p.data() + j, load<decltype(x)>(state_.p.data() + j) + splat<decltype(x)>(factor) * x);
                });
                if (state_.augmented) state_.p_constant += factor * state_.constant;
            }
        });
        state_.norm2 = dot_product(state_.p.data(), state_.p.data(), state_.p.size()) + state_.p_constant * state_.p_constant;
    }

    // The products with p itself show how far the weights are from optimal; solving the same system once more brings them
    // nearer (iterative refinement), again as long as it helps.
    void refine_weights() {
        double deviation = measure_levels();
        for (int round = 0; round < 5 && deviation > 1e-11 * state_.norm2 && solution_[0].size() == size(); ++round) {
            Numbers better = corrected_weights();
            if (std::any_of(better.begin(), better.end(), [](double x) { return !(x > 0.0); })) return;
            std::swap(better, state_.weight);
            update_point();
            const double new_deviation = measure_levels();
            if (new_deviation < 0.5 * deviation) {
                deviation = new_deviation;
                continue;
            }
            if (new_deviation > deviation) {
                std::swap(better, state_.weight);
                update_point();
                measure_levels();
            }
            return;
        }
    }

    // Computes the level of each hull; returns the largest deviation of a row of the corral from it.
    double measure_levels() {
        residual_ = products(state_.corral.data(), size(), state_.p.data(), state_.p_constant);
        state_.level[0] = state_.level[1] = 0.0;
        for (std::size_t j = 0; j < size(); ++j) state_.level[state_.hull_of(state_.corral[j])] += state_.weight[j] * residual_[j];
        double deviation = 0.0;
        for (std::size_t j = 0; j < size(); ++j) {
            residual_[j] -= state_.level[state_.hull_of(state_.corral[j])];
            deviation = std::max(deviation, std::fabs(residual_[j]));
        }
        return deviation;
    }

    Numbers corrected_weights() {
        forward(residual_);
        backward(residual_);
        double sums[2] = {}, m[2];
        for (std::size_t j = 0; j < size(); ++j) sums[state_.hull_of(state_.corral[j])] += residual_[j];
        solve_levels(sums, m);
        Numbers better(size());
        for (std::size_t j = 0; j < size(); ++j)
            better[j] = state_.weight[j] - residual_[j] + m[0] * solution_[0][j] + (state_.hulls() == 2 ? m[1] * solution_[1][j] : 0.0);
        return better;
    }

    // The row of the pool furthest below its level, or -1.
    std::int64_t worst_in_pool(double tolerance) {
        std::int64_t worst = -1;
        double largest = rounding_slack(tolerance);
        const Numbers& product = products(state_.pool.data(), state_.pool.size(), state_.p.data(), state_.p_constant);
        for (std::size_t at = 0; at < product.size(); ++at) {
            const double shortfall = state_.level[state_.hull_of(state_.pool[at])] - product[at];
            if (shortfall > largest && !contains(blocked_, state_.pool[at]) && !contains(state_.corral, state_.pool[at])) {
                largest = shortfall;
                worst = state_.pool[at];
            }
        }
        return worst;
    }

    static bool contains(const std::vector<std::uint32_t>& rows, std::uint32_t i) {
        return std::find(rows.begin(), rows.end(), i) != rows.end();
    }

    // A shortfall that rounding alone can cause is not a violation.
    double rounding_slack(double tolerance) const {
        return std::max(tolerance * state_.norm2, 1e-15 * std::sqrt(state_.norm2 * state_.size));
    }

    // Of all rows, those furthest on the wrong side join the pool. False if there are none.
    bool extend_pool(double tolerance, std::size_t batch) {
        std::vector<std::pair<double, std::uint32_t>> violators;
        const double slack = rounding_slack(tolerance);
        state_.low[0] = state_.low[1] = std::numeric_limits<double>::infinity();
        const Numbers& product = products(nullptr, state_.rows.count, state_.p.data(), state_.p_constant);
        for (std::size_t i = 0; i < product.size(); ++i) {
            const std::size_t hull = state_.hull_of(i);
            state_.low[hull] = std::min(state_.low[hull], product[i]);
            const double shortfall = state_.level[hull] - product[i];
            if (shortfall > slack && !state_.pooled[i]) violators.emplace_back(-shortfall, static_cast<std::uint32_t>(i));
        }
        if (state_.augmented) state_.low[1] = 0.0;
        if (violators.size() > batch) {
            std::nth_element(violators.begin(), violators.begin() + static_cast<std::ptrdiff_t>(batch), violators.end());
            violators.resize(batch);
        }
        for (const auto& [negative_shortfall, i] : violators) add_to_pool(i);
        return !violators.empty();
    }

    static constexpr std::size_t max_blocked_ = 100;
    static constexpr double touching_tolerance_ = 1e-22, dependence_tolerance_ = 1e-13, vanishing_weight_ = 1e-14;
    Hulls& state_;
    Numbers buffer_;
    Numbers solution_[2], residual_, products_;
    double best_norm2_ = std::numeric_limits<double>::infinity();
    std::vector<std::uint32_t> blocked_;  // rows added since p was last shortened: rounding made them useless
};

void start(Hulls& state, const std::uint32_t* rows, const double* weights, std::size_t count) { WolfeSearch(state).start(rows, weights, count); }

void run(Hulls& state, std::size_t steps, double tolerance, std::size_t batch) { WolfeSearch(state).run(steps, tolerance, batch); }

}  // namespace

extern const HullFunctions hull_functions{start, run};

}  // namespace rosenblatt::ROSENBLATT_ISA
