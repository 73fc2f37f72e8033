// L-BFGS (Nocedal 1980), with halved steps. Every sum is taken in one order: the same bits on every machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace rosenblatt::ROSENBLATT_ISA {

inline double dot(const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * y[j];
    return sum;
}

// Minimises a smooth convex function; value(x, gradient) returns it and fills the gradient. It ends after so many steps, or
// with one that lowers it by no more than the tolerance.
template <class Value>
std::vector<double> minimise(std::vector<double> x, std::size_t most_steps, double tolerance, Value&& value) {
    constexpr std::size_t remembered = 8;
    std::vector<std::vector<double>> steps, turns;  // changes of x, and of the gradient along with them
    std::vector<double> gradient(x.size()), next(x.size()), next_gradient(x.size()), direction, factors(remembered);
    double before = value(x, gradient);
    for (std::size_t iteration = 0; iteration < most_steps; ++iteration) {
        direction = gradient;
        for (std::size_t k = steps.size(); k-- > 0;) {
            factors[k] = dot(steps[k], direction) / dot(steps[k], turns[k]);
            for (std::size_t j = 0; j < x.size(); ++j) direction[j] -= factors[k] * turns[k][j];
        }
        const double scale = steps.empty() ? 1.0 / (1.0 + std::sqrt(dot(gradient, gradient)))
                                           : dot(steps.back(), turns.back()) / dot(turns.back(), turns.back());
        for (double& part : direction) part *= scale;
        for (std::size_t k = 0; k < steps.size(); ++k) {
            const double factor = factors[k] - dot(turns[k], direction) / dot(steps[k], turns[k]);
            for (std::size_t j = 0; j < x.size(); ++j) direction[j] += factor * steps[k][j];
        }
        const double slope = dot(gradient, direction);
        double size = 1.0, after = before;
        for (; size > 1e-10; size *= 0.5) {
            for (std::size_t j = 0; j < x.size(); ++j) next[j] = x[j] - size * direction[j];
            after = value(next, next_gradient);
            if (after <= before - 1e-4 * size * slope) break;
        }
        if (!(after < before)) break;
        std::vector<double> step(x.size()), turn(x.size());
        for (std::size_t j = 0; j < x.size(); ++j) {
            step[j] = next[j] - x[j];
            turn[j] = next_gradient[j] - gradient[j];
        }
        x.swap(next);
        gradient.swap(next_gradient);
        if (before - after <= tolerance) break;
        before = after;
        if (!(dot(step, turn) > 0)) continue;
        if (steps.size() == remembered) {
            steps.erase(steps.begin());
            turns.erase(turns.begin());
        }
        steps.push_back(std::move(step));
        turns.push_back(std::move(turn));
    }
    return x;
}

}  // namespace rosenblatt::ROSENBLATT_ISA
