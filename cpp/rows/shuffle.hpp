// The shuffle of core/random.hpp, to the same permutation: a draw depends on its number only, so 512-bit registers compute
// several at once. (Narrower ones have no 64-bit multiplication, and are faster one by one.)
#pragma once

#include "core/random.hpp"
#include "core/simd.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// Stops at the first draw that Lemire's method may have to reject; returns how many places are left to shuffle.
inline std::uint64_t shuffle_blocks(Random& random, std::uint32_t* order, std::uint64_t n) {
    constexpr std::uint64_t block = 16, half = UINT32_MAX;
    for (; n > block && n <= half; n -= block) {
        std::uint64_t place[block], short_residues = 0;
        for (std::uint64_t k = 0; k < block; ++k) {
            const std::uint64_t word = Random::mix(random.state + (k + 1) * Random::stride), below = n - k;
            const std::uint64_t low = (word & half) * below, high = (word >> 32) * below + (low >> 32);
            place[k] = high >> 32;
            short_residues |= (high << 32 | (low & half)) < below;
        }
        if (short_residues) break;
        random.state += block * Random::stride;
        for (std::uint64_t k = 0; k < block; ++k) std::swap(order[n - 1 - k], order[place[k]]);
    }
    return n;
}

inline void shuffle(Random& random, std::uint32_t* order, std::uint64_t n) {
    if constexpr (natural == 8) n = shuffle_blocks(random, order, n);
    random.shuffle(order, n);
}

}  // namespace rosenblatt::ROSENBLATT_ISA
