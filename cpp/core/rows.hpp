// A matrix of examples in the caller's memory: described, never copied.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rosenblatt {

// Reads a number in the caller's memory exactly once, because another thread of the caller may be writing to it. The
// value that passed the range check is then the value that is used: such a data race gives a wrong model, but never an
// access out of bounds.
template <class T>
inline T read_once(const T* number) {
    return __atomic_load_n(number, __ATOMIC_RELAXED);
}

// Columns are numbered in 32 bits wherever they are learned: every loop is compiled for one type of index.
inline constexpr std::size_t max_features = std::size_t{1} << 31;

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

    bool private_indices = false;          // no other thread can write `indices`: not checked again at each use

    double largest = 0.0;                  // largest |value|, known after the check
    std::size_t entries() const {
        return sparse ? static_cast<std::size_t>(starts[count] - starts[0]) : count * features;
    }

    // The entries of a CSR row, from..to-1, clamped to the stored ones in case `starts` has changed since the check.
    struct Span {
        std::size_t from, to;
    };
    Span entries_of(std::size_t row) const {
        const auto end = static_cast<std::uint64_t>(read_once(starts + row + 1));
        const auto first = static_cast<std::uint64_t>(read_once(starts + row));
        const std::size_t to = end < stored ? end : stored;
        return {first < to ? first : to, to};
    }
    // The column of an entry, clamped to the columns there are in case `indices` has changed since the check.
    template <class I>
    std::int64_t column_of(const I* index) const {
        const auto column = static_cast<std::uint64_t>(read_once(index));
        return static_cast<std::int64_t>(column < features ? column : features - 1);
    }
};

// What is wrong with a matrix: the first fault in row order.
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
