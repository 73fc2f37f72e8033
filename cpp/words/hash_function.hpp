// The hash of words: 64 bits of a byte string, the same on every machine, so that a hashed model is portable.
//
//   mix(a, b) = low 64 bits xor high 64 bits of the product a * b
//   s = seed xor K0
//   while more than 16 bytes are left:  s = mix(word(0) xor K1, word(8) xor s), advance 16 bytes
//   s = mix(first xor K1, second xor s)       the two words of the rest, at most 16 bytes, padded with zero bytes
//   hash = mix(s xor length, K2)
//
// word(i) is the little-endian 64-bit number of the bytes i to i+7. Multiply-and-fold is the step of the wyhash family
// (Wang Yi 2019); the constants are the fractional bits of the square roots of 2, 3, 5 and 7, made odd.
// A phrase is hashed from its words' hashes, left to right: join(g, h) = mix(g + K3, h xor K1).
// The column is the highest `bits` bits of a hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rosenblatt::words {

inline constexpr std::uint64_t K0 = 0x6A09E667F3BCC909u, K1 = 0xBB67AE8584CAA73Bu, K2 = 0x3C6EF372FE94F82Bu,
                               K3 = 0xA54FF53A5F1D36F1u;

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t load(const std::uint8_t* p) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    return word;
}

// Masks for the first n of sixteen bytes, in two words.
struct PrefixMasks {
    std::uint64_t first[17] = {}, second[17] = {};
    constexpr PrefixMasks() {
        for (int n = 1; n <= 16; ++n) {
            first[n] = n >= 8 ? ~std::uint64_t{0} : ~(~std::uint64_t{0} << 8 * n);
            second[n] = n == 16 ? ~std::uint64_t{0} : n > 8 ? ~(~std::uint64_t{0} << 8 * (n - 8)) : 0;
        }
    }
};
inline constexpr PrefixMasks prefix_masks;

// Sixteen bytes from p + length must be readable.
inline std::uint64_t hash(const std::uint8_t* p, std::size_t length, std::uint64_t seed) {
    std::uint64_t s = seed ^ K0;
    std::size_t left = length;
    for (; left > 16; left -= 16, p += 16) s = mix(load(p) ^ K1, load(p + 8) ^ s);
    s = mix((load(p) & prefix_masks.first[left]) ^ K1, (load(p + 8) & prefix_masks.second[left]) ^ s);
    return mix(s ^ length, K2);
}

inline std::uint64_t join(std::uint64_t phrase, std::uint64_t word) { return mix(phrase + K3, word ^ K1); }

inline std::uint32_t column(std::uint64_t hash, unsigned bits) { return static_cast<std::uint32_t>(hash >> (64 - bits)); }

}  // namespace rosenblatt::words
