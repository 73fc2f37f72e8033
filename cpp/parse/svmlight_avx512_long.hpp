// Eight features `index:value` at once, no branch that depends on their lengths: here those with up to eight digits before
// the colon and fourteen bytes behind it, in parse/svmlight_avx512_short.hpp the shorter ones. For processors with 512-bit registers; the
// others read them one by one, with the same bits. No mask moves to a general register unless a line ends: such a move
// costs more than the comparison that made the mask.
#pragma once

#if defined(__AVX512BW__) && defined(__AVX512DQ__)

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "parse/number.hpp"
#include "parse/parsed.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

struct Eight {
    __m256i columns;
    __m512d numbers;
    __mmask8 those = 0xFF;  // of the eight that there are; the others may be anything
};

// What Seen sees, of eight at a time.
class SeenByEight {
public:
    // `before`: in its last place, the column before them in their row, or -1. Returned is what comes before the next ones.
    ROSENBLATT_INLINE __m256i see(__m256i before, const Eight& eight) {
        const __m256i previous = _mm256_alignr_epi32(eight.columns, before, 7);
        falls = _kor_mask8(falls, _mm256_mask_cmple_epi32_mask(eight.those, eight.columns, previous));
        columns = _mm256_mask_max_epi32(columns, eight.those, columns, eight.columns);
        magnitudes = _mm512_mask_max_pd(magnitudes, eight.those, magnitudes, _mm512_abs_pd(eight.numbers));
        return eight.columns;
    }

    Seen together() const {
        return {_mm512_reduce_max_epi32(_mm512_broadcast_i32x8(columns)), _mm512_reduce_max_pd(magnitudes), falls == 0};
    }

private:
    __m256i columns = _mm256_set1_epi32(-1);
    __m512d magnitudes = _mm512_setzero_pd();
    __mmask8 falls = 0;
};

// Constants, in memory, and where they lie hidden from the compiler: else it makes them anew for every eight.
template <class Constants>
ROSENBLATT_INLINE const Constants& hidden(const Constants& constants) {
    const Constants* at = &constants;
    __asm__("" : "+r"(at));
    return *at;
}

// Eight words of a register; in hexadecimal, the last byte of a word is written first.
struct alignas(64) EveryWord {
    std::uint64_t word[8];
    constexpr EveryWord(std::uint64_t even, std::uint64_t odd) : word{even, odd, even, odd, even, odd, even, odd} {}
    constexpr EveryWord(std::uint64_t every) : EveryWord(every, every) {}
    ROSENBLATT_INLINE operator __m512i() const { return _mm512_load_si512(word); }
};

// The eight bytes at every second place. Two after two, so that few addresses must be kept at a time.
ROSENBLATT_INLINE __m512i every_second(const char* origin, const std::uint32_t* at) {
    const auto two = [&](int i) {
        const __m128i one = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(origin + at[i]));
        return _mm_insert_epi64(one, static_cast<std::int64_t>(load8(origin + at[i + 2])), 1);
    };
    const auto four = [&](int i) { return _mm256_inserti128_si256(_mm256_castsi128_si256(two(i)), two(i + 4), 1); };
    return _mm512_inserti64x4(_mm512_castsi256_si512(four(0)), four(8), 1);
}

ROSENBLATT_INLINE __m512d signed_as(__mmask8 negative, __m512d size, __m512i minus) {
    const __m512i bits = _mm512_castpd_si512(size);
    return _mm512_castsi512_pd(_mm512_mask_xor_epi64(bits, negative, bits, minus));
}

// Those with no byte or too many: from 0 or, where there is a sign, which asks for one more, from 1 to `most` more than one
// byte; `two` are the separator and that byte.
ROSENBLATT_INLINE __mmask16 long_ones(__m512i sizes, __mmask8 negative, __m512i two, __m512i most, __m512i sign_asks) {
    const __m512i more = _mm512_sub_epi32(sizes, two);
    return _mm512_cmpgt_epu32_mask(_mm512_mask_sub_epi64(more, negative, more, sign_asks),
                                   _mm512_mask_sub_epi64(most, negative, most, sign_asks));
}

struct LongConstants {
    EveryWord colon{0x303030303030303A, 0x3030303030303030}, sign_place{0xFF00}, sign{('-' ^ '0') << 8};
    EveryWord even_size{0x0404040404040404}, odd_size{0x0C0C0C0C0C0C0C0C}, places{0xF8F7F6F5F4F3F2F1, 0x00FFFEFDFCFBFAF9};
    EveryWord behind{0, std::uint64_t{0x10} << 56}, body{~std::uint64_t{0}, ~std::uint64_t{0} >> 8}, last{0, 0xFF10000000000000};
    EveryWord zeros{0x3030303030303030}, point{0x1E1E1E1E1E1E1E1E}, of_point{0x0706050403020100, 0x0F0E0D0C0B0A0908};
    EveryWord nine{0x0909090909090909}, two{0x0000000200000002}, most{0x0000000D00000007}, seventy_two{0x0000004800000048};
    EveryWord sign_asks{std::uint64_t{1} << 32}, minus{std::uint64_t{1} << 63};
    EveryWord pairs{0x010A010A010A010A}, hundreds{0x0001006400010064}, myriads{0x0001271000012710};
};
inline constexpr LongConstants long_constants;

