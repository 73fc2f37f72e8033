// Where words end: sixty-four bytes are compared at once, and every separator is one bit of a mask. The positions are
// written out ahead of their use, so that no step of the parser waits for the previous one to know where it begins
// (Langdale and Lemire, Parsing gigabytes of JSON per second, 2019). Compiled once per instruction set.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/simd.hpp"
#if defined(__AVX512BW__)
#include "parse/separators_avx512.hpp"
#endif

namespace rosenblatt::ROSENBLATT_ISA {

ROSENBLATT_INLINE bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

#if !defined(__AVX512BW__)
// One bit for each byte that is at most ' ' (white space and control characters) or one of the Marks.
template <char... Marks>
ROSENBLATT_INLINE std::uint64_t separator_bits(const char* p) {
    alignas(64) std::uint8_t matches[64];
    for (int i = 0; i < 64; ++i) matches[i] = ((static_cast<std::uint8_t>(p[i]) <= ' ') | (... | (p[i] == Marks))) ? 0xFF : 0;
    return top_bits(matches);
}

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
