// The digits of a short number, all at once. Compiled once for each instruction set; the integer they form is exact, so
// every one gives the same double.
#pragma once

#include "number.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace rosenblatt::ROSENBLATT_ISA {

// `length` digits, 1 to 8, from p. False: they are not all digits.
ROSENBLATT_INLINE bool short_whole(const char* p, unsigned length, std::uint32_t& value) {
    std::uint64_t w = (load8(p) ^ 0x3030303030303030u) << (64 - 8 * length);
    if (((w + 0x7676767676767676u) | w) & 0x8080808080808080u) return false;
    w = w * 10 + (w >> 8);
    w = ((w & 0x000000FF000000FFu) * 0x000F424000000064u + ((w >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >> 32;
    value = static_cast<std::uint32_t>(w);
    return true;
}

#if defined(__AVX2__)

// The point is taken out of sixteen bytes by moving those before it one place on; and the first bytes are set to 0.
struct Moves {
    alignas(16) std::uint8_t without[17][16];  // [place of the point, or 16 where there is none]
    alignas(16) std::uint8_t last[17][16];     // [digits]
    constexpr Moves() : without{}, last{} {
        for (int point = 0; point <= 16; ++point)
            for (int i = 0; i < 16; ++i) {
                const bool moved = point < 16 && i <= point;
                without[point][i] = static_cast<std::uint8_t>(!moved ? i : i == 0 ? 0x80 : i - 1);
                last[point][i] = i >= 16 - point ? 0xFF : 0;
            }
    }
};
inline constexpr Moves moves;

// [+-]digits[.digits] of at most sixteen bytes, from v to exactly e. False: something else. Sixteen bytes before e and
// after v must be readable.
ROSENBLATT_INLINE bool short_number(const char* v, const char* e, double& number) {
    const bool negative = *v == '-';
    v += negative | (*v == '+');
    const std::size_t length = static_cast<std::size_t>(e - v);
    if (length - 1 >= 16) return false;
    __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(e - 16));
    unsigned points = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('.'))));
    points = (points >> (16 - length)) << (16 - length) | 0x10000u;
    const unsigned point = static_cast<unsigned>(std::countr_zero(points));
    const unsigned has_point = point < 16, places = 15 - point + !has_point;
    x = _mm_shuffle_epi8(x, _mm_load_si128(reinterpret_cast<const __m128i*>(moves.without[point])));
    x = _mm_sub_epi8(x, _mm_set1_epi8('0'));
    x = _mm_and_si128(x, _mm_load_si128(reinterpret_cast<const __m128i*>(moves.last[length - has_point])));
    // A second point is no digit; a lone one leaves no digits.
    const __m128i nine = _mm_set1_epi8(9);
    if (!_mm_test_all_ones(_mm_cmpeq_epi8(_mm_max_epu8(x, nine), nine)) || length == has_point) return false;
    // Pairs, fours, eights.
    x = _mm_maddubs_epi16(x, _mm_set1_epi16(0x010A));
    x = _mm_madd_epi16(x, _mm_set1_epi32(0x00010064));
    x = _mm_packus_epi32(x, x);
    x = _mm_madd_epi16(x, _mm_set1_epi32(0x00012710));
    const std::uint64_t halves = static_cast<std::uint64_t>(_mm_cvtsi128_si64(x));
    const std::uint64_t m = (halves & 0xFFFFFFFFu) * 100000000u + (halves >> 32);
    if (m > exact) return false;
    const double size = static_cast<double>(static_cast<std::int64_t>(m)) / tens[places];
    number = std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) | static_cast<std::uint64_t>(negative) << 63);
    return true;
}

#else

ROSENBLATT_INLINE bool short_number(const char* v, const char* e, double& number) { return usual_number(v, e, number); }

#endif

}  // namespace rosenblatt::ROSENBLATT_ISA
