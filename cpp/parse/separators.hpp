// Where words end: sixty-four bytes are compared at once, and every separator is one bit of a mask. The positions are
// written out ahead of their use, so that no step of the parser waits for the previous one to know where it begins
// (Langdale and Lemire, Parsing gigabytes of JSON per second, 2019). Compiled once per instruction set.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "parse/number.hpp"
#if defined(__AVX512BW__)
#include "parse/separators_avx512.hpp"
#endif

namespace rosenblatt::ROSENBLATT_ISA {

ROSENBLATT_INLINE bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

#if !defined(__AVX512BW__)
// One bit for each byte that is at most ' ' (white space and control characters) or one of the Marks.
#if defined(__AVX2__)
template <char... Marks>
ROSENBLATT_INLINE std::uint64_t separator_bits(const char* p) {
    const __m256i space = _mm256_set1_epi8(' ');
    std::uint64_t bits = 0;
    for (int half = 0; half < 2; ++half) {
        const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32 * half));
        __m256i matches = _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, space), space);
        ((matches = _mm256_or_si256(matches, _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(Marks)))), ...);
        bits |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(matches))) << (32 * half);
    }
    return bits;
}
#elif defined(__SSE2__)
template <char... Marks>
ROSENBLATT_INLINE std::uint64_t separator_bits(const char* p) {
    const __m128i space = _mm_set1_epi8(' ');
    std::uint64_t bits = 0;
    for (int quarter = 0; quarter < 4; ++quarter) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * quarter));
        __m128i matches = _mm_cmpeq_epi8(_mm_max_epu8(bytes, space), space);
        ((matches = _mm_or_si128(matches, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(Marks)))), ...);
        bits |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(matches))) << (16 * quarter);
    }
    return bits;
}
#else
template <char... Marks>
ROSENBLATT_INLINE std::uint64_t separator_bits(const char* p) {
    std::uint64_t bits = 0;
    for (int i = 0; i < 64; ++i) {
        const unsigned char byte = static_cast<unsigned char>(p[i]);
        bits |= static_cast<std::uint64_t>((byte <= ' ') | (... | (p[i] == Marks))) << i;
    }
    return bits;
}
#endif

// Writes the positions of the separators, sixty-four bytes at a time.
template <char... Marks>
struct PositionWriter {
    std::uint32_t* next;

    explicit PositionWriter(std::uint32_t* positions) : next(positions) {}

    // A fixed batch at a time, with no branch on their number; surplus entries are overwritten by the next batch.
    void write(const char* block, const char* end, std::uint32_t offset) {
        constexpr std::size_t batch = 12;
        for (; block < end; block += 64, offset += 64) {
            std::uint64_t bits = separator_bits<Marks...>(block);
            const std::size_t count = static_cast<std::size_t>(std::popcount(bits));
            for (std::size_t i = 0; i < count; i += batch)
                for (std::size_t k = 0; k < batch; ++k) {
                    next[i + k] = offset + static_cast<std::uint32_t>(std::countr_zero(bits));
                    bits &= bits - 1;
                }
            next += count;
        }
    }
};
#endif

// The separators of a piece, one after another. The piece must end with one and have 64 readable bytes after it.
template <char... Marks>
class Separators {
public:
    const char* const first;
    // Positions written and not yet consumed, begin to end; a loop may consume them itself. The last consumed position
    // stands before them, and sixteen valid positions of the piece after them.
    const std::uint32_t* begin;
    const std::uint32_t* end;

    Separators(const char* first, const char* last)
        : first(first), begin(positions + 1), end(positions + 1), block(first), last(last) {
        positions[0] = 0;
    }

    // The next one; must not be called after the last byte of the piece.
    ROSENBLATT_INLINE const char* next() {
        if (begin == end) [[unlikely]] refill();
        return first + *begin++;
    }

#if defined(__AVX512BW__)
    // The newline that ends the line of `begin`, or `end` where it is not yet written.
    ROSENBLATT_INLINE const std::uint32_t* line_end() {
        while (positions + *newline < begin) ++newline;
        return positions + *newline;
    }
#endif

private:
    static constexpr std::size_t blocks = 128;

    __attribute__((noinline)) void refill() {
        positions[0] = begin[-1];
        begin = positions + 1;
#if defined(__AVX512BW__)
        PositionWriter<Marks...> writer(positions, newlines);
#else
        PositionWriter<Marks...> writer(positions);
#endif
        ++writer.next;
        do {
            const char* const until = block + std::min<std::size_t>(64 * blocks, static_cast<std::size_t>(last - block));
            writer.write(block, until, static_cast<std::uint32_t>(block - first));
            block = until;
        } while (writer.next == begin && block < last);
        while (writer.next > begin && first + writer.next[-1] >= last) --writer.next;  // beyond the piece
        if (writer.next == begin) *writer.next++ = static_cast<std::uint32_t>(last - 1 - first);
        end = writer.next;
        std::fill_n(writer.next, 16, 0);
#if defined(__AVX512BW__)
        *writer.next_newline = static_cast<std::uint16_t>(end - positions);
        newline = newlines;
#endif
    }

    const char* block;
    const char* const last;
    std::uint32_t positions[1 + blocks * 64 + 16];
#if defined(__AVX512BW__)
    std::uint16_t newlines[blocks * 64 + 1];  // which positions are newlines, then their number
    const std::uint16_t* newline = &none;
    static constexpr std::uint16_t none = 1;
#endif
};

}  // namespace rosenblatt::ROSENBLATT_ISA
