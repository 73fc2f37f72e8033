// Numbers in fewer bytes for the pages of a cache, as the rest of the core sees them: one table of functions per
// instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rosenblatt {

// What is seen of whole numbers while they are unpacked.
struct Unpacked {
    std::int64_t largest = 0;  // in size
    std::size_t falls = 0;     // of column numbers: how many are not above the one before
};

struct PageFunctions {
    // The whole numbers m of four bytes with m / power == value, to the bit (a negative zero is not zero), and the largest
    // of m and -1 - m, or `most` if that is larger. False: there is one without.
    bool (*whole)(const double* value, std::size_t count, double power, std::int32_t* m, std::int32_t& most);
    Unpacked (*divided_short)(const std::int16_t* m, std::size_t count, double power, double* value);
    Unpacked (*divided)(const std::int32_t* m, std::size_t count, double power, double* value);
    void (*narrowed)(const std::int32_t* from, std::size_t count, std::uint16_t* to);
    void (*shortened)(const std::int32_t* from, std::size_t count, std::int16_t* to);
    Unpacked (*widened)(const std::uint16_t* from, std::size_t count, std::int32_t* to);
};

}  // namespace rosenblatt
