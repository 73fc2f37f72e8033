// The digits of a short number, all at once. Compiled once for each instruction set; the integer they form is exact, so
// every one gives the same double.
#pragma once

#include "parse/number.hpp"

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

// Tables by place. In memory and not in registers, of which the loop of a parser has none to spare.
struct Tables {
    alignas(16) std::uint8_t last[17][16] = {};     // [length of the number]: keeps its bytes, clears those before it
    alignas(16) std::uint8_t without[17][16] = {};  // [place of the point, 16: none]: moves what is before it onto it
    alignas(16) double power[2][17] = {};           // [negative][place of the point]: what to divide the digits by
    alignas(16) std::uint8_t zero[16], point[16], nine[16], ten[16];
    alignas(16) std::uint16_t hundred[8], myriad[8];
    alignas(16) double high[2] = {1e8, 1};
    constexpr Tables() : zero{}, point{}, nine{}, ten{}, hundred{}, myriad{} {
        for (int n = 0; n <= 16; ++n) {
            for (int i = 0; i < 16; ++i) {
                last[n][i] = i >= 16 - n ? 0xFF : 0;
                without[n][i] = static_cast<std::uint8_t>(n == 16 || i > n ? i : i == 0 ? 0x80 : i - 1);
            }
            power[0][n] = tens[n == 16 ? 0 : 15 - n];
            power[1][n] = -power[0][n];
        }
        for (int i = 0; i < 16; ++i) {
            zero[i] = '0';
            point[i] = static_cast<std::uint8_t>('.' - '0');
            nine[i] = 9;
            ten[i] = i % 2 ? 1 : 10;
        }
        for (int i = 0; i < 8; ++i) {
            hundred[i] = i % 2 ? 1 : 100;
            myriad[i] = i % 2 ? 1 : 10000;
        }
    }
};
inline constexpr Tables tables;

template <class T>
ROSENBLATT_INLINE __m128i table(const T* at) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(at));
}

// [-]digits[.digits] of at most sixteen bytes without the sign, from v to exactly e, with a digit before the point.
// False: something else. Sixteen bytes before e must be readable.
ROSENBLATT_INLINE bool short_number(const char* v, const char* e, double& number) {
    const bool negative = *v == '-';
    const std::size_t length = static_cast<std::size_t>(e - v) - negative;
    if (length - 1 >= 16) return false;
    __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(e - 16));
    x = _mm_and_si128(_mm_sub_epi8(x, table(tables.zero)), table(tables.last[length]));
    const unsigned points = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, table(tables.point))));
    const unsigned point = static_cast<unsigned>(std::countr_zero(points | 0x10000u));
    x = _mm_shuffle_epi8(x, table(tables.without[point]));
    const __m128i beyond = _mm_subs_epu8(x, table(tables.nine));  // a second point is no digit either
    if (!_mm_testz_si128(beyond, beyond) || length + point == 16) return false;
    // Pairs, fours, eights; both eights are whole doubles, and so is their sum below 2^53.
    x = _mm_maddubs_epi16(x, table(tables.ten));
    x = _mm_madd_epi16(x, table(tables.hundred));
    x = _mm_madd_epi16(_mm_packus_epi32(x, x), table(tables.myriad));
    const __m128d eights = _mm_mul_pd(_mm_cvtepi32_pd(x), _mm_load_pd(tables.high));
    const double m = _mm_cvtsd_f64(_mm_add_sd(eights, _mm_unpackhi_pd(eights, eights)));
    if (m >= 0x1p53) return false;
    number = m / tables.power[negative][point];
    return true;
}

#else

ROSENBLATT_INLINE bool short_number(const char* v, const char* e, double& number) { return usual_number(v, e, number); }

#endif

}  // namespace rosenblatt::ROSENBLATT_ISA
