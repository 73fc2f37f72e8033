// Cells of a table in Arrow's layout: numbers to a matrix, words to the positions of the distinct ones.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/hash_secret.hpp"
#include "core/memory/memory_pool.hpp"

namespace rosenblatt {

// Which cells are there: a bit for each, the first in the lowest; null: all.
struct Validity {
    const std::uint8_t* bits;
    std::size_t offset;
    bool operator()(std::size_t i) const { return !bits || (bits[(offset + i) / 8] >> ((offset + i) % 8) & 1); }
};

// A column of numbers, and which column of a matrix it becomes.
struct NumberColumn {
    std::size_t j;
    const double* numbers;
    Validity valid;
};

// Copies columns to a matrix in row-major order, some rows at a time so that they stay in the nearest cache; NaN where a number
// is missing. Sets infinite[j] where column j has an infinite number.
inline void put_numbers(const std::vector<NumberColumn>& columns, std::size_t rows, double* matrix, std::size_t stride, bool* infinite) {
    constexpr std::size_t block = 128;
    for (std::size_t first = 0; first < rows; first += block) {
        const std::size_t last = first + block < rows ? first + block : rows;
        for (const NumberColumn& column : columns) {
            double* const to = matrix + column.j;
            bool any = false;
            for (std::size_t i = first; i < last; ++i) {
                to[i * stride] = column.numbers[i];
                any |= std::isinf(column.numbers[i]);
            }
            infinite[column.j] |= any;
            for (std::size_t i = first; column.valid.bits && i < last; ++i)
                if (!column.valid(i)) to[i * stride] = std::nan("");
        }
    }
}

// The distinct words in the order of their first appearance.
class DistinctWords {
public:
    std::vector<std::string_view> words;

    DistinctWords() : slots_(1024, -1) {}

    std::int32_t position(std::string_view word) {
        const std::uint64_t hash = hash_of(word);
        for (std::size_t slot = hash & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
            const std::int32_t at = slots_[slot];
            if (at < 0) return add(word, hash, slot);
            if (hashes_[static_cast<std::size_t>(at)] == hash && words[static_cast<std::size_t>(at)] == word) return at;
        }
    }

private:
    std::int32_t add(std::string_view word, std::uint64_t hash, std::size_t slot) {
        const auto position = static_cast<std::int32_t>(words.size());
        words.push_back(word);
        hashes_.push_back(hash);
        slots_[slot] = position;
        if (2 * words.size() > slots_.size()) grow();
        return position;
    }

    void grow() {
        slots_.assign(4 * slots_.size(), -1);
        for (std::size_t i = 0; i < hashes_.size(); ++i) {
            std::size_t slot = hashes_[i] & (slots_.size() - 1);
            while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<std::int32_t>(i);
        }
    }

    // The secret prevents a file from being made whose words all share a slot.
    std::uint64_t hash_of(std::string_view word) const {
        std::uint64_t hash = word.size();
        const auto mix = [&](std::uint64_t piece) {
            __extension__ using Wide = unsigned __int128;
            const Wide product = static_cast<Wide>(hash ^ piece) * secret_;
            hash = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);  // every bit depends on all
        };
        const char* p = word.data();
        std::size_t left = word.size();
        for (; left >= 8; p += 8, left -= 8) {
            std::uint64_t piece;
            std::memcpy(&piece, p, 8);
            mix(piece);
        }
        mix(rest(p, left));
        return hash;
    }

    // Fewer than eight bytes as a number, by loads that overlap.
    static std::uint64_t rest(const char* p, std::size_t size) {
        if (size >= 4) {
            std::uint32_t low, high;
            std::memcpy(&low, p, 4);
            std::memcpy(&high, p + size - 4, 4);
            return low | static_cast<std::uint64_t>(high) << 32;
        }
        if (size == 0) return 0;
        const auto byte = [&](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(p[i])); };
        return byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16;
    }

    std::vector<std::int32_t> slots_;
    std::vector<std::uint64_t> hashes_;
    const std::uint64_t secret_ = hash_secret();
};

// The position of each cell's word; -1 where there is none.
template <class Offset>
PooledVector<std::int32_t> encode_words(const Offset* starts, const char* bytes, Validity valid, std::size_t rows, DistinctWords& distinct) {
    PooledVector<std::int32_t> codes;
    codes.resize(rows);
    for (std::size_t i = 0; i < rows; ++i)
        codes[i] = valid(i) ? distinct.position({bytes + starts[i], static_cast<std::size_t>(starts[i + 1] - starts[i])}) : -1;
    return codes;
}

}  // namespace rosenblatt
