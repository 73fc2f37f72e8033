// Eight features with up to eight digits before the colon and fourteen bytes after it. See parse/svmlight/eight_features_avx512.hpp.
#pragma once

#include "parse/svmlight/eight_features_avx512.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

struct LongConstants {
    EveryWord colon{0x303030303030303A, 0x3030303030303030}, sign_mask{0xFF00}, sign{('-' ^ '0') << 8};
    EveryWord even_length{0x0404040404040404}, odd_length{0x0C0C0C0C0C0C0C0C}, byte_numbers{0xF8F7F6F5F4F3F2F1, 0x00FFFEFDFCFBFAF9};
    EveryWord space_after{0, std::uint64_t{0x10} << 56}, value_bytes{~std::uint64_t{0}, ~std::uint64_t{0} >> 8}, last_bytes{0, 0xFF10000000000000};
    EveryWord zeros{eight_zeros}, point{0x1E1E1E1E1E1E1E1E}, point_number{0x0706050403020100, 0x0F0E0D0C0B0A0908};
    EveryWord nine{0x0909090909090909}, overhead{0x0000000200000002}, max_length{0x0000000D00000007}, seventy_two{0x0000004800000048};
    EveryWord sign_length{std::uint64_t{1} << 32}, sign_bit{std::uint64_t{1} << 63};
    EveryWord tens{0x010A010A010A010A}, hundreds{0x0001006400010064}, ten_thousands{0x0001271000012710};
};
inline constexpr LongConstants long_constants;

class LongFeatures {
public:
    explicit LongFeatures(std::int64_t base) : base(_mm256_set1_epi32(static_cast<int>(base))) {}

    // Eight bytes of every index and sixteen of every value: values at even and at odd places, and their points.
    struct Digits {
        __m512i index, even, odd;
        __mmask64 even_points, odd_points;
        __mmask8 negative = 0, valid = 0xFF;
    };

    // at[-1] is the separator before the first index, at[0] its colon, at[1] the separator after its value, and so on:
    // `count` features (1 to 8) of one line, then up to seven more positions of the piece. False: some feature has
    // another form.
    ROSENBLATT_INLINE bool load(const char* origin, const std::uint32_t* at, std::size_t count, Digits& out) const {
        const auto sixteen = [&](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(origin + at[i])); };
        const auto every_second_value = [&](int i) {
            const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(sixteen(i)), sixteen(i + 4), 1);
            const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(sixteen(i + 8)), sixteen(i + 12), 1);
            return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
        };
        const __m512i lengths = _mm512_sub_epi32(_mm512_loadu_si512(at), _mm512_loadu_si512(at - 1));  // index, value, index, ...
        const __m512i index = index_digits(origin, at, lengths);
        // The xor turns a colon into a zero digit and any other byte there into no digit; so it does with a sign.
        __m512i even = _mm512_xor_si512(every_second_value(0), colon), odd = _mm512_xor_si512(every_second_value(2), colon);
        __m512i first_halves = _mm512_unpacklo_epi64(even, odd);
        const __mmask8 negative = _mm512_cmpeq_epi64_mask(_mm512_and_si512(first_halves, sign_mask), sign);
        first_halves = _mm512_mask_xor_epi64(first_halves, negative, first_halves, sign);
        even = align_right(_mm512_mask_mov_epi64(even, 0x55, first_halves), _mm512_shuffle_epi8(lengths, even_length));
        odd = align_right(_mm512_mask_unpackhi_epi64(odd, 0x55, first_halves, first_halves), _mm512_shuffle_epi8(lengths, odd_length));

        const __mmask64 even_points = _mm512_cmpeq_epi8_mask(even, point), odd_points = _mm512_cmpeq_epi8_mask(odd, point);
        const __m512i even_digits = remove_points(even, even_points), odd_digits = remove_points(odd, odd_points);
        out = {index, even_digits, odd_digits, even_points, odd_points, negative, 0xFF};

        // Not a digit, a value not followed by a space, or a value that ends with a point.
        const __m512i even_or_end = _mm512_ternarylogic_epi64(even_digits, even, last_bytes, 0xF8);  // a | (b & c)
        const __m512i odd_or_end = _mm512_ternarylogic_epi64(odd_digits, odd, last_bytes, 0xF8);
        const __mmask64 non_digits = _mm512_cmpgt_epu8_mask(_mm512_max_epu8(index, _mm512_max_epu8(even_or_end, odd_or_end)), nine);
        const __mmask16 bad_lengths = bad_length(lengths, negative, overhead, max_length, sign_length);
        if (count == 8 && _kortestz_mask64_u8(non_digits, bad_lengths)) [[likely]] return true;

        // Fewer than eight, the end of the line, or some feature of another form.
        out.valid = static_cast<__mmask8>(0xFFu >> (8 - count));
        const __m512i low = _mm512_unpacklo_epi64(even_digits, odd_digits), high = _mm512_unpackhi_epi64(even_digits, odd_digits);
        const __m512i digits = _mm512_max_epu8(index, _mm512_max_epu8(low, high));
        return first_are_valid(count, digits, bad_lengths, _mm512_unpackhi_epi64(even, odd));
    }

    ROSENBLATT_INLINE EightFeatures convert(const Digits& digits) const {
        const __m512d magnitudes = _mm512_div_pd(integers(digits.even, digits.odd), divisors(digits.even_points, digits.odd_points));
        return {_mm256_sub_epi32(_mm512_cvtepi64_epi32(join_halves(join_fours(digits.index), 10000)), base),
                apply_signs(digits.negative, magnitudes, sign_bit), digits.valid};
    }

