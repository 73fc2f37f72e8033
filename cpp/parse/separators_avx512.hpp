// Where words end, with 512-bit registers; see parse/separators.hpp, which includes this.
#pragma once

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstdint>

#include "parse/number.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// Writes the positions of the separators, sixty-four bytes at a time, and which of them are newlines.
template <char... Marks>
class PositionWriter {
public:
    std::uint32_t* next;
    std::uint16_t* next_newline;  // where the index of the next newline among the positions goes

    PositionWriter(std::uint32_t* positions, std::uint16_t* newlines) : next(positions), next_newline(newlines), positions(positions) {}

    // One compression packs the positions of all sixty-four bytes; more than sixteen separators among them are rare.
    void write(const char* block, const char* end, std::uint32_t offset) {
        const __m512i all = _mm512_load_si512(zero_to_63.data());
        __m512i base = _mm512_set1_epi32(static_cast<int>(offset));
        Cursors to{next, next_newline};
        for (; block < end; block += 64) {
            const __mmask64 mask = separators(block);
            const std::uint64_t bits = _cvtmask64_u64(mask);
            const __m512i packed = _mm512_maskz_compress_epi8(mask, all);
            _mm512_storeu_si512(to.position, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed))));
            const int count = std::popcount(bits);
            if (count > 16) [[unlikely]]
                _mm512_storeu_si512(to.position + 16, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(packed, 1))));
            if (count > 32) [[unlikely]] {
                _mm512_storeu_si512(to.position + 32, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(packed, 2))));
                _mm512_storeu_si512(to.position + 48, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(packed, 3))));
            }
            base = _mm512_add_epi32(base, _mm512_set1_epi32(64));
            finish_block(block, bits, to);
        }
        next = to.position;
        next_newline = to.newline;
    }

private:
    // Local copies of the two pointers, so that they stay in registers: the compiler must assume that a store may
    // overwrite the members.
    struct Cursors {
        std::uint32_t* position;
        std::uint16_t* newline;
    };

    // The bytes that are at most ' ' (white space and control characters), or one of the Marks.
    static ROSENBLATT_INLINE __mmask64 separators(const char* p) {
        const __m512i bytes = _mm512_loadu_si512(p);
        __mmask64 mask = _mm512_cmple_epu8_mask(bytes, _mm512_set1_epi8(' '));
        ((mask = _kor_mask64(mask, _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(Marks)))), ...);
        return mask;
    }

    // Records the newlines and advances. The first is written whether there is one or not: line ends cannot be predicted.
    ROSENBLATT_INLINE void finish_block(const char* block, std::uint64_t separator_bits, Cursors& to) const {
        std::uint64_t left = _cvtmask64_u64(_mm512_cmpeq_epi8_mask(_mm512_loadu_si512(block), _mm512_set1_epi8('\n')));
        const auto index = [&] { return static_cast<std::uint16_t>(to.position - positions + std::popcount(separator_bits & ((left & -left) - 1))); };
        *to.newline = index();
        to.newline += left != 0;
        for (left &= left - 1; left; left &= left - 1) *to.newline++ = index();
        to.position += std::popcount(separator_bits);
    }

    alignas(64) static constexpr std::array<std::uint8_t, 64> zero_to_63 = [] {
        std::array<std::uint8_t, 64> numbers{};
        for (std::uint8_t i = 0; i < 64; ++i) numbers[i] = i;
        return numbers;
    }();
    const std::uint32_t* const positions;
};

}  // namespace rosenblatt::ROSENBLATT_ISA
