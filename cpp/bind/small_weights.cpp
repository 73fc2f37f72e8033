// Weights of small models: two bytes each, and the gaps between their positions.
#include "core/small_weights.hpp"

#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace rosenblatt {
namespace {

// (halves, exponent)
auto to_halves(const In<double>& weights) {
    const std::size_t count = weights.shape(0);
    const int exponent = small::common_exponent(std::span(weights.data(), count));
    std::uint16_t* halves;
    auto result = new_array<std::uint16_t, nb::memview>(count, halves);
    for (std::size_t i = 0; i < count; ++i) halves[i] = small::to_half(std::ldexp(weights.data()[i], exponent));
    return std::make_pair(result, exponent);
}

auto from_halves(const In<std::uint16_t>& halves, int exponent) {
    double* weights;
    auto result = new_array<double, nb::memview>(halves.shape(0), weights);
    for (std::size_t i = 0; i < halves.shape(0); ++i) weights[i] = std::ldexp(small::from_half(halves.data()[i]), -exponent);
    return result;
}

auto to_gaps(const In<std::uint32_t>& positions) {
    const auto gaps = small::to_gaps(std::span(positions.data(), positions.shape(0)));
    return nb::bytes(reinterpret_cast<const char*>(gaps.data()), gaps.size());
}

// None where the bytes are not so many gaps.
nb::object from_gaps(const In<std::uint8_t>& gaps, std::size_t count) {
    const auto positions = small::from_gaps(std::span(gaps.data(), gaps.shape(0)), count);
    if (!positions) return nb::none();
    std::uint32_t* to;
    auto result = new_array<std::uint32_t, nb::memview>(count, to);
    std::copy(positions->begin(), positions->end(), to);
    return nb::cast(result);
}

}  // namespace

void bind_small_weights(Module& m) {
    m.def("to_halves", &to_halves, "weights"_a);
    m.def("from_halves", &from_halves, "halves"_a, "exponent"_a);
    m.def("to_gaps", &to_gaps, "positions"_a);
    m.def("from_gaps", &from_gaps, "gaps"_a, "count"_a);
}

}  // namespace rosenblatt