private:
    // Whether the first `count` have digits only, are not too long, and end with a digit followed by a space or newline.
    ROSENBLATT_INLINE bool first_are_valid(std::size_t count, __m512i digits, __mmask16 bad_lengths, __m512i ends) const {
        const __m512i after = _mm512_srli_epi64(ends, 56);
        const __mmask8 not_newline = _mm512_cmpneq_epi64_mask(after, _mm512_set1_epi64('\n' ^ ' '));
        const __mmask8 not_space = _mm512_mask_test_epi64_mask(not_newline, after, after);
        const __m512i point_at_end = _mm512_and_si512(ends, _mm512_set1_epi64(std::int64_t{0x10} << 48));
        const __mmask64 non_digits = _mm512_cmpgt_epu8_mask(_mm512_max_epu8(digits, point_at_end), nine);
        return ((not_space & 0xFFu >> (8 - count)) | (bad_lengths & 0xFFFFu >> (16 - 2 * count)) |
                (non_digits & ~std::uint64_t{0} >> (64 - 8 * count))) == 0;
    }

    // Moves a value to the end of its sixteen bytes, zeros before it; the byte that follows it stays last, where a space
    // becomes a zero too.
    ROSENBLATT_INLINE __m512i align_right(__m512i value, __m512i length) const {
        return _mm512_xor_si512(_mm512_shuffle_epi8(value, _mm512_add_epi8(length, byte_numbers)), space_after);
    }

    // Moves the digits before the point onto it, or, without a point, the whole value onto the byte after it. The bytes that move
    // are, of each sixteen bits, the lowest that is set and all below it.
    ROSENBLATT_INLINE __m512i remove_points(__m512i value, __mmask64 points) const {
        value = _mm512_and_si512(value, value_bytes);
        const __mmask64 targets = _kor_mask64(points, 0x8000800080008000u);
        const __mmask64 moved = _kxor_mask64(targets, _kadd_mask64(targets, 0xFFFEFFFEFFFEFFFFu));  // minus 1, four times
        return _mm512_mask_mov_epi8(value, moved, _mm512_bslli_epi128(value, 1));
    }

    ROSENBLATT_INLINE __m512i index_digits(const char* origin, const std::uint32_t* at, __m512i lengths) const {
        const __m512i text = load_every_second(origin + 1, at - 1);
        const __m512i shift = _mm512_maskz_sub_epi32(0x5555, seventy_two, _mm512_slli_epi32(lengths, 3));
        return _mm512_sllv_epi64(_mm512_xor_si512(text, zeros), shift);
    }

    // Every four digits to one number: pairs first, then pairs of these.
    ROSENBLATT_INLINE __m512i join_fours(__m512i digits) const { return _mm512_madd_epi16(_mm512_maddubs_epi16(digits, tens), hundreds); }

    // The lower half of each word times `factor`, plus the upper half.
    static ROSENBLATT_INLINE __m512i join_halves(__m512i words, std::int64_t factor) {
        return _mm512_add_epi64(_mm512_mul_epu32(words, _mm512_set1_epi64(factor)), _mm512_srli_epi64(words, 32));
    }

    // Two times eight digits to integers below 10^14, which are doubles; one division then rounds once.
    ROSENBLATT_INLINE __m512d integers(__m512i even, __m512i odd) const {
        const __m512i eights = _mm512_madd_epi16(_mm512_packus_epi32(join_fours(even), join_fours(odd)), ten_thousands);
        return _mm512_cvtepi64_pd(join_halves(eights, 100000000));
    }

    // By the position of the point, 1 to 14; 0: none. A number with a point has a zero after its last digit.
    ROSENBLATT_INLINE __m512d divisors(__mmask64 even_points, __mmask64 odd_points) const {
        const __m512i even = _mm512_maskz_mov_epi8(even_points, point_number), odd = _mm512_maskz_mov_epi8(odd_points, point_number);
        const __m512i either_half = _mm512_or_si512(_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd));
        const __m512i position = _mm512_sad_epu8(either_half, _mm512_setzero_si512());
        return _mm512_permutex2var_pd(_mm512_setr_pd(1, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8), position,
                                      _mm512_setr_pd(1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1));
    }

    // Copies, which stay in registers: the compiler must assume that a store may overwrite the originals.
    const LongConstants& c = opaque(long_constants);
    const __m512i colon = c.colon, sign_mask = c.sign_mask, sign = c.sign, even_length = c.even_length, odd_length = c.odd_length,
                  byte_numbers = c.byte_numbers, space_after = c.space_after, value_bytes = c.value_bytes, last_bytes = c.last_bytes,
                  zeros = c.zeros, point = c.point, point_number = c.point_number, nine = c.nine, overhead = c.overhead,
                  max_length = c.max_length, seventy_two = c.seventy_two, sign_length = c.sign_length, sign_bit = c.sign_bit,
                  tens = c.tens, hundreds = c.hundreds, ten_thousands = c.ten_thousands;
    const __m256i base;
};

}  // namespace rosenblatt::ROSENBLATT_ISA
