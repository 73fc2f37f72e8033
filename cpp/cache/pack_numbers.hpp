// How the numbers of a cache page are packed into fewer bytes: the functions of one instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rosenblatt {

// What unpacking learns about the numbers on the way.
struct Unpacked {
    std::int64_t largest = 0;   // absolute value
    std::size_t descents = 0;   // column numbers that are not above the previous one
};

struct PageFunctions {
    std::uint64_t (*checksum)(const std::uint8_t* bytes, std::size_t size);
    // The four-byte integers m with m / power == value, to the bit (a negative zero is not zero). `largest` becomes the
    // largest of itself, m and -1 - m. False: some value has no such integer.
    bool (*to_integers)(const double* values, std::size_t count, double power, std::int32_t* m, std::int32_t& largest);
    Unpacked (*divide_int16)(const std::int16_t* m, std::size_t count, double power, double* values);
    Unpacked (*divide_int32)(const std::int32_t* m, std::size_t count, double power, double* values);
    void (*int32_to_uint16)(const std::int32_t* from, std::size_t count, std::uint16_t* to);
    void (*int32_to_int16)(const std::int32_t* from, std::size_t count, std::int16_t* to);
    Unpacked (*uint16_to_int32)(const std::uint16_t* from, std::size_t count, std::int32_t* to);
};

}  // namespace rosenblatt
