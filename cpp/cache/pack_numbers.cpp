// The packing of page numbers. Compiled once per instruction set; plain loops, which the compiler vectorises.
#include "cache/pack_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

// Eight sums of words, each multiplied by an odd constant between two words, so that every bit and its position count;
// then the rest byte by byte. Without a vector multiply of 64 bits, scalar code is four times as fast as GCC's vectors.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__AVX512DQ__)
__attribute__((optimize("no-tree-vectorize")))
#endif
std::uint64_t checksum(const std::uint8_t* bytes, std::size_t size) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
    std::uint64_t sums[8];
    for (std::uint64_t i = 0; i < 8; ++i) sums[i] = i;
    std::size_t left = size;
    for (; left >= 64; left -= 64, bytes += 64) {
        std::uint64_t words[8];
        std::memcpy(words, bytes, 64);
        for (int i = 0; i < 8; ++i) sums[i] = (sums[i] ^ words[i]) * odd;
    }
    std::uint64_t total = size;
    for (const std::uint64_t sum : sums) total = (total ^ (sum ^ (sum >> 29))) * odd;
    for (; left > 0; --left, ++bytes) total = (total ^ *bytes) * odd;
    return total ^ (total >> 32);
}

// m / power, correctly rounded, for a power of ten. Where there is a fused multiply-add, a product with the reciprocal and
// one correction are faster than a division and give the same bits (Markstein 1990; checked for every m and every power).
inline double divide_exact(std::int32_t m, double power, [[maybe_unused]] double inverse) {
    const auto number = static_cast<double>(m);
#if defined(__AVX512F__)
    const double quotient = number * inverse;
    return __builtin_fma(__builtin_fma(-quotient, power, number), inverse, quotient);
#else
    return number / power;
#endif
}

bool to_integers(const double* values, std::size_t count, double power, std::int32_t* m, std::int32_t& largest) {
    // Added to a number below 2^51, it leaves the nearest integer in the lowest bits. For larger numbers, and integers of
    // more than four bytes, the division does not give the value back.
    constexpr double round_to_integer = 0x1.8p52;
    const double inverse = 1.0 / power;
    std::uint64_t differences = 0;
    std::int32_t local_largest = largest;
    for (std::size_t i = 0; i < count; ++i) {
        const auto nearest = static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(values[i] * power + round_to_integer));
        m[i] = nearest;
        differences |= std::bit_cast<std::uint64_t>(divide_exact(nearest, power, inverse)) ^ std::bit_cast<std::uint64_t>(values[i]);
        const std::int32_t magnitude = nearest ^ (nearest >> 31);  // m, or -1 - m of a negative one: both need the same number of bits
        local_largest = magnitude > local_largest ? magnitude : local_largest;
    }
    largest = local_largest;
    return differences == 0;
}

template <class M>
Unpacked divide(const M* m, std::size_t count, double power, double* values) {
    const double inverse = 1.0 / power;
    M min = 0, max = 0;
    for (std::size_t i = 0; i < count; ++i) {
        min = m[i] < min ? m[i] : min;
        max = m[i] > max ? m[i] : max;
        values[i] = divide_exact(m[i], power, inverse);
    }
    return {std::max<std::int64_t>(-static_cast<std::int64_t>(min), max)};
}

template <class From, class To>
void cast(const From* from, std::size_t count, To* to) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
}

Unpacked uint16_to_int32(const std::uint16_t* from, std::size_t count, std::int32_t* to) {
    constexpr std::size_t piece = 4096;  // few enough to count descents in two bytes, which vectorises best
    std::uint16_t largest = 0, previous = 0;
    Unpacked result;
    for (std::size_t first = 0; first < count; first += piece) {
        const std::size_t last = std::min(first + piece, count);
        std::uint16_t descents = first > 0 && from[first] <= previous;
        to[first] = from[first];
        largest = std::max(largest, from[first]);
        for (std::size_t i = first + 1; i < last; ++i) {
            to[i] = from[i];
            largest = std::max(largest, from[i]);
            descents = static_cast<std::uint16_t>(descents + (from[i] <= from[i - 1]));
        }
        previous = from[last - 1];
        result.descents += descents;
    }
    result.largest = largest;
    return result;
}

}  // namespace

extern const PageFunctions page_functions{checksum, to_integers, divide<std::int16_t>, divide<std::int32_t>,
                                   cast<std::int32_t, std::uint16_t>, cast<std::int32_t, std::int16_t>, uint16_to_int32};

}  // namespace rosenblatt::ROSENBLATT_ISA
