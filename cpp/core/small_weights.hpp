// Weights in two bytes each, and their positions as the gaps between them.
//
// A weight w becomes the half-precision number (IEEE 754 binary16: eleven significant bits) nearest to w * 2^k, ties away
// from zero. k is the same for all, and brings the largest to 2^14 or more: weights down to 2^-28 of the largest keep eleven
// bits. Positions ascend; each is the number of places left out since the one before, in groups of seven bits, low ones
// first, with the top bit set in all but the last (LEB128).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace rosenblatt::small {

inline constexpr int largest_exponent = 14;

// Exact in every rounding mode: all of it is arithmetic on whole numbers and powers of two.
inline std::uint16_t to_half(double number) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(number) ? 0x8000 : 0);
    const double size = std::fabs(number);
    if (size == 0.0) return sign;
    const int exponent = std::max(std::ilogb(size), -14);
    const double digits = std::floor(std::ldexp(size, 11 - exponent));  // one bit more than is kept
    const auto rounded = static_cast<std::uint32_t>((static_cast<std::uint64_t>(digits) + 1) / 2);
    // Below 2^-14 the leading bit is missing, and so is the exponent; a carry into the exponent is right in both cases.
    return static_cast<std::uint16_t>(sign | (rounded + (static_cast<std::uint32_t>(exponent + 14) << 10)));
}

inline double from_half(std::uint16_t half) {
    const int exponent = half >> 10 & 31;
    if (exponent == 31) return std::numeric_limits<double>::quiet_NaN();  // infinite or not a number: no weight
    const double size = exponent ? std::ldexp(static_cast<double>(1024 + (half & 1023)), exponent - 25)
                                 : std::ldexp(static_cast<double>(half & 1023), -24);
    return half & 0x8000 ? -size : size;
}

// k of the weights: 0 where all are 0.
inline int common_exponent(std::span<const double> weights) {
    double largest = 0.0;
    for (const double weight : weights) largest = std::max(largest, std::fabs(weight));
    return largest == 0.0 ? 0 : largest_exponent - std::ilogb(largest);
}

inline std::vector<std::uint8_t> to_gaps(std::span<const std::uint32_t> positions) {
    std::vector<std::uint8_t> gaps;
    gaps.reserve(2 * positions.size());
    std::uint32_t next = 0;
    for (const std::uint32_t position : positions) {
        std::uint32_t gap = position - next;
        for (; gap >= 128; gap >>= 7) gaps.push_back(static_cast<std::uint8_t>(gap | 128));
        gaps.push_back(static_cast<std::uint8_t>(gap));
        next = position + 1;
    }
    return gaps;
}

// Nothing where the bytes are not `count` gaps, or lead beyond 32 bits.
inline std::optional<std::vector<std::uint32_t>> from_gaps(std::span<const std::uint8_t> gaps, std::size_t count) {
    if (count > gaps.size()) return {};
    std::vector<std::uint32_t> positions;
    positions.reserve(count);
    std::uint64_t next = 0, gap = 0;
    unsigned shift = 0;
    for (const std::uint8_t byte : gaps) {
        gap |= static_cast<std::uint64_t>(byte & 127) << shift;
        shift += 7;
        if (byte & 128) {
            if (shift > 28) return {};
            continue;
        }
        if (next + gap > 0xFFFFFFFFu) return {};
        positions.push_back(static_cast<std::uint32_t>(next + gap));
        next += gap + 1;
        gap = 0, shift = 0;
    }
    if (shift || positions.size() != count) return {};
    return positions;
}

}  // namespace rosenblatt::small