class LongEights {
public:
    explicit LongEights(std::int64_t base) : base(_mm256_set1_epi32(static_cast<int>(base))) {}

    // Of every index eight bytes, of every value sixteen: those at even places and those at odd ones, and their points.
    struct Digits {
        __m512i index, even, odd;
        __mmask64 even_points, odd_points;
        __mmask8 negative = 0, those = 0xFF;
    };

    // The separators: at[-1] stands before the first index, at[0] is its colon, at[1] what is behind its value, and so on;
    // `count` features of them (1 to 8) in one line, and seven more that may be any place of the piece. False: not all of
    // them are usual ones.
    ROSENBLATT_INLINE bool digits(const char* origin, const std::uint32_t* at, std::size_t count, Digits& out) const {
        const auto sixteen = [&](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(origin + at[i])); };
        const auto values = [&](int i) {  // every second one
            const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(sixteen(i)), sixteen(i + 4), 1);
            const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(sixteen(i + 8)), sixteen(i + 12), 1);
            return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
        };
        const __m512i sizes = _mm512_sub_epi32(_mm512_loadu_si512(at), _mm512_loadu_si512(at - 1));  // index, value, index, ...
        const __m512i index = digits_of_index(origin, at, sizes);
        // The values, those at even places and those at odd ones. Their colons become zeros, or no digits where they are
        // none; so do their signs, which ask for one byte more.
        __m512i even = _mm512_xor_si512(values(0), colon), odd = _mm512_xor_si512(values(2), colon);
        __m512i starts = _mm512_unpacklo_epi64(even, odd);
        const __mmask8 negative = _mm512_cmpeq_epi64_mask(_mm512_and_si512(starts, sign_place), sign);
        starts = _mm512_mask_xor_epi64(starts, negative, starts, sign);
        even = right(_mm512_mask_mov_epi64(even, 0x55, starts), _mm512_shuffle_epi8(sizes, even_size));
        odd = right(_mm512_mask_unpackhi_epi64(odd, 0x55, starts, starts), _mm512_shuffle_epi8(sizes, odd_size));

        const __mmask64 even_points = _mm512_cmpeq_epi8_mask(even, point), odd_points = _mm512_cmpeq_epi8_mask(odd, point);
        const __m512i even_digits = joined(even, even_points), odd_digits = joined(odd, odd_points);
        out = {index, even_digits, odd_digits, even_points, odd_points, negative, 0xFF};

        // No digit; a byte behind a value that is no space; a point as the last byte of a value.
        const __m512i of_even = _mm512_ternarylogic_epi64(even_digits, even, last, 0xF8);  // a | (b & c)
        const __m512i of_odd = _mm512_ternarylogic_epi64(odd_digits, odd, last, 0xF8);
        const __mmask64 no_digits = _mm512_cmpgt_epu8_mask(_mm512_max_epu8(index, _mm512_max_epu8(of_even, of_odd)), nine);
        const __mmask16 too_long = long_ones(sizes, negative, two, most, sign_asks);
        if (count == 8 && _kortestz_mask64_u8(no_digits, too_long)) [[likely]] return true;

        // Fewer than eight, the end of the line, or not all of them usual.
        out.those = static_cast<__mmask8>(0xFFu >> (8 - count));
        const __m512i first = _mm512_unpacklo_epi64(even_digits, odd_digits), second = _mm512_unpackhi_epi64(even_digits, odd_digits);
        const __m512i digits = _mm512_max_epu8(index, _mm512_max_epu8(first, second));
        return all_usual(count, digits, too_long, _mm512_unpackhi_epi64(even, odd));
    }

    ROSENBLATT_INLINE Eight numbers(const Digits& of) const {
        const __m512d size = _mm512_div_pd(whole(of.even, of.odd), power(of.even_points, of.odd_points));
        return {_mm256_sub_epi32(_mm512_cvtepi64_epi32(halves(fours(of.index), 10000)), base), signed_as(of.negative, size, minus), of.those};
    }

