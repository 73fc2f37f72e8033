// A matrix of examples in the caller's memory: described, never copied.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rosenblatt {

struct Rows {
    std::size_t count = 0;
    std::size_t features = 0;
    bool sparse = false;
    bool single = false;                  // values are float32; they are widened to double, exactly
    const void* values = nullptr;

    // dense: strides in elements, so C, Fortran and sliced arrays are all read in place
    std::ptrdiff_t row_stride = 0;
    std::ptrdiff_t column_stride = 0;

    // dense, with all products of up to `degree` columns computed when a row is read: `features` includes them
    unsigned degree = 1;
    std::size_t columns = 0;               // of the matrix itself

    // CSR
    const std::int64_t* starts = nullptr;  // count + 1
    const void* indices = nullptr;
    std::size_t stored = 0;                // length of indices and of values
    bool wide_indices = false;             // int64 instead of int32
    bool canonical = true;                 // every row sorted by column, no column twice

    double largest = 0.0;                  // largest |value|, known after the check
    std::size_t entries() const {
        return sparse ? static_cast<std::size_t>(starts[count] - starts[0]) : count * features;
    }
};

// The first fault of a matrix, in row order.
struct Fault {
    enum Kind : std::uint8_t {
        none,
        not_a_number,
        infinite,
        negative_column,
        column_beyond,
        starts_backwards,
        starts_beyond
    } kind = none;
    std::size_t row = 0;
    std::int64_t column = 0;
};

}  // namespace rosenblatt
