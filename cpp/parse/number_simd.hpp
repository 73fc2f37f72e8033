// Parses a short number, all digits at once. Compiled once per instruction set; the integer they form is exact, so
// every instruction set gives the same double.
#pragma once

#include "parse/number.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace rosenblatt::ROSENBLATT_ISA {

// Parses `length` digits, 1 to 8, from p. Returns false if one of them is not a digit.
ROSENBLATT_INLINE bool parse_short_integer(const char* p, unsigned length, std::uint32_t& value) {
    const std::uint64_t word = (load8(p) ^ eight_zeros) << (64 - 8 * length);
    value = join_digits(word);
    return non_digits(word) == 0;
}

#if defined(__AVX2__)

// Constants kept in memory, because the loop of a parser has no registers to spare for them.
struct NumberTables {
    alignas(16) std::uint8_t keep_last[17][16] = {};     // [length]: keeps that many bytes, clears those before them
    alignas(16) std::uint8_t remove_point[17][16] = {};  // [position of the point, 16: none]: moves the bytes before it up
    alignas(16) double divisor[2][17] = {};              // [negative][position of the point]
    alignas(16) std::uint8_t zero[16], point[16], nine[16], tens[16];
    alignas(16) std::uint16_t hundreds[8], ten_thousands[8];
    alignas(16) double upper_lower[2] = {1e8, 1};
    constexpr NumberTables() : zero{}, point{}, nine{}, tens{}, hundreds{}, ten_thousands{} {
        for (int n = 0; n <= 16; ++n) {
            for (int i = 0; i < 16; ++i) {
                keep_last[n][i] = i >= 16 - n ? 0xFF : 0;
                remove_point[n][i] = static_cast<std::uint8_t>(n == 16 || i > n ? i : i == 0 ? 0x80 : i - 1);
            }
            divisor[0][n] = powers_of_ten[n == 16 ? 0 : 15 - n];
            divisor[1][n] = -divisor[0][n];
        }
        for (int i = 0; i < 16; ++i) {
            zero[i] = '0';
            point[i] = static_cast<std::uint8_t>('.' - '0');
            nine[i] = 9;
            tens[i] = i % 2 ? 1 : 10;
        }
        for (int i = 0; i < 8; ++i) {
            hundreds[i] = i % 2 ? 1 : 100;
            ten_thousands[i] = i % 2 ? 1 : 10000;
        }
    }
};
inline constexpr NumberTables number_tables;

template <class T>
ROSENBLATT_INLINE __m128i load_table(const T* at) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(at));
}

// Parses [-]digits[.digits] of at most sixteen bytes without the sign, from `begin` to exactly `end`, with a digit
// before the point. Returns false for any other form. Sixteen bytes before `end` must be readable.
ROSENBLATT_INLINE bool parse_short_number(const char* begin, const char* end, double& number) {
    const NumberTables& t = number_tables;
    const bool negative = *begin == '-';
    const std::size_t length = static_cast<std::size_t>(end - begin) - negative;
    if (length - 1 >= 16) return false;
    __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(end - 16));
    x = _mm_and_si128(_mm_sub_epi8(x, load_table(t.zero)), load_table(t.keep_last[length]));
    const unsigned points = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, load_table(t.point))));
    const unsigned point = static_cast<unsigned>(std::countr_zero(points | 0x10000u));
    x = _mm_shuffle_epi8(x, load_table(t.remove_point[point]));
    const __m128i above_nine = _mm_subs_epu8(x, load_table(t.nine));  // a second point is not a digit either
    if (!_mm_testz_si128(above_nine, above_nine) || length + point == 16) return false;
    // Join the digits by two, four, eight. Both eights are exact doubles, and so is their sum if it is below 2^53.
    x = _mm_maddubs_epi16(x, load_table(t.tens));
    x = _mm_madd_epi16(x, load_table(t.hundreds));
    x = _mm_madd_epi16(_mm_packus_epi32(x, x), load_table(t.ten_thousands));
    const __m128d eights = _mm_mul_pd(_mm_cvtepi32_pd(x), _mm_load_pd(t.upper_lower));
    const double m = _mm_cvtsd_f64(_mm_add_sd(eights, _mm_unpackhi_pd(eights, eights)));
    if (m >= 0x1p53) return false;
    number = m / t.divisor[negative][point];
    return true;
}

#else

ROSENBLATT_INLINE bool parse_short_number(const char* begin, const char* end, double& number) { return parse_simple_number(begin, end, number); }

#endif

}  // namespace rosenblatt::ROSENBLATT_ISA