private:
    // Whether the first `count` have digits only, are not too long, and end with a digit and a space or a newline behind it.
    ROSENBLATT_INLINE bool all_usual(std::size_t count, __m512i digits, __mmask16 too_long, __m512i ends) const {
        const __m512i behind = _mm512_srli_epi64(ends, 56);
        const __mmask8 no_newline = _mm512_cmpneq_epi64_mask(behind, _mm512_set1_epi64('\n' ^ ' '));
        const __mmask8 no_space = _mm512_mask_test_epi64_mask(no_newline, behind, behind);
        const __m512i point_last = _mm512_and_si512(ends, _mm512_set1_epi64(std::int64_t{0x10} << 48));
        const __mmask64 no_digits = _mm512_cmpgt_epu8_mask(_mm512_max_epu8(digits, point_last), nine);
        return ((no_space & 0xFFu >> (8 - count)) | (too_long & 0xFFFFu >> (16 - 2 * count)) |
                (no_digits & ~std::uint64_t{0} >> (64 - 8 * count))) == 0;
    }

    // The bytes of a value moved up to the last but one of its sixteen, zeros before them, and what is behind them last: a
    // space becomes a zero too.
    ROSENBLATT_INLINE __m512i right(__m512i value, __m512i size) const {
        return _mm512_xor_si512(_mm512_shuffle_epi8(value, _mm512_add_epi8(size, places)), behind);
    }

    // What is before the point is moved onto it; where there is none, all is moved onto what is behind. Of each sixteen bits
    // the lowest that is set and those below it are where something moves to.
    ROSENBLATT_INLINE __m512i joined(__m512i value, __mmask64 points) const {
        value = _mm512_and_si512(value, body);
        const __mmask64 mark = _kor_mask64(points, 0x8000800080008000u);
        const __mmask64 upto = _kxor_mask64(mark, _kadd_mask64(mark, 0xFFFEFFFEFFFEFFFFu));  // one less, four times
        return _mm512_mask_mov_epi8(value, upto, _mm512_bslli_epi128(value, 1));
    }

    ROSENBLATT_INLINE __m512i digits_of_index(const char* origin, const std::uint32_t* at, __m512i sizes) const {
        const __m512i text = every_second(origin + 1, at - 1);
        const __m512i up = _mm512_maskz_sub_epi32(0x5555, seventy_two, _mm512_slli_epi32(sizes, 3));
        return _mm512_sllv_epi64(_mm512_xor_si512(text, zeros), up);
    }

    // Four digits each to one number: pairs of them, then pairs of these.
    ROSENBLATT_INLINE __m512i fours(__m512i digits) const { return _mm512_madd_epi16(_mm512_maddubs_epi16(digits, pairs), hundreds); }

    // The lower half of each word times `by`, and the upper half.
    static ROSENBLATT_INLINE __m512i halves(__m512i words, std::int64_t by) {
        return _mm512_add_epi64(_mm512_mul_epu32(words, _mm512_set1_epi64(by)), _mm512_srli_epi64(words, 32));
    }

    // Two times eight digits to whole numbers below 10^14, which doubles hold; one division rounds once.
    ROSENBLATT_INLINE __m512d whole(__m512i even, __m512i odd) const {
        const __m512i eights = _mm512_madd_epi16(_mm512_packus_epi32(fours(even), fours(odd)), myriads);
        return _mm512_cvtepi64_pd(halves(eights, 100000000));
    }

    // By the place of the point, 1 to 14; 0: none. A number with a point has a zero behind its last digit.
    ROSENBLATT_INLINE __m512d power(__mmask64 even, __mmask64 odd) const {
        const __m512i of_even = _mm512_maskz_mov_epi8(even, of_point), of_odd = _mm512_maskz_mov_epi8(odd, of_point);
        const __m512i place = _mm512_or_si512(_mm512_unpacklo_epi64(of_even, of_odd), _mm512_unpackhi_epi64(of_even, of_odd));
        const __m512i number = _mm512_sad_epu8(place, _mm512_setzero_si512());
        return _mm512_permutex2var_pd(_mm512_setr_pd(1, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8), number,
                                      _mm512_setr_pd(1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1));
    }

    // In registers, not read again for every eight: what is written could lie over them, for all the compiler knows.
    const LongConstants& c = hidden(long_constants);
    const __m512i colon = c.colon, sign_place = c.sign_place, sign = c.sign, even_size = c.even_size, odd_size = c.odd_size,
                  places = c.places, behind = c.behind, body = c.body, last = c.last, zeros = c.zeros, point = c.point,
                  of_point = c.of_point, nine = c.nine, two = c.two, most = c.most, seventy_two = c.seventy_two,
                  sign_asks = c.sign_asks, minus = c.minus, pairs = c.pairs, hundreds = c.hundreds, myriads = c.myriads;
    const __m256i base;
};

}  // namespace rosenblatt::ROSENBLATT_ISA

#endif
