// The minimum of regularised logistic regression, for few examples. Passes of small steps come near it only slowly
// where columns say nearly the same, or where a hyperplane nearly separates the classes.
//
//     minimise    sum of v_i log(1 + exp(-y_i (w.x_i + b))) / sum of v_i  +  alpha / 2 |w|^2          (two classes)
//                 or with the log loss of the softmax, one w and one b for each class                 (more classes)
//     given       examples with weights v_i; alpha >= 0; weights to start from
//     result      weights after at most so many steps of L-BFGS, fewer where they no longer lower it
//
// Liu and Nocedal, On the limited memory BFGS method for large scale optimization (1989).
#pragma once

#include "learn/function_table.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// `weights` [unit][features + 1], the bias last, are replaced. Returns how often all examples were visited.
std::size_t minimise_logistic(const Examples& examples, double alpha, std::size_t steps, double* weights);

}  // namespace rosenblatt::ROSENBLATT_ISA
