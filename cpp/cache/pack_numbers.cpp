// Numbers in fewer bytes for one instruction set. Compiled once for each, with ROSENBLATT_ISA naming the namespace; plain
// loops, which the compiler writes in registers of any width.
#include "cache/pack_numbers.hpp"

#include <algorithm>
#include <bit>

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

// m / power to the bit, power being one of ten. A product and two fused operations are quicker than a division: where there
// are such, the product with the reciprocal is put right by what it leaves over (Markstein 1990; tried for every m and every power).
inline double quotient(std::int32_t m, double power, [[maybe_unused]] double inverse) {
    const auto whole = static_cast<double>(m);
#if defined(__AVX512F__)
    const double near = whole * inverse;
    return __builtin_fma(__builtin_fma(-near, power, whole), inverse, near);
#else
    return whole / power;
#endif
}

bool whole(const double* value, std::size_t count, double power, std::int32_t* m, std::int32_t& most) {
    // Added to a number below 2^51 it leaves the nearest whole one in the lowest bits; of others, and of those beyond four
    // bytes, what is left is not what they were.
    constexpr double units = 0x1.8p52;
    const double inverse = 1.0 / power;
    std::uint64_t others = 0;
    std::int32_t largest = most;
    for (std::size_t i = 0; i < count; ++i) {
        const auto near = static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(value[i] * power + units));
        m[i] = near;
        others |= std::bit_cast<std::uint64_t>(quotient(near, power, inverse)) ^ std::bit_cast<std::uint64_t>(value[i]);
        const std::int32_t size = near ^ (near >> 31);  // -1 counts as 0: so do the bytes that hold it
        largest = size > largest ? size : largest;
    }
    most = largest;
    return others == 0;
}

template <class M>
Unpacked divided(const M* m, std::size_t count, double power, double* value) {
    const double inverse = 1.0 / power;
    M least = 0, most = 0;
    for (std::size_t i = 0; i < count; ++i) {
        least = m[i] < least ? m[i] : least;
        most = m[i] > most ? m[i] : most;
        value[i] = quotient(m[i], power, inverse);
    }
    return {std::max<std::int64_t>(-static_cast<std::int64_t>(least), most)};
}

template <class From, class To>
void cast(const From* from, std::size_t count, To* to) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
}

Unpacked widened(const std::uint16_t* from, std::size_t count, std::int32_t* to) {
    constexpr std::size_t piece = 4096;  // of which two bytes can count
    std::uint16_t most = 0, before = 0;
    Unpacked found;
    for (std::size_t first = 0; first < count; first += piece) {
        const std::size_t last = std::min(first + piece, count);
        std::uint16_t falls = first > 0 && from[first] <= before;
        to[first] = from[first];
        most = std::max(most, from[first]);
        for (std::size_t i = first + 1; i < last; ++i) {
            to[i] = from[i];
            most = std::max(most, from[i]);
            falls = static_cast<std::uint16_t>(falls + (from[i] <= from[i - 1]));
        }
        before = from[last - 1];
        found.falls += falls;
    }
    found.largest = most;
    return found;
}

}  // namespace

extern const PageFunctions page_functions;
const PageFunctions page_functions{whole, divided<std::int16_t>, divided<std::int32_t>, cast<std::int32_t, std::uint16_t>,
                  cast<std::int32_t, std::int16_t>, widened};

}  // namespace rosenblatt::ROSENBLATT_ISA
