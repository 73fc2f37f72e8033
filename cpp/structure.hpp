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

#include "number.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

ROSENBLATT_INLINE bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The bits of the bytes that are at most ' ' (white space and control characters), or one of the Marks.
#if defined(__AVX512BW__)
template <char... Marks>
ROSENBLATT_INLINE std::uint64_t separators(const char* p) {
    const __m512i bytes = _mm512_loadu_si512(p);
    return (_mm512_cmple_epu8_mask(bytes, _mm512_set1_epi8(' ')) | ... | _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(Marks)));
}
#elif defined(__AVX2__)
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

// The separators of a piece, one after another. The piece must end with one and have 64 readable bytes after it.
template <char... Marks>
class Separators {
public:
    const char* const first;
    // Those that are known and not yet taken; a loop may take from here itself. The last one that was taken stands
    // before them, and sixteen places of the piece behind them.
    const std::uint32_t* now;
    const std::uint32_t* known;

    Separators(const char* first, const char* last) : first(first), now(at + 1), known(at + 1), block(first), last(last) {}

    // The next one; never called again after the last byte of the piece.
    ROSENBLATT_INLINE const char* next() {
        if (now == known) [[unlikely]] look();
        return first + *now++;
    }

private:
    static constexpr std::size_t blocks = 32;

    __attribute__((noinline)) void look() {
        at[0] = now[-1];
        now = at + 1;
        std::size_t count = 1;
        do {
            for (std::size_t i = 0; i < blocks && block < last; ++i, block += 64) write(separators<Marks...>(block), count);
        } while (count == 1 && block < last);
        if (count == 1) at[count++] = static_cast<std::uint32_t>(last - 1 - first);
        known = at + count;
        std::fill_n(at + count, 16, 0);
    }

    // Written by the batch, without asking how many there are: what is written too much is written over.
    ROSENBLATT_INLINE void write(std::uint64_t bits, std::size_t& count) {
        const std::uint32_t base = static_cast<std::uint32_t>(block - first);
#if defined(__AVX512F__)
        // Where each quarter goes is counted from the start, so that no quarter waits for the one before.
        const __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        __m512i here = _mm512_add_epi32(places, _mm512_set1_epi32(static_cast<int>(base)));
        for (unsigned quarter = 0; quarter < 64; quarter += 16) {
            const std::size_t before = static_cast<std::size_t>(std::popcount(bits & ((std::uint64_t{1} << quarter) - 1)));
            const __mmask16 found = static_cast<__mmask16>(bits >> quarter);
            const __m512i taken = _mm512_maskz_compress_epi32(found, here);
            // Words have a byte each, so more than eight are two separators side by side; half a store is the quicker.
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(at + count + before), _mm512_castsi512_si256(taken));
            if (std::popcount(found) > 8) [[unlikely]] _mm512_storeu_si512(at + count + before, taken);
            here = _mm512_add_epi32(here, _mm512_set1_epi32(16));
        }
        count += static_cast<std::size_t>(std::popcount(bits));
#else
        constexpr std::size_t batch = 12;
        const std::size_t found = static_cast<std::size_t>(std::popcount(bits));
        for (std::size_t i = 0; i < found; i += batch)
            for (std::size_t k = 0; k < batch; ++k) {
                at[count + i + k] = base + static_cast<std::uint32_t>(std::countr_zero(bits));
                bits &= bits - 1;
            }
        count += found;
#endif
    }

    const char* block;
    const char* const last;
    std::uint32_t at[1 + blocks * 64 + 16] = {};
};

}  // namespace rosenblatt::ROSENBLATT_ISA
