// Dual coordinate ascent (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008): each row in turn is given the weight that
// is best while the others stay. On separable classes it is a perceptron that moves exactly as far as it should.
#pragma once

#include "certify/hulls.hpp"
#include "core/lane_sum.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// Visits the rows in this order; the scores y f(x) met on the way go to `score`. Returns how many were not above 0.
std::size_t ascend(Ascent& state, const std::uint32_t* order, std::size_t count, double* score) {
    std::size_t mistakes = 0;
    with_reader(state.rows, Order{order, count}, false, [&](auto&& reader) {
        for (std::size_t at = 0; at < count; ++at) {
            const auto row = reader[at];
            const std::size_t i = order[at];
            const double y = state.sign[i];
            const double s =
                y * (lane_sum(row, [&](std::size_t j, auto x) { return load<decltype(x)>(state.w + j) * x; }) +
                     state.constant * *state.b);
            mistakes += !(s > 0.0);
            score[at] = s;
            if (!(state.norm2[i] > 0.0)) continue;
            const double moved = std::clamp(state.a[i] + (1.0 - s) / state.norm2[i], 0.0, state.most);
            const double by = (moved - state.a[i]) * y;
            if (by == 0.0) continue;
            state.a[i] = moved;
            each_weight<1>(row, [&](std::size_t j, auto x) {
                store(state.w + j, load<decltype(x)>(state.w + j) + splat<decltype(x)>(by) * x);
            });
            *state.b += by * state.constant;
        }
    });
    return mistakes;
}

}  // namespace rosenblatt::ROSENBLATT_ISA
