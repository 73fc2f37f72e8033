// The nearest points of two convex hulls, by Wolfe's algorithm (1976): keep a corral, a set of affinely independent
// rows; find the nearest point of the flat they span; if it lies outside their hull, walk towards it until a weight is
// zero and let that row go; else bring in the row furthest on the wrong side, until there is none.
//
// With z_i = y_i x_i and e_i the hull of row i as a unit vector, the corral's Gram matrix of lifted vectors
// (z_i, sqrt(lift) e_i) is positive definite, and its Cholesky factor L is kept while rows come and go.
#pragma once

#include <algorithm>
#include <limits>

#include "certify/hulls.hpp"
#include "core/lane_sum.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

using Numbers = std::vector<double>;

ROSENBLATT_INLINE double dot_of(const double* a, const double* b, std::size_t n) {
    vec<8> lane = {};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) lane += load<vec<8>>(a + i) * load<vec<8>>(b + i);
    double sum = tree(lane);
    for (; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

ROSENBLATT_INLINE void add_to(double* a, double by, const double* b, std::size_t n) {
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) store(a + i, load<vec<8>>(a + i) + splat<vec<8>>(by) * load<vec<8>>(b + i));
    for (; i < n; ++i) a[i] += by * b[i];
}

class Nearest {
public:
    explicit Nearest(Hulls& state) : s_(state), buffer_(state.p.size()) {}

    // Rows with weights to start from (those of each hull sum to 1); none: one row of each hull.
    void start(const std::uint32_t* rows, const double* weights, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) {
            pool(rows[k]);
            if (weights[k] > 0.0) bring_in(rows[k], weights[k]);
        }
        make_point();
    }

    void run(std::size_t steps, double tolerance, std::size_t batch) {
        s_.status = Hulls::Status::going;
        for (std::size_t step = 0; step < steps && s_.status == Hulls::Status::going; ++step) {
            ++s_.steps;
            settle();
            refine();
            if (s_.norm2 <= touching_ * s_.size) {
                s_.status = Hulls::Status::touching;
                return;
            }
            if (s_.norm2 < best_ * (1.0 - 1e-13)) {
                best_ = s_.norm2;
                blocked_.clear();
            } else if (blocked_.size() > patience_) {
                s_.status = Hulls::Status::stalled;
                return;
            }
            const std::int64_t entering = worst_of_pool(tolerance);
            if (entering >= 0) {
                blocked_.push_back(static_cast<std::uint32_t>(entering));
                bring_in(blocked_.back(), 0.0);
            } else if (!widen_pool(tolerance, batch)) s_.status = Hulls::Status::nearest;
        }
    }

