// Numbers that repeat often, as positions in a list of the different ones: the values of hashed text are the square roots of
// few quotients.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/hash_secret.hpp"
#include "core/memory/memory_pool.hpp"

namespace rosenblatt {

class DistinctNumbers {
public:
    static constexpr std::size_t most = 4096;  // a list of so many stays in the nearest cache

    // False: too many are different. Bits are compared, so that -0 and every NaN are kept.
    bool number(const double* values, std::size_t count) {
        places_.assign(2 * most, 0);
        numbers_.clear();
        codes_.resize(count);
        std::uint64_t last = 0;
        std::uint16_t code = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const auto bits = std::bit_cast<std::uint64_t>(values[i]);
            if (i == 0 || bits != last) {  // those of a row are mostly equal
                const std::size_t at = place_of(bits);
                if (places_[at] == 0) {
                    if (numbers_.size() == std::min(most, count / 4)) return false;
                    numbers_.push_back(values[i]);
                    places_[at] = static_cast<std::uint16_t>(numbers_.size());
                }
                code = static_cast<std::uint16_t>(places_[at] - 1);
                last = bits;
            }
            codes_[i] = code;
        }
        return true;
    }

    const std::vector<double>& numbers() const { return numbers_; }  // in the order in which they first occur

    // The position of each, in 1 or 2 bytes.
    void write(std::uint8_t* to, std::size_t width) const {
        if (width == 1) std::copy_n(codes_.data(), codes_.size(), to);
        else if (codes_.size()) std::memcpy(to, codes_.data(), 2 * codes_.size());
    }

private:
    // Where the position of this number is, or belongs.
    std::size_t place_of(std::uint64_t bits) const {
        std::size_t at = bits * hash_secret() >> (64 - std::bit_width(2 * most - 1));
        while (places_[at] != 0 && std::bit_cast<std::uint64_t>(numbers_[places_[at] - 1]) != bits) at = (at + 1) % (2 * most);
        return at;
    }

    std::vector<std::uint16_t> places_;  // open addressing: a position from 1, 0: empty
    std::vector<double> numbers_;
    PooledVector<std::uint16_t> codes_;
};

// The numbers at these positions; false: a position is beyond the list.
template <class Code>
bool take_numbered(const double* numbers, std::size_t distinct, const Code* codes, std::size_t count, double* values) {
    Code largest = 0;
    for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, codes[i]);
    if (count > 0 && largest >= distinct) return false;
    for (std::size_t i = 0; i < count; ++i) values[i] = numbers[codes[i]];
    return true;
}

}  // namespace rosenblatt
