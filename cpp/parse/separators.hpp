// Where words end: sixty-four bytes are looked at together, and every byte that separates is one bit of a mask. The
// positions are written out ahead of their use, so that no step of the parser waits for the one before to know where
// it begins (Langdale and Lemire, Parsing gigabytes of JSON per second, 2019). Compiled once for each instruction set.
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
// The bits of the bytes that are at most ' ' (white space and control characters), or one of the Marks.
#if defined(__AVX2__)
template <char... Marks>
ROSENBLATT_INLINE std::uint64_t separators(const char* p) {
    const __m256i space = _mm256_set1_epi8(' ');
    std::uint64_t bits = 0;
    for (int half = 0; half < 2; ++half) {
        const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32 * half));
        __m256i found = _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, space), space);
        ((found = _mm256_or_si256(found, _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(Marks)))), ...);
        bits |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(found))) << (32 * half);
    }
    return bits;
}
#elif defined(__SSE2__)
template <char... Marks>
ROSENBLATT_INLINE std::uint64_t separators(const char* p) {
    const __m128i space = _mm_set1_epi8(' ');
    std::uint64_t bits = 0;
    for (int quarter = 0; quarter < 4; ++quarter) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * quarter));
        __m128i found = _mm_cmpeq_epi8(_mm_max_epu8(bytes, space), space);
        ((found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(Marks)))), ...);
        bits |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(found))) << (16 * quarter);
    }
    return bits;
}
#else
template <char... Marks>
ROSENBLATT_INLINE std::uint64_t separators(const char* p) {
    std::uint64_t bits = 0;
    for (int i = 0; i < 64; ++i) {
        const unsigned char byte = static_cast<unsigned char>(p[i]);
        bits |= static_cast<std::uint64_t>((byte <= ' ') | (... | (p[i] == Marks))) << i;
    }
    return bits;
}
#endif

// Writes the places of the separators of sixty-four bytes at a time.
template <char... Marks>
struct Places {
    std::uint32_t* place;  // where the next one goes

    explicit Places(std::uint32_t* places) : place(places) {}

    // Written by the batch, without asking how many there are: what is written too much is written over.
    void write(const char* block, const char* until, std::uint32_t offset) {
        constexpr std::size_t batch = 12;
        for (; block < until; block += 64, offset += 64) {
            std::uint64_t bits = separators<Marks...>(block);
            const std::size_t found = static_cast<std::size_t>(std::popcount(bits));
            for (std::size_t i = 0; i < found; i += batch)
                for (std::size_t k = 0; k < batch; ++k) {
                    place[i + k] = offset + static_cast<std::uint32_t>(std::countr_zero(bits));
                    bits &= bits - 1;
                }
            place += found;
        }
    }
};
#endif

// The separators of a piece, one after another. The piece must end with one and have 64 readable bytes after it.
template <char... Marks>
class Separators {
public:
    const char* const first;
    // Those that are known and not yet taken; a loop may take from here itself. The last one that was taken stands
    // before them, and sixteen places of the piece behind them.
    const std::uint32_t* now;
    const std::uint32_t* known;

    Separators(const char* first, const char* last) : first(first), now(at + 1), known(at + 1), block(first), last(last) { at[0] = 0; }

    // The next one; never called again after the last byte of the piece.
    ROSENBLATT_INLINE const char* next() {
        if (now == known) [[unlikely]] look();
        return first + *now++;
    }

#if defined(__AVX512BW__)
    // The newline that ends the line of `now`, or `known` where that is not yet known.
    ROSENBLATT_INLINE const std::uint32_t* line_end() {
        while (at + *line < now) ++line;
        return at + *line;
    }
#endif

private:
    static constexpr std::size_t blocks = 128;

    __attribute__((noinline)) void look() {
        at[0] = now[-1];
        now = at + 1;
#if defined(__AVX512BW__)
        Places<Marks...> to(at, lines);
#else
        Places<Marks...> to(at);
#endif
        ++to.place;
        do {
            const char* const until = block + std::min<std::size_t>(64 * blocks, static_cast<std::size_t>(last - block));
            to.write(block, until, static_cast<std::uint32_t>(block - first));
            block = until;
        } while (to.place == now && block < last);
        // None that is beyond the end.
        while (to.place > now && first + to.place[-1] >= last) --to.place;
        if (to.place == now) *to.place++ = static_cast<std::uint32_t>(last - 1 - first);
        known = to.place;
        std::fill_n(to.place, 16, 0);
#if defined(__AVX512BW__)
        *to.line = static_cast<std::uint16_t>(known - at);
        line = lines;
#endif
    }

    const char* block;
    const char* const last;
    std::uint32_t at[1 + blocks * 64 + 16];
#if defined(__AVX512BW__)
    std::uint16_t lines[blocks * 64 + 1];  // which of them are newlines, and how many there are
    const std::uint16_t* line = &none;
    static constexpr std::uint16_t none = 1;
#endif
};

}  // namespace rosenblatt::ROSENBLATT_ISA
