// Where words end, with 512-bit registers; see parse/separators.hpp, which includes this.
#pragma once

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstdint>

#include "parse/number.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// Whether bytes can be packed, which not every processor with 512-bit registers can. Asked when it is first needed, so
// that no other processor runs anything here.
inline bool& can_pack_bytes() {
    static bool can = __builtin_cpu_supports("avx512vbmi2");
    return can;
}

// Writes the places of the separators of sixty-four bytes at a time, and which of them are newlines.
template <char... Marks>
class Places {
public:
    std::uint32_t* place;  // where the next one goes
    std::uint16_t* line;   // where the number of the next newline among the places goes

    Places(std::uint32_t* places, std::uint16_t* lines) : place(places), line(lines), places(places) {}

    void write(const char* block, const char* until, std::uint32_t offset) {
        if (can_pack_bytes())
            write_packed(block, until, offset);
        else
            write_quarters(block, until, offset);
    }

private:
    // Where the next ones go, in registers while many are written: what is written could lie over the members, for all the
    // compiler knows.
    struct Ends {
        std::uint32_t* place;
        std::uint16_t* line;
    };

    // Written by the batch, without asking how many there are: what is written too much is written over.
    void write_quarters(const char* block, const char* until, std::uint32_t offset) {
        const __m512i sixteen = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        Ends to{place, line};
        for (; block < until; block += 64, offset += 64) {
            const __mmask64 found = separators(block);
            const std::uint64_t bits = _cvtmask64_u64(found);
            __m512i here = _mm512_add_epi32(sixteen, _mm512_set1_epi32(static_cast<int>(offset)));
            // Where each quarter goes is counted from the start, so that no quarter waits for the one before.
            const auto quarter = [&](__mmask64 mask, std::uint64_t before, std::uint64_t its) {
                const __m512i taken = _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), here);
                std::uint32_t* const its_place = to.place + std::popcount(before);
                // Words have a byte each, so more than eight are two separators side by side; half a store is the quicker.
                _mm256_storeu_si256(reinterpret_cast<__m256i*>(its_place), _mm512_castsi512_si256(taken));
                if (std::popcount(its & 0xFFFF) > 8) [[unlikely]] _mm512_storeu_si512(its_place, taken);
                here = _mm512_add_epi32(here, _mm512_set1_epi32(16));
            };
            quarter(found, 0, bits);
            quarter(_kshiftri_mask64(found, 16), bits & 0xFFFF, bits >> 16);
            quarter(_kshiftri_mask64(found, 32), bits & 0xFFFFFFFF, bits >> 32);
            quarter(_kshiftri_mask64(found, 48), bits << 16, bits >> 48);
            count(block, bits, to);
        }
        place = to.place;
        line = to.line;
    }

    // The same with one step for all sixty-four.
    __attribute__((target("avx512vbmi2"))) void write_packed(const char* block, const char* until, std::uint32_t offset) {
        const __m512i all = _mm512_load_si512(sixty_four.data());
        __m512i here = _mm512_set1_epi32(static_cast<int>(offset));
        Ends to{place, line};
        for (; block < until; block += 64) {
            const __mmask64 found = separators(block);
            const std::uint64_t bits = _cvtmask64_u64(found);
            const __m512i taken = _mm512_maskz_compress_epi8(found, all);
            _mm512_storeu_si512(to.place, _mm512_add_epi32(here, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(taken))));
            const int many = std::popcount(bits);
            if (many > 16) [[unlikely]]
                _mm512_storeu_si512(to.place + 16, _mm512_add_epi32(here, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(taken, 1))));
            if (many > 32) [[unlikely]] {
                _mm512_storeu_si512(to.place + 32, _mm512_add_epi32(here, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(taken, 2))));
                _mm512_storeu_si512(to.place + 48, _mm512_add_epi32(here, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(taken, 3))));
            }
            here = _mm512_add_epi32(here, _mm512_set1_epi32(64));
            count(block, bits, to);
        }
        place = to.place;
        line = to.line;
    }

    // The bytes that are at most ' ' (white space and control characters), or one of the Marks.
    static ROSENBLATT_INLINE __mmask64 separators(const char* p) {
        const __m512i bytes = _mm512_loadu_si512(p);
        __mmask64 found = _mm512_cmple_epu8_mask(bytes, _mm512_set1_epi8(' '));
        ((found = _kor_mask64(found, _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(Marks)))), ...);
        return found;
    }

    // One newline is written without asking whether there is one: where lines end, no processor can guess.
    ROSENBLATT_INLINE void count(const char* block, std::uint64_t found, Ends& to) const {
        std::uint64_t left = _cvtmask64_u64(_mm512_cmpeq_epi8_mask(_mm512_loadu_si512(block), _mm512_set1_epi8('\n')));
        const auto number = [&] { return static_cast<std::uint16_t>(to.place - places + std::popcount(found & ((left & -left) - 1))); };
        *to.line = number();
        to.line += left != 0;
        for (left &= left - 1; left; left &= left - 1) *to.line++ = number();
        to.place += std::popcount(found);
    }

    alignas(64) static constexpr std::array<std::uint8_t, 64> sixty_four = [] {
        std::array<std::uint8_t, 64> numbers{};
        for (std::uint8_t i = 0; i < 64; ++i) numbers[i] = i;
        return numbers;
    }();
    const std::uint32_t* const places;
};

}  // namespace rosenblatt::ROSENBLATT_ISA
