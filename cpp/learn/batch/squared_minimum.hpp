// The minimum of ridge regression, for few examples. Passes of small steps come near it only slowly where columns say
// nearly the same.
//
//     minimise    sum of v_i (w.x_i + b - y_i)^2 / (2 sum of v_i)  +  alpha / 2 |w|^2
//     given       examples with weights v_i and targets y_i; alpha >= 0; weights to start from
//     result      weights after at most so many steps of conjugate gradients, fewer where the residual is small
//
// Hestenes and Stiefel, Methods of conjugate gradients for solving linear systems (1952), preconditioned by the diagonal. A
// matrix of all products of two columns is never made, so the columns may be many and sparse.
#pragma once

#include "learn/function_table.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// `weights` [features + 1], the bias last, are replaced. Returns how often all examples were visited.
std::size_t minimise_squared(const Examples& examples, const double* targets, double alpha, std::size_t steps, double* weights);

}  // namespace rosenblatt::ROSENBLATT_ISA
