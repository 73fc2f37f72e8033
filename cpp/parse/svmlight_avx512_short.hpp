// Eight features `index:value` of at most seven bytes on each side of the colon, the usual ones: two registers hold them
// all, where parse/svmlight_avx512_long.hpp takes three. To the same bits. Where no value has a sign, nothing asks for one.
#pragma once

#if defined(__AVX512BW__) && defined(__AVX512DQ__)

#include "parse/svmlight_avx512_long.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

struct ShortConstants {
    EveryWord space{0x3030303030303020}, colon{0x303030303030303A}, sign_place{0xFF00}, sign{('-' ^ '0') << 8};
    EveryWord point{0x1E1E1E1E1E1E1E1E}, bit_of_point{0x8080808080808080}, lowest{1}, last{std::uint64_t{0x10} << 56};
    EveryWord nine{0x0909090909090909}, two{0x0000000200000002}, most{0x0000000600000006}, sign_asks{std::uint64_t{1} << 32};
    EveryWord sixty_four{0x0000004000000040}, minus{std::uint64_t{1} << 63};
    EveryWord pairs{0x010A010A010A010A}, hundreds{0x0164016401640164}, myriads{0x0001271000012710};
};
inline constexpr ShortConstants short_constants;

template <bool with_signs>
class ShortEights {
public:
    explicit ShortEights(std::int64_t base) : base(_mm256_set1_epi32(static_cast<int>(base))) {}

    // Of every index and value eight bytes, the last digit in the last; `bit` is the highest of the byte where the point
    // was, or 1.
    struct Digits {
        __m512i index, value, bit;
        __mmask8 negative = 0, those = 0xFF;
    };

    // As LongEights.
    ROSENBLATT_INLINE bool digits(const char* origin, const std::uint32_t* at, std::size_t count, Digits& out) const {
        const __m512i indices = every_second(origin, at - 1), values = every_second(origin, at);
        const __m512i sizes = _mm512_sub_epi32(_mm512_loadu_si512(at), _mm512_loadu_si512(at - 1));  // index, value, index, ...

        // Each has the separator before it, which becomes a zero where it is the right one, and no digit where not. So
        // does a sign, which asks for one byte more. What is behind them is moved out, and zeros come in.
        __m512i value = _mm512_xor_si512(values, colon);
        __mmask8 negative = 0;
        if constexpr (with_signs) {
            negative = _mm512_cmpeq_epi64_mask(_mm512_and_si512(value, sign_place), sign);
            value = _mm512_mask_xor_epi64(value, negative, value, sign);
        }
        const __m512i up = _mm512_sub_epi32(sixty_four, _mm512_slli_epi32(sizes, 3));
        value = _mm512_sllv_epi64(value, _mm512_srli_epi64(up, 32));
        const __m512i index = _mm512_sllv_epi64(_mm512_xor_si512(indices, space), _mm512_maskz_mov_epi32(0x5555, up));

        // What is before the point is moved onto it. The lowest bit of all stands for no point: nothing moves there that
        // could be one of the separators. A second point stays where it is, and is no digit.
        const __mmask64 points = _mm512_cmpeq_epi8_mask(value, point);
        const __m512i bit = _mm512_max_epu64(_mm512_maskz_mov_epi8(points, bit_of_point), lowest);
        const __m512i upto = _mm512_or_si512(bit, _mm512_sub_epi64(bit, lowest));
        const __m512i joined = _mm512_ternarylogic_epi64(upto, _mm512_slli_epi64(value, 8), value, 0xCA);  // a ? b : c
        out = {index, joined, bit, negative, 0xFF};

        // No digit; a point as the last byte.
        const __m512i odd = _mm512_ternarylogic_epi64(_mm512_max_epu8(index, joined), value, last, 0xF8);  // a | (b & c)
        const __mmask64 no_digits = _mm512_cmpgt_epu8_mask(odd, nine);
        const __mmask16 too_long = with_signs ? long_ones(sizes, negative, two, most, sign_asks)
                                              : _mm512_cmpgt_epu32_mask(_mm512_sub_epi32(sizes, two), most);
        const char behind = origin[at[2 * count - 1]];
        if (behind != ' ' && behind != '\n' && behind != '\r') return false;
        if (count == 8) [[likely]] return _kortestz_mask64_u8(no_digits, too_long);
        out.those = static_cast<__mmask8>(0xFFu >> (8 - count));
        return ((no_digits & ~std::uint64_t{0} >> (64 - 8 * count)) | (too_long & 0xFFFFu >> (16 - 2 * count))) == 0;
    }

    // The place of the point is in the exponent of its bit; the last digit is at place 7.
    ROSENBLATT_INLINE Eight numbers(const Digits& of) const {
        const __m512i twos = _mm512_packus_epi16(_mm512_maddubs_epi16(of.index, pairs), _mm512_maddubs_epi16(of.value, pairs));
        const __m512i eights = _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15),
                                                        _mm512_madd_epi16(_mm512_maddubs_epi16(twos, hundreds), myriads));
        const __m512i place = _mm512_srli_epi64(_mm512_castpd_si512(_mm512_cvtepi64_pd(of.bit)), 55);
        const __m512d power = _mm512_permutexvar_pd(place, _mm512_setr_pd(1, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1));
        const __m512d size = _mm512_div_pd(_mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(eights, 1)), power);
        return {_mm256_sub_epi32(_mm512_castsi512_si256(eights), base), with_signs ? signed_as(of.negative, size, minus) : size, of.those};
    }

private:
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
