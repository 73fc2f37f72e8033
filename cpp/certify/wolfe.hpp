// Two sets of points and the nearest points of their convex hulls: the state of the search, and its functions.
//
//     given      rows x_i with signs y_i = +-1
//     minimise   |p|, p = sum_i weight_i y_i x_i,  weight >= 0, the weights of each class summing to 1
//
// p is the difference of two points, one of each hull. p = 0: the hulls meet and no hyperplane separates the classes.
// Otherwise |p| / 2 is the widest margin there is and p the normal of its hyperplane. `augmented` asks for the nearest
// point to the origin of ONE hull, of all y_i (x_i, 1): the widest margin of hyperplanes through the origin there.
#pragma once

#include <cstdint>
#include <vector>

#include "core/rows.hpp"

namespace rosenblatt {

struct Hulls {
    enum class Status : std::uint8_t { going, nearest, touching, stalled };

    Rows rows;
    const std::int8_t* sign = nullptr;
    bool augmented = false;
    double constant = 1.0;             // the constant feature of (x, 1)

    std::vector<std::uint32_t> pool;   // the rows that every step examines
    std::vector<std::uint8_t> pooled;  // [row]
    std::vector<std::uint32_t> corral; // the rows with weight: affinely independent, so at most features + 2
    std::vector<double> weight;        // [corral] > 0
    std::vector<double> factor;        // rows of L, L L^T = the Gram matrix of the lifted corral (see certify/wolfe.cpp)
    std::vector<double> p;             // [features, padded to a multiple of eight]
    double p_constant = 0.0;
    double lift = 1.0;                 // added to each inner product within a hull: the Gram matrix is positive definite
    double size = 0.0;                 // largest |y_i x_i|^2 in the pool
    double norm2 = 0.0;                // p.p
    double level[2] = {0.0, 0.0};      // z_i.p on the corral, for each hull
    double low[2] = {0.0, 0.0};        // least z_i.p over all rows, when last computed
    std::uint64_t steps = 0;
    Status status = Status::going;

    std::size_t hull_of(std::size_t row) const { return !augmented && sign[row] < 0; }
    std::size_t hulls() const { return augmented ? 1 : 2; }
};

struct HullFunctions {
    // Starts from rows with weights (those of each hull sum to 1).
    void (*start)(Hulls&, const std::uint32_t* rows, const double* weights, std::size_t count);
    // Makes up to `steps` steps; up to `batch` rows join the pool at a time.
    void (*run)(Hulls&, std::size_t steps, double tolerance, std::size_t batch);
};

}  // namespace rosenblatt
