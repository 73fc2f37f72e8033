// Dual coordinate ascent (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008): each row in turn gets the weight that is best
// while the others stay. On separable classes it is a perceptron with the optimal step size.
// Compiled once per instruction set.
#include "certify/dual_ascent.hpp"

#include "core/lane_sum.hpp"

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

std::size_t ascend(Ascent& state, const std::uint32_t* order, std::size_t count, double* margins) {
    std::size_t mistakes = 0;
    const Order visits{order, count, state.rows.count};
    with_reader(state.rows, visits, false, [&](auto&& reader) {
        for (std::size_t at = 0; at < count; ++at) {
            const auto row = reader[at];
            const std::size_t i = visits[at];
            const double y = state.sign[i];
            const double margin =
                y * (lane_sum(row, [&](std::size_t j, auto x) { return load<decltype(x)>(state.w + j) * x; }) +
                     state.constant * *state.b);
            mistakes += !(margin > 0.0);
            margins[at] = margin;
            if (!(state.norm2[i] > 0.0)) continue;
            const double best = std::clamp(state.a[i] + (1.0 - margin) / state.norm2[i], 0.0, state.limit);
            const double step = (best - state.a[i]) * y;
            if (step == 0.0) continue;
            state.a[i] = best;
            each_weight<1>(row, [&](std::size_t j, auto x) {
                store(state.w + j, load<decltype(x)>(state.w + j) + splat<decltype(x)>(step) * x);
            });
            *state.b += step * state.constant;
        }
    });
    return mistakes;
}

}  // namespace

extern const AscentFunctions ascent_functions{ascend};

}  // namespace rosenblatt::ROSENBLATT_ISA
