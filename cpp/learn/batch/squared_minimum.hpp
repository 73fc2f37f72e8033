// The minimum of ridge regression, for few examples. Passes of small steps come near it only slowly where columns say
// nearly the same.
//
//     minimise    sum of v_i (w.x_i + b - y_i)^2 / (2 sum of v_i)  +  alpha / 2 |w|^2
//     given       examples with weights v_i and targets y_i; alpha >= 0; weights to start from
//     result      weights after at most so many steps of conjugate gradients, fewer where the residual is small
//
// Hestenes and Stiefel, Methods of conjugate gradients for solving linear systems (1952), preconditioned by the diagonal. A step
// visits all examples, so the columns may be many and sparse; or, where they are few and several penalties are tried, the
// products of all pairs of columns, which are made once.
#pragma once

#include "learn/function_table.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// The weighted means of x_i x_j for each pair of columns, the constant 1 the last of them, [features + 1][features + 1]; behind
// them those of y x_j, [features + 1].
void column_products(const Examples& examples, const double* targets, double* products);

// `weights` [features + 1], the bias last, are replaced; `products` are those of the same examples, or null. Returns how often
// all examples, or all products, were visited.
std::size_t minimise_squared(const Examples& examples, const double* targets, const double* products, double alpha, std::size_t steps,
                             double* weights);

}  // namespace rosenblatt::ROSENBLATT_ISA
