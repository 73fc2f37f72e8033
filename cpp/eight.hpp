// Eight features `index:value` at once: every digit of them in three registers, no branch that depends on their lengths.
// For processors with 512-bit registers; the others read them one by one, with the same bits.
#pragma once

#if defined(__AVX512BW__) && defined(__AVX512DQ__)

#include <immintrin.h>

#include <bit>
#include <cstdint>

#include "number.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// What was read: `count` features up to the end of the line or of what is known, and whether the line ended.
struct Eight {
    __m512i columns;  // eight 64-bit numbers
    __m512d numbers;
    unsigned count;
    bool ended;
};

// Four values, each in sixteen bytes: the colon before it, at most fourteen bytes, and the byte behind it as the last.
struct FourValues {
    std::uint64_t newline, minus, points, colons, bad;  // a bit for each byte; see the masks in the constructor
    __m512i bytes;

    static constexpr std::uint64_t lanes = 0x0001000100010001u, ends = lanes << 15;

    // `length` is that of the value with its colon, in each of the sixteen bytes.
    ROSENBLATT_INLINE FourValues(__m512i bytes, __m512i length) : bytes(bytes) {
        const __m512i behind = _mm512_broadcast_i32x4(_mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
        const std::uint64_t colon = _mm512_cmpeq_epi8_mask(length, behind), start = colon << 1;
        newline = is('\n') & ends;
        colons = colon & is(':');
        minus = start & is('-');
        const std::uint64_t body = _mm512_cmplt_epu8_mask(behind, length) & ~ends & ~minus, first = start | minus << 1;
        points = body & is('.');
        // Nothing, or a sign only; no digit before the point; a byte behind it that this is not the place for.
        bad = (first & ends) | (first & points) | (ends & ~newline & ~is(' '));
        this->bytes = _mm512_maskz_sub_epi8(body, bytes, _mm512_set1_epi8('0'));
    }

    ROSENBLATT_INLINE std::uint64_t is(char c) const { return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(c)); }

    // The digits without their point, as two times eight of them, each eight in two numbers of four.
    ROSENBLATT_INLINE __m512i digits() {
        const __m128i point = _mm_cvtsi64_si128(static_cast<std::int64_t>(points << 1));
        const __m128i upto = _mm_xor_si128(point, _mm_sub_epi16(point, _mm_set1_epi16(1)));  // all bits where none is
        const __m128i before = _mm_andnot_si128(_mm_cmpeq_epi16(point, _mm_setzero_si128()), upto);
        const __m512i whole = _mm512_mask_mov_epi8(
            _mm512_bslli_epi128(bytes, 1), static_cast<std::uint64_t>(_mm_cvtsi128_si64(before)), _mm512_bslli_epi128(bytes, 2));
        bad |= _mm512_cmpgt_epu8_mask(whole, _mm512_set1_epi8(9));  // a second point is no digit either
        return fours(whole);
    }

    static ROSENBLATT_INLINE __m512i fours(__m512i digits) {
        const __m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010A));  // tens and ones
        return _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));                 // hundreds and ones
    }
};

// Masks of four values each, as one number of sixteen bits for each of the eight, in their order.
ROSENBLATT_INLINE __m128i in_order(std::uint64_t even, std::uint64_t odd) {
    return _mm_unpacklo_epi16(_mm_cvtsi64_si128(static_cast<std::int64_t>(even)), _mm_cvtsi64_si128(static_cast<std::int64_t>(odd)));
}

