// Eight features of at most seven bytes on each side of the colon, the most common ones: two registers hold them all, where
// parse/svmlight/long_features_avx512.hpp needs three, to the same bits. Without signs the checks for them are compiled away.
#pragma once

#include "parse/svmlight/eight_features_avx512.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

struct ShortConstants {
    EveryWord space{0x3030303030303020}, colon{0x303030303030303A}, sign_mask{0xFF00}, sign{('-' ^ '0') << 8};
    EveryWord point{0x1E1E1E1E1E1E1E1E}, top_bits{0x8080808080808080}, lowest_bit{1}, point_at_end{std::uint64_t{0x10} << 56};
    EveryWord nine{0x0909090909090909}, overhead{0x0000000200000002}, max_length{0x0000000600000006}, sign_length{std::uint64_t{1} << 32};
    EveryWord sixty_four{0x0000004000000040}, sign_bit{std::uint64_t{1} << 63};
    EveryWord tens{0x010A010A010A010A}, hundreds{0x0164016401640164}, ten_thousands{0x0001271000012710};
};
inline constexpr ShortConstants short_constants;

template <bool with_signs>
class ShortFeatures {
public:
    explicit ShortFeatures(std::int64_t base) : base(_mm256_set1_epi32(static_cast<int>(base))) {}

    // Eight bytes of every index and value, the last digit in the last byte; `point_bit` is the highest bit of the byte where
    // the point was, or 1.
    struct Digits {
        __m512i index, value, point_bit;
        __mmask8 negative = 0, valid = 0xFF;
    };

    // As LongFeatures::load.
    ROSENBLATT_INLINE bool load(const char* origin, const std::uint32_t* at, std::size_t count, Digits& out) const {
        const __m512i indices = load_every_second(origin, at - 1), values = load_every_second(origin, at);
        const __m512i lengths = _mm512_sub_epi32(_mm512_loadu_si512(at), _mm512_loadu_si512(at - 1));  // index, value, index, ...

        // Each begins with the separator before it. The xor turns the right one into a zero digit and any other byte into
        // no digit; so it does with a sign. Whatever follows is shifted out, and zeros come in.
        __m512i value = _mm512_xor_si512(values, colon);
        __mmask8 negative = 0;
        if constexpr (with_signs) {
            negative = _mm512_cmpeq_epi64_mask(_mm512_and_si512(value, sign_mask), sign);
            value = _mm512_mask_xor_epi64(value, negative, value, sign);
        }
        const __m512i shift = _mm512_sub_epi32(sixty_four, _mm512_slli_epi32(lengths, 3));
        value = _mm512_sllv_epi64(value, _mm512_srli_epi64(shift, 32));
        const __m512i index = _mm512_sllv_epi64(_mm512_xor_si512(indices, space), _mm512_maskz_mov_epi32(0x5555, shift));

        // The digits before the point move onto it. The lowest bit of all stands for no point: moving that byte cannot hide
        // a wrong separator. A second point stays where it is, and is not a digit.
        const __mmask64 points = _mm512_cmpeq_epi8_mask(value, point);
        const __m512i point_bit = _mm512_max_epu64(_mm512_maskz_mov_epi8(points, top_bits), lowest_bit);
        const __m512i moved = _mm512_or_si512(point_bit, _mm512_sub_epi64(point_bit, lowest_bit));
        const __m512i digits = _mm512_ternarylogic_epi64(moved, _mm512_slli_epi64(value, 8), value, 0xCA);  // a ? b : c
        out = {index, digits, point_bit, negative, 0xFF};

        // Not a digit, or a value that ends with a point.
        const __m512i digits_or_end = _mm512_ternarylogic_epi64(_mm512_max_epu8(index, digits), value, point_at_end, 0xF8);  // a | (b & c)
        const __mmask64 non_digits = _mm512_cmpgt_epu8_mask(digits_or_end, nine);
        const __mmask16 bad_lengths = with_signs ? bad_length(lengths, negative, overhead, max_length, sign_length)
                                                 : _mm512_cmpgt_epu32_mask(_mm512_sub_epi32(lengths, overhead), max_length);
        const char after = origin[at[2 * count - 1]];
        if (after != ' ' && after != '\n' && after != '\r') return false;
        if (count == 8) [[likely]] return _kortestz_mask64_u8(non_digits, bad_lengths);
        out.valid = static_cast<__mmask8>(0xFFu >> (8 - count));
        return ((non_digits & ~std::uint64_t{0} >> (64 - 8 * count)) | (bad_lengths & 0xFFFFu >> (16 - 2 * count))) == 0;
    }

    // The position of the point is the exponent of its bit, converted to double; the last digit is in byte 7.
    ROSENBLATT_INLINE EightFeatures convert(const Digits& digits) const {
        const __m512i pairs = _mm512_packus_epi16(_mm512_maddubs_epi16(digits.index, tens), _mm512_maddubs_epi16(digits.value, tens));
        const __m512i eights = _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15),
                                                        _mm512_madd_epi16(_mm512_maddubs_epi16(pairs, hundreds), ten_thousands));
        const __m512i position = _mm512_srli_epi64(_mm512_castpd_si512(_mm512_cvtepi64_pd(digits.point_bit)), 55);
        const __m512d divisor = _mm512_permutexvar_pd(position, _mm512_setr_pd(1, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1));
        const __m512d magnitudes = _mm512_div_pd(_mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(eights, 1)), divisor);
        return {_mm256_sub_epi32(_mm512_castsi512_si256(eights), base),
                with_signs ? apply_signs(digits.negative, magnitudes, sign_bit) : magnitudes, digits.valid};
    }

private:
    // Copies, which stay in registers: the compiler must assume that a store may overwrite the originals.
    const ShortConstants& c = opaque(short_constants);
    const __m512i space = c.space, colon = c.colon, sign_mask = c.sign_mask, sign = c.sign, point = c.point, top_bits = c.top_bits,
                  lowest_bit = c.lowest_bit, point_at_end = c.point_at_end, nine = c.nine, overhead = c.overhead,
                  max_length = c.max_length, sign_length = c.sign_length, sixty_four = c.sixty_four, sign_bit = c.sign_bit,
                  tens = c.tens, hundreds = c.hundreds, ten_thousands = c.ten_thousands;
    const __m256i base;
};

}  // namespace rosenblatt::ROSENBLATT_ISA
