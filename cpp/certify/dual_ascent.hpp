// Dual coordinate ascent for the widest margin with the constant column, one coordinate at a time:
//     maximise sum_i a_i - |sum_i a_i y_i (x_i, 1)|^2 / 2,  0 <= a_i <= limit
#pragma once

#include <cstdint>

#include "core/rows.hpp"

namespace rosenblatt {

struct Ascent {
    Rows rows;
    const std::int8_t* sign = nullptr;
    double constant = 1.0;
    double limit = 0.0;             // upper bound of every a_i
    double* a = nullptr;            // [rows]
    const double* norm2 = nullptr;  // [rows] |(x_i, constant)|^2
    double* w = nullptr;            // [features, padded to a multiple of eight]
    double* b = nullptr;
};

struct AscentFunctions {
    // Visits the rows in this order and writes the margin y f(x) of each, before its update, to `margins`. Returns how
    // many margins were not above 0.
    std::size_t (*ascend)(Ascent&, const std::uint32_t* order, std::size_t count, double* margins);
};

}  // namespace rosenblatt
