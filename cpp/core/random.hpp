// SplitMix64 (Steele, Lea and Flood 2014): one 64-bit word is the whole random state, so a run can be stopped,
// saved and resumed to the same bits.
#pragma once

#include <cstdint>
#include <utility>

namespace rosenblatt {

struct Random {
    static constexpr std::uint64_t stride = 0x9E3779B97F4A7C15u;
    std::uint64_t state;

    std::uint64_t next() { return mix(state += stride); }

    static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    // Uniform in 0..n-1 without bias (Lemire 2019: multiply, reject the few short residues).
    std::uint64_t below(std::uint64_t n) {
        __extension__ using wide = unsigned __int128;
        wide m = static_cast<wide>(next()) * n;
        if (auto low = static_cast<std::uint64_t>(m); low < n) {
            const std::uint64_t threshold = (0 - n) % n;
            while (low < threshold) {
                m = static_cast<wide>(next()) * n;
                low = static_cast<std::uint64_t>(m);
            }
        }
        return static_cast<std::uint64_t>(m >> 64);
    }

    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    // Fisher and Yates: every permutation equally likely.
    void shuffle(std::uint32_t* order, std::uint64_t n) {
        for (std::uint64_t i = n; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    }

    void sample(std::uint32_t* order, std::uint64_t count, std::uint64_t n) {
        for (std::uint64_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(below(n));
    }
};

}  // namespace rosenblatt
