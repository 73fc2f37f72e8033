// Eight features `index:value` of at most seven bytes on each side of the colon, the usual ones: two registers hold them
// all, where eight.hpp takes three. To the same bits.
#pragma once

#if defined(__AVX512BW__) && defined(__AVX512DQ__)

#include "eight.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

struct ShortConstants {
    EveryWord space{0x3030303030303020}, colon{0x303030303030303A}, sign_place{0xFF00}, sign{('-' ^ '0') << 8};
    EveryWord point{0x1E1E1E1E1E1E1E1E}, bit_of_point{0x1010101010101010}, lowest{0x10}, last{std::uint64_t{0x10} << 56};
    EveryWord nine{0x0909090909090909}, two{0x0000000200000002}, most{0x0000000600000006}, sign_asks{std::uint64_t{1} << 32};
    EveryWord sixty_four{0x0000004000000040}, minus{std::uint64_t{1} << 63};
    EveryWord pairs{0x010A010A010A010A}, hundreds{0x0001006400010064}, myriads{0x0001271000012710};
};
inline constexpr ShortConstants short_constants;

class ShortEights {
public:
    explicit ShortEights(std::int64_t base) : base(_mm256_set1_epi32(static_cast<int>(base))) {}

    // As LongEights.
    ROSENBLATT_INLINE bool operator()(const char* origin, const std::uint32_t* at, std::size_t count, Eight& out) const {
        const auto word = [&](int i) { return static_cast<std::int64_t>(load8(origin + at[i])); };
        const __m512i indices = _mm512_setr_epi64(word(-1), word(1), word(3), word(5), word(7), word(9), word(11), word(13));
        const __m512i values = _mm512_setr_epi64(word(0), word(2), word(4), word(6), word(8), word(10), word(12), word(14));
        const __m512i sizes = _mm512_sub_epi32(_mm512_loadu_si512(at), _mm512_loadu_si512(at - 1));  // index, value, index, ...

        // Each has the separator before it, which becomes a zero where it is the right one, and no digit where not. So
        // does a sign, which asks for one byte more. What is behind them is moved out, and zeros come in.
        __m512i value = _mm512_xor_si512(values, colon);
        const __mmask8 negative = _mm512_cmpeq_epi64_mask(_mm512_and_si512(value, sign_place), sign);
        value = _mm512_mask_xor_epi64(value, negative, value, sign);
        const __m512i up = _mm512_sub_epi32(sixty_four, _mm512_slli_epi32(sizes, 3));
        value = _mm512_sllv_epi64(value, _mm512_srli_epi64(up, 32));
        const __m512i index = _mm512_sllv_epi64(_mm512_xor_si512(indices, space), _mm512_maskz_mov_epi32(0x5555, up));

        // A bit of the byte of the point; where there is none, of the first byte, where the colon can be and no point.
        const __mmask64 points = _mm512_cmpeq_epi8_mask(value, point);
        const __m512i bit = _mm512_max_epu64(_mm512_maskz_mov_epi8(points, bit_of_point), lowest);
        const __m512i below = _mm512_sub_epi64(bit, lowest);
        const __m512i digits = joined(_mm512_mask_mov_epi8(value, points, _mm512_setzero_si512()), below);
        numbers(index, digits, bit, negative, out);

        // No digit; a point as the last byte; a second point.
        __m512i odd = _mm512_max_epu8(index, digits);
        odd = _mm512_ternarylogic_epi64(odd, value, last, 0xF8);  // a | (b & c)
        odd = _mm512_ternarylogic_epi64(odd, bit, below, 0xF8);
        const __mmask64 no_digits = _mm512_cmpgt_epu8_mask(odd, nine);
        const __mmask16 too_long = long_ones(sizes, negative, two, most, sign_asks);
        const char behind = origin[at[2 * count - 1]];
        if (behind != ' ' && behind != '\n') return false;
        if (count == 8) [[likely]] return _kortestz_mask64_u8(no_digits, too_long);
        only(count, out);
        return ((no_digits & ~std::uint64_t{0} >> (64 - 8 * count)) | (too_long & 0xFFFFu >> (16 - 2 * count))) == 0;
    }

private:
    // What is before the point is moved onto it.
    static ROSENBLATT_INLINE __m512i joined(__m512i digits, __m512i below) {
        const __m512i whole = _mm512_and_si512(digits, below);
        return _mm512_ternarylogic_epi64(digits, whole, _mm512_slli_epi64(whole, 8), 0xBE);  // (a ^ b) | c
    }

    // The place of the point is in the exponent of its bit; the last digit is at place 7.
    ROSENBLATT_INLINE void numbers(__m512i index, __m512i digits, __m512i bit, __mmask8 negative, Eight& out) const {
        const __m512i fours = _mm512_packus_epi32(four_digits(index, pairs, hundreds), four_digits(digits, pairs, hundreds));
        const __m512i eights = _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15),
                                                        _mm512_madd_epi16(fours, myriads));
        const __m512i place = _mm512_srli_epi64(_mm512_castpd_si512(_mm512_cvtepi64_pd(bit)), 55);
        const __m512d power = _mm512_permutexvar_pd(place, _mm512_setr_pd(1, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1));
        const __m512d size = _mm512_div_pd(_mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(eights, 1)), power);
        out.columns = _mm256_sub_epi32(_mm512_castsi512_si256(eights), base);
        out.numbers = signed_as(negative, size, minus);
    }

    // In registers, not read again for every eight: what is written could lie over them, for all the compiler knows.
    const ShortConstants& c = hidden(short_constants);
    const __m512i space = c.space, colon = c.colon, sign_place = c.sign_place, sign = c.sign, point = c.point,
                  bit_of_point = c.bit_of_point, lowest = c.lowest, last = c.last, nine = c.nine, two = c.two,
                  most = c.most, sign_asks = c.sign_asks, sixty_four = c.sixty_four, minus = c.minus,
                  pairs = c.pairs, hundreds = c.hundreds, myriads = c.myriads;
    const __m256i base;
};

}  // namespace rosenblatt::ROSENBLATT_ISA

#endif
