// A secret number for hash tables, so that nobody can choose words or columns that crowd one part of a table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rosenblatt {

// Odd, and another one in every process. The upper bits of a product with it spread any set of numbers evenly (multiply-shift:
// Dietzfelbinger, Hagerup, Katajainen and Penttonen 1997). No result depends on it: only the place of an entry in its table does.
std::uint64_t hash_secret();

// A hash function for the tables of the standard library.
struct KeyedHash {
    std::size_t operator()(std::uint64_t number) const { return number * hash_secret() >> 32; }
};

}  // namespace rosenblatt
