// The shuffle of core/random.hpp, to the same permutation: a draw depends on its number only, so wide registers make several
// at once. (Narrow ones multiply no such words, and are quicker one by one.)
#pragma once

#include "core/random.hpp"
#include "core/simd.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// As far as every first draw stands; how many are left is returned.
inline std::uint64_t shuffle_blocks(Random& random, std::uint32_t* order, std::uint64_t n) {
    constexpr std::uint64_t block = 16, half = UINT32_MAX;
    for (; n > block && n <= half; n -= block) {
        std::uint64_t place[block], short_residues = 0;
        for (std::uint64_t k = 0; k < block; ++k) {
            const std::uint64_t word = Random::mixed(random.state + (k + 1) * Random::stride), below = n - k;
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