// The separators: at[-1] stands before the first index, at[0] is its colon, at[1] what is behind its value, and so on;
// `known` features of them (1 to 8), and seven more that may be any place of the piece. False: not all that are up to
// the end of the line are usual ones.
ROSENBLATT_INLINE bool eight_features(const char* origin, const std::uint32_t* at, std::size_t known, std::int64_t base, Eight& out) {
    const auto sixteen = [&](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(origin + at[i] - 15)); };
    const auto lengths = [](const std::uint32_t* from) {
        const __m512i both = _mm512_loadu_si512(from);
        return _mm512_sub_epi32(_mm512_srli_epi64(both, 32), _mm512_maskz_mov_epi32(0x5555, both));
    };
    const auto four = [](__m128i a, __m128i b, __m128i c, __m128i d) {
        const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
        const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(c), d, 1);
        return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    };
    // The values, in two registers: those at even places, and those at odd places.
    const __m512i length = lengths(at);
    FourValues even(four(sixteen(1), sixteen(5), sixteen(9), sixteen(13)), _mm512_shuffle_epi8(length, _mm512_setzero_si512()));
    FourValues odd(four(sixteen(3), sixteen(7), sixteen(11), sixteen(15)), _mm512_shuffle_epi8(length, _mm512_set1_epi8(8)));

    const std::uint64_t newlines = even.newline >> 15 | odd.newline >> 14;
    // A branch and no arithmetic: where the next eight begin is guessed ahead of what is known about these.
    out.count = static_cast<unsigned>(known);
    out.ended = false;
    if (newlines != 0) {
        const unsigned place = static_cast<unsigned>(std::countr_zero(newlines)), until = place / 16 * 2 + place % 16 + 1;
        out.ended = until <= known;
        if (out.ended) out.count = until;
    }
    const std::uint64_t all = ~std::uint64_t{0};
    const std::uint64_t of_even = all >> (64 - 16 * ((out.count + 1) / 2)), of_odd = out.count > 1 ? all >> (64 - 16 * (out.count / 2)) : 0;

    // Eights of digits to whole numbers below 10^14, which doubles hold; one division rounds once.
    const __m512i packed = _mm512_packus_epi32(even.digits(), odd.digits());
    const __m512i eights = _mm512_madd_epi16(packed, _mm512_set1_epi32(0x00012710));
    const __m512i whole =
        _mm512_add_epi64(_mm512_mul_epu32(eights, _mm512_set1_epi64(100000000)), _mm512_srli_epi64(eights, 32));
    // The place of the point is the exponent of its bit; the last digit is at place 14. No point: place 0.
    const __m512i bit = _mm512_cvtepu16_epi64(in_order(even.points << 1, odd.points << 1));
    const __m512i exponent = _mm512_srli_epi64(_mm512_castpd_si512(_mm512_cvtepi64_pd(bit)), 52);
    const __m512d power = _mm512_permutex2var_pd(_mm512_setr_pd(1, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8, 1e7), exponent,
                                                 _mm512_setr_pd(1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1, 1));
    const __m128i minus = in_order(even.minus, odd.minus);
    const __m512i number = _mm512_castpd_si512(_mm512_div_pd(_mm512_cvtepi64_pd(whole), power));
    out.numbers = _mm512_castsi512_pd(_mm512_mask_xor_epi64(
        number, _mm_test_epi16_mask(minus, minus), number, _mm512_set1_epi64(static_cast<std::int64_t>(std::uint64_t{1} << 63))));

    // The indices: eight bytes behind the separator before each, those of the index moved to the end.
    const auto behind = [&](int i) { return static_cast<std::int64_t>(load8(origin + at[i] + 1)); };
    const __m512i text = _mm512_setr_epi64(behind(-1), behind(1), behind(3), behind(5), behind(7), behind(9), behind(11), behind(13));
    const __m512i more = lengths(at - 1);  // one more than the length
    const __m512i digits = _mm512_sllv_epi64(_mm512_xor_si512(text, _mm512_set1_epi8('0')),
                                             _mm512_sub_epi64(_mm512_set1_epi64(72), _mm512_slli_epi64(more, 3)));
    const __m512i halves = FourValues::fours(digits);
    out.columns = _mm512_sub_epi64(
        _mm512_add_epi64(_mm512_mul_epu32(halves, _mm512_set1_epi64(10000)), _mm512_srli_epi64(halves, 32)), _mm512_set1_epi64(base));

    const std::uint64_t no_digits = _mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9));
    const __mmask8 too_long = _mm512_cmpge_epu64_mask(_mm512_sub_epi64(more, _mm512_set1_epi64(2)), _mm512_set1_epi64(8));
    const unsigned odd_ones = too_long | _mm512_movepi64_mask(out.columns);  // also an index below the base
    const int colons = std::popcount(even.colons & of_even) + std::popcount(odd.colons & of_odd);
    const std::uint64_t bad = (even.bad & of_even) | (odd.bad & of_odd) | (no_digits & (all >> (64 - 8 * out.count))) |
                              (odd_ones & (0xFFu >> (8 - out.count)));
    return bad == 0 && colons == static_cast<int>(out.count);
}

}  // namespace rosenblatt::ROSENBLATT_ISA

#endif