private:
    double* row(std::size_t i) { return s_.factor.data() + i * (i + 1) / 2; }
    std::size_t size() const { return s_.corral.size(); }

    void pool(std::uint32_t i) {
        if (s_.pooled[i]) return;
        s_.pooled[i] = 1;
        s_.pool.push_back(i);
    }

    // f(position, z_i.v) for every row of a list.
    template <class F>
    void products(const std::uint32_t* list, std::size_t count, const double* v, double v_constant, F&& f) {
        with_reader(s_.rows, Order{list, count}, false, [&](auto&& reader) {
            for (std::size_t at = 0; at < count; ++at) {
                const double d = lane_sum(reader[at], [&](std::size_t j, auto x) { return load<decltype(x)>(v + j) * x; });
                const double constant = s_.augmented ? s_.constant * v_constant : 0.0;
                f(at, s_.sign[list ? list[at] : at] * (d + constant));
            }
        });
    }

    void spread(std::uint32_t i) {
        std::fill(buffer_.begin(), buffer_.end(), 0.0);
        const double y = s_.sign[i];
        with_reader(s_.rows, Order{&i, 1}, false, [&](auto&& reader) {
            each(reader[0], [&](std::size_t j, double x) { buffer_[j] += y * x; });
        });
    }

    // L u = g, in place.
    void forward(Numbers& u) {
        for (std::size_t i = 0; i < size(); ++i) u[i] = (u[i] - dot_of(row(i), u.data(), i)) / row(i)[i];
    }
    // L^T u = g, in place.
    void backward(Numbers& u) {
        for (std::size_t i = size(); i-- > 0;) {
            u[i] /= row(i)[i];
            add_to(u.data(), -u[i], row(i), i);
        }
    }

    // Row i joins with this weight. If it depends on the corral, weight is moved along the dependence, which leaves p
    // where it is, until a row of the corral has none and can go (Caratheodory).
    void bring_in(std::uint32_t i, double weight) {
        for (;;) {
            spread(i);
            const double constant = s_.sign[i] * s_.constant;
            Numbers l(size());
            products(s_.corral.data(), size(), buffer_.data(), constant, [&](std::size_t at, double d) {
                l[at] = d + (s_.hull_of(s_.corral[at]) == s_.hull_of(i) ? s_.lift : 0.0);
            });
            const double square = dot_of(buffer_.data(), buffer_.data(), buffer_.size()) +
                                  (s_.augmented ? constant * constant : 0.0);
            s_.size = std::max(s_.size, square);
            forward(l);
            const double rest = square + s_.lift - dot_of(l.data(), l.data(), l.size());
            if (rest > dependent_ * (square + s_.lift)) {
                l.push_back(std::sqrt(rest));
                s_.factor.insert(s_.factor.end(), l.begin(), l.end());
                s_.corral.push_back(i);
                s_.weight.push_back(weight);
                return;
            }
            backward(l);
            const std::size_t out = exchange(l, weight);
            if (out == size()) return;
            let_go(out);
            if (weight <= 0.0 && size() == 0) return;
        }
    }

    // ẑ_i = sum c_j ẑ_j: shift weight from the c_j > 0 to row i, and from row i to the others, as far as it goes.
    std::size_t exchange(const Numbers& c, double& weight) {
        std::size_t out = size();
        double most = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < size(); ++j)
            if (c[j] > 1e-12 && s_.weight[j] / c[j] < most) {
                most = s_.weight[j] / c[j];
                out = j;
            }
        if (out == size()) return out;
        for (std::size_t j = 0; j < size(); ++j) s_.weight[j] = std::max(0.0, s_.weight[j] - most * c[j]);
        weight += most;
        return out;
    }

    // Row k of L goes; rotations make what is left triangular again.
    void let_go(std::size_t k) {
        const std::size_t last = size() - 1;
        std::vector<std::pair<double, double>> turn;
        for (std::size_t i = k; i < last; ++i) {
            double* from = row(i + 1);
            for (std::size_t r = 0; r < turn.size(); ++r) {
                const auto [c, s] = turn[r];
                const double a = from[k + r], b = from[k + r + 1];
                from[k + r] = c * a + s * b;
                from[k + r + 1] = c * b + (-s) * a;  // not c b - s a: from such a pair GCC makes vfmsubadd, asked or not
            }
            const double a = from[i], b = from[i + 1], length = std::sqrt(a * a + b * b);
            turn.emplace_back(a / length, b / length);
            std::copy(from, from + i, row(i));
            row(i)[i] = length;
        }
        s_.factor.resize(last * (last + 1) / 2);
        s_.corral.erase(s_.corral.begin() + static_cast<std::ptrdiff_t>(k));
        s_.weight.erase(s_.weight.begin() + static_cast<std::ptrdiff_t>(k));
    }

    // The weights of the nearest point of the flat: M v = E^T m, E v = 1.
    Numbers flat() {
        const std::size_t hulls = s_.hulls();
        for (std::size_t h = 0; h < hulls; ++h) {
            u_[h].assign(size(), 0.0);
            for (std::size_t j = 0; j < size(); ++j) u_[h][j] = s_.hull_of(s_.corral[j]) == h ? 1.0 : 0.0;
            forward(u_[h]);
            backward(u_[h]);
        }
        const double ones[2] = {1.0, 1.0};
        double m[2];
        level_system(ones, m);
        Numbers v(size());
        for (std::size_t j = 0; j < size(); ++j) v[j] = m[0] * u_[0][j] + (hulls == 2 ? m[1] * u_[1][j] : 0.0);
        return v;
    }

    // (E M^-1 E^T) m = e
    void level_system(const double* e, double* m) {
        double a[2][2] = {};
        for (std::size_t j = 0; j < size(); ++j)
            for (std::size_t h = 0; h < s_.hulls(); ++h) a[s_.hull_of(s_.corral[j])][h] += u_[h][j];
        if (s_.hulls() == 1) {
            m[0] = e[0] / a[0][0];
            m[1] = 0.0;
            return;
        }
        const double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        m[0] = (e[0] * a[1][1] - e[1] * a[0][1]) / det;
        m[1] = (a[0][0] * e[1] - a[1][0] * e[0]) / det;
    }

    // Walk to the nearest point of the flat, or as far as the hull reaches, until it is inside.
    void settle() {
        for (;;) {
            const Numbers v = flat();
            double part = 1.0;
            for (std::size_t j = 0; j < size(); ++j)
                if (v[j] <= vanishing_) part = std::min(part, s_.weight[j] / std::max(s_.weight[j] - v[j], 1e-300));
            if (std::all_of(v.begin(), v.end(), [](double x) { return x > vanishing_; })) {
                s_.weight = v;
                break;
            }
            for (std::size_t j = 0; j < size(); ++j) s_.weight[j] += part * (v[j] - s_.weight[j]);
            std::size_t gone = 0;
            for (std::size_t j = size(); j-- > 0;)
                if (s_.weight[j] <= vanishing_ && v[j] <= vanishing_) {
                    let_go(j);
                    ++gone;
                }
            if (gone == 0 || size() <= s_.hulls()) break;
        }
        make_point();
    }

    void make_point() {
        double sums[2] = {};
        for (std::size_t j = 0; j < size(); ++j) sums[s_.hull_of(s_.corral[j])] += s_.weight[j];
        for (std::size_t j = 0; j < size(); ++j) s_.weight[j] /= sums[s_.hull_of(s_.corral[j])];
        std::fill(s_.p.begin(), s_.p.end(), 0.0);
        s_.p_constant = 0.0;
        with_reader(s_.rows, Order{s_.corral.data(), size()}, false, [&](auto&& reader) {
            for (std::size_t at = 0; at < size(); ++at) {
                const double by = s_.weight[at] * s_.sign[s_.corral[at]];
                each_weight<1>(reader[at], [&](std::size_t j, auto x) {
                    store(s_.p.data() + j, load<decltype(x)>(s_.p.data() + j) + splat<decltype(x)>(by) * x);
                });
                if (s_.augmented) s_.p_constant += by * s_.constant;
            }
        });
        s_.norm2 = dot_of(s_.p.data(), s_.p.data(), s_.p.size()) + s_.p_constant * s_.p_constant;
    }

    // The products with p itself show how far the weights are from the best; one more solve of the same system brings
    // them nearer (iterative refinement), and again as long as it helps.
    void refine() {
        double off = look();
        for (int round = 0; round < 5 && off > 1e-11 * s_.norm2 && u_[0].size() == size(); ++round) {
            Numbers better = corrected();
            if (std::any_of(better.begin(), better.end(), [](double x) { return !(x > 0.0); })) return;
            std::swap(better, s_.weight);
            make_point();
            const double now = look();
            if (now < 0.5 * off) {
                off = now;
                continue;
            }
            if (now > off) {
                std::swap(better, s_.weight);
                make_point();
                look();
            }
            return;
        }
    }

    // The level of each hull, and the largest deviation of a row of the corral from it; both from products with p.
    double look() {
        g_.resize(size());
        s_.level[0] = s_.level[1] = 0.0;
        products(s_.corral.data(), size(), s_.p.data(), s_.p_constant, [&](std::size_t at, double d) {
            g_[at] = d;
            s_.level[s_.hull_of(s_.corral[at])] += s_.weight[at] * d;
        });
        double off = 0.0;
        for (std::size_t j = 0; j < size(); ++j) {
            g_[j] -= s_.level[s_.hull_of(s_.corral[j])];
            off = std::max(off, std::fabs(g_[j]));
        }
        return off;
    }

    Numbers corrected() {
        forward(g_);
        backward(g_);
        double sums[2] = {}, m[2];
        for (std::size_t j = 0; j < size(); ++j) sums[s_.hull_of(s_.corral[j])] += g_[j];
        level_system(sums, m);
        Numbers better(size());
        for (std::size_t j = 0; j < size(); ++j)
            better[j] = s_.weight[j] - g_[j] + m[0] * u_[0][j] + (s_.hulls() == 2 ? m[1] * u_[1][j] : 0.0);
        return better;
    }

    std::int64_t worst_of_pool(double tolerance) {
        std::int64_t worst = -1;
        double most = slack(tolerance);
        products(s_.pool.data(), s_.pool.size(), s_.p.data(), s_.p_constant, [&](std::size_t at, double d) {
            const double short_by = s_.level[s_.hull_of(s_.pool[at])] - d;
            if (short_by > most && !listed(blocked_, s_.pool[at]) && !listed(s_.corral, s_.pool[at])) {
                most = short_by;
                worst = s_.pool[at];
            }
        });
        return worst;
    }

    static bool listed(const std::vector<std::uint32_t>& rows, std::uint32_t i) {
        return std::find(rows.begin(), rows.end(), i) != rows.end();
    }

    // What rounding can feign is no violation.
    double slack(double tolerance) const {
        return std::max(tolerance * s_.norm2, 1e-15 * std::sqrt(s_.norm2 * s_.size));
    }

    // All rows: those furthest on the wrong side join the pool. False if there are none.
    bool widen_pool(double tolerance, std::size_t batch) {
        std::vector<std::pair<double, std::uint32_t>> found;
        const double least = slack(tolerance);
        s_.low[0] = s_.low[1] = std::numeric_limits<double>::infinity();
        products(nullptr, s_.rows.count, s_.p.data(), s_.p_constant, [&](std::size_t i, double d) {
            const std::size_t hull = s_.hull_of(i);
            s_.low[hull] = std::min(s_.low[hull], d);
            const double short_by = s_.level[hull] - d;
            if (short_by > least && !s_.pooled[i]) found.emplace_back(-short_by, static_cast<std::uint32_t>(i));
        });
        if (s_.augmented) s_.low[1] = 0.0;
        if (found.size() > batch) {
            std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(batch), found.end());
            found.resize(batch);
        }
        for (const auto& [by, i] : found) pool(i);
        return !found.empty();
    }

    static constexpr std::size_t patience_ = 100;
    static constexpr double touching_ = 1e-22, dependent_ = 1e-13, vanishing_ = 1e-14;
    Hulls& s_;
    Numbers buffer_;
    Numbers u_[2], g_;
    double best_ = std::numeric_limits<double>::infinity();
    std::vector<std::uint32_t> blocked_;  // rows that came in since p was last shortened: rounding made them useless
};

void nearest_start(Hulls& state, const std::uint32_t* rows, const double* weights, std::size_t count) {
    Nearest(state).start(rows, weights, count);
}

void nearest_run(Hulls& state, std::size_t steps, double tolerance, std::size_t batch) {
    Nearest(state).run(steps, tolerance, batch);
}

}  // namespace rosenblatt::ROSENBLATT_ISA
