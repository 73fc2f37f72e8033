// Eight features `index:value` at once, with no branch that depends on their lengths: what the reader of short features
// (parse/svmlight/short_features_avx512.hpp) and that of longer ones (parse/svmlight/long_features_avx512.hpp) share. For processors with 512-bit
// registers; others read features one by one, to the same bits. A mask is moved to a general register only at the
// end of a line: such a move costs more than the comparison that made the mask.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "parse/number.hpp"
#include "parse/parsed_lines.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

struct EightFeatures {
    __m256i columns;
    __m512d values;
    __mmask8 valid = 0xFF;  // which of the eight exist; the others may hold anything
};

// RowSummary, eight entries at a time.
class EightsSummary {
public:
    // `previous`: in its last element, the column before these in their row, or -1. Returns the same for the next eight.
    ROSENBLATT_INLINE __m256i add(__m256i previous, const EightFeatures& eight) {
        const __m256i left_neighbours = _mm256_alignr_epi32(eight.columns, previous, 7);
        descents = _kor_mask8(descents, _mm256_mask_cmple_epi32_mask(eight.valid, eight.columns, left_neighbours));
        columns = _mm256_mask_max_epi32(columns, eight.valid, columns, eight.columns);
        magnitudes = _mm512_mask_max_pd(magnitudes, eight.valid, magnitudes, _mm512_abs_pd(eight.values));
        return eight.columns;
    }

    RowSummary total() const {
        return {_mm512_reduce_max_epi32(_mm512_broadcast_i32x8(columns)), _mm512_reduce_max_pd(magnitudes), descents == 0};
    }

private:
    __m256i columns = _mm256_set1_epi32(-1);
    __m512d magnitudes = _mm512_setzero_pd();
    __mmask8 descents = 0;
};

// When to read eight at once, and in which form. Unusual features come in stretches, so what failed is not tried again at
// once. Trying every form every time, measured on 40 features a row, slows signed values from 2.3 to 1.9 GB/s, values of 17
// digits from 0.8 to 0.55, exponents from 0.52 to 0.33 and tabs from 0.42 to 0.10.
struct Backoff {
    enum Form { short_unsigned, short_signed, any_length } form = short_unsigned;  // the fastest that read the last features
    unsigned lines_until_retry = 0;  // lines until the fastest form is tried again
    std::size_t single_run = 8;      // features to read one by one before eight are tried again
    unsigned failures = 0;           // attempts in a row that read nothing
    unsigned pause = 0;              // attempts to leave out
    bool short_line = false;         // the previous line had fewer than two features: eight at once gain nothing

    bool should_try() {
        if (pause == 0) return !short_line;
        --pause;
        return false;
    }

    void record(bool any_read) {
        single_run = any_read ? std::max<std::size_t>(single_run / 2, 8) : std::min<std::size_t>(2 * single_run, 256);
        failures = any_read ? 0 : std::min(failures + 1, 6u);
        pause = failures < 2 ? 0 : 1u << failures;
    }

    void fall_back_to(Form slower) {
        form = slower;
        lines_until_retry = 64;
    }

    void end_line() {
        if (lines_until_retry > 0 && --lines_until_retry == 0) form = short_unsigned;
    }
};

// Hides where the constants come from; otherwise the compiler rebuilds them for every eight instead of keeping them.
template <class Constants>
ROSENBLATT_INLINE const Constants& opaque(const Constants& constants) {
    const Constants* at = &constants;
    __asm__("" : "+r"(at));
    return *at;
}

// Eight words of a register. In hexadecimal the last byte of a word is written first.
struct alignas(64) EveryWord {
    std::uint64_t word[8];
    constexpr EveryWord(std::uint64_t even, std::uint64_t odd) : word{even, odd, even, odd, even, odd, even, odd} {}
    constexpr EveryWord(std::uint64_t every) : EveryWord(every, every) {}
    ROSENBLATT_INLINE operator __m512i() const { return _mm512_load_si512(word); }
};

// Eight bytes from every second position. Loaded pair by pair, so that few addresses are live at a time.
ROSENBLATT_INLINE __m512i load_every_second(const char* origin, const std::uint32_t* at) {
    const auto two = [&](int i) {
        const __m128i one = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(origin + at[i]));
        return _mm_insert_epi64(one, static_cast<std::int64_t>(load8(origin + at[i + 2])), 1);
    };
    const auto four = [&](int i) { return _mm256_inserti128_si256(_mm256_castsi128_si256(two(i)), two(i + 4), 1); };
    return _mm512_inserti64x4(_mm512_castsi256_si512(four(0)), four(8), 1);
}

ROSENBLATT_INLINE __m512d apply_signs(__mmask8 negative, __m512d magnitudes, __m512i sign_bit) {
    const __m512i bits = _mm512_castpd_si512(magnitudes);
    return _mm512_castsi512_pd(_mm512_mask_xor_epi64(bits, negative, bits, sign_bit));
}

// The indices and values that are empty or too long. `lengths` include the `overhead`, a separator and a first digit, which leaves
// 0 to `max_length` more digits; a sign counts as one more byte on both sides (`sign_length`).
ROSENBLATT_INLINE __mmask16 bad_length(__m512i lengths, __mmask8 negative, __m512i overhead, __m512i max_length, __m512i sign_length) {
    const __m512i more = _mm512_sub_epi32(lengths, overhead);
    return _mm512_cmpgt_epu32_mask(_mm512_mask_sub_epi64(more, negative, more, sign_length),
                                   _mm512_mask_sub_epi64(max_length, negative, max_length, sign_length));
}

}  // namespace rosenblatt::ROSENBLATT_ISA
