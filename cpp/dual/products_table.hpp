// The products with support examples, as the bindings see them: one pair of functions per instruction set.
#pragma once

#include "dual/support_pairs.hpp"

namespace rosenblatt {

struct ProductFunctions {
    // out[support][row]: kernel values of a block of rows with the support examples from pair `first` on.
    void (*wide)(const Panel<double>&, std::size_t first, const double* rows, std::size_t count, const PowerKernel&,
                 int threads, double* out);
    void (*single)(const Panel<float>&, std::size_t first, const float* rows, std::size_t count, const PowerKernel&,
                   int threads, float* out);
    // scores[unit][row] += what the terms of those support examples give.
    void (*wide_sums)(const Panel<double>&, std::size_t first, const double* rows, std::size_t count,
                      const PowerKernel&, int threads, const Terms&, double* scores);
    void (*single_sums)(const Panel<float>&, std::size_t first, const float* rows, std::size_t count,
                        const PowerKernel&, int threads, const Terms&, double* scores);
};

}  // namespace rosenblatt
