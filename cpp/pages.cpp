// Numbers in fewer bytes for one instruction set. Compiled once for each, with ROSENBLATT_ISA naming the namespace; plain
// loops, which the compiler writes in registers of any width.
#include "pages.hpp"

#include <bit>

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

bool whole(const double* value, std::size_t count, double power, std::int32_t* m, std::int32_t& most) {
    // Added to a number below 2^51 it leaves the nearest whole one in the lowest bits; of others, and of those beyond four
    // bytes, what is left is not what they were.
    constexpr double units = 0x1.8p52;
    std::uint64_t others = 0;
    std::int32_t largest = most;
    for (std::size_t i = 0; i < count; ++i) {
        const auto near = static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(value[i] * power + units));
        m[i] = near;
        others |= std::bit_cast<std::uint64_t>(near / power) ^ std::bit_cast<std::uint64_t>(value[i]);
        const std::int32_t size = near ^ (near >> 31);  // -1 counts as 0: so do the bytes that hold it
        largest = size > largest ? size : largest;
    }
    most = largest;
    return others == 0;
}

template <class M>
void divided(const M* m, std::size_t count, double power, double* value) {
    for (std::size_t i = 0; i < count; ++i) value[i] = static_cast<double>(m[i]) / power;
}

template <class From, class To>
void cast(const From* from, std::size_t count, To* to) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
}

}  // namespace

extern const Pages pages;
const Pages pages{whole, divided<std::int16_t>, divided<std::int32_t>, cast<std::int32_t, std::uint16_t>,
                  cast<std::int32_t, std::int16_t>, cast<std::uint16_t, std::int32_t>};

}  // namespace rosenblatt::ROSENBLATT_ISA
