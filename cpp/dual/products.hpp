// Products of a block of rows with support examples.
#pragma once

#include "dual/support_pairs.hpp"

namespace rosenblatt {

// k(x, z) = (gamma x.z + coef0)^degree, or x.z where the degree is 0.
struct PowerKernel {
    double gamma = 1.0, coef0 = 0.0;
    std::uint32_t degree = 0;
};

// The coefficients of the support examples: terms start[s] to start[s+1]-1 belong to s, each to one unit.
struct Terms {
    const std::int64_t* start;
    const std::int32_t* unit;
    const double* coefficient;
    double constant;  // 1 where a bias is learned: the constant feature 1 adds 1 to every inner product
};

template <class V>
struct ProductFunctionsOf {
    // out[support][row]: kernel values of a block of rows with the support examples from pair `first` on.
    void (*products)(const SupportPairs<V>&, std::size_t first, const V* rows, std::size_t count, const PowerKernel&, int threads, V* out);
    // scores[unit][row] += sum over the terms of coefficient (k + constant), support by support, from pair `first` on.
    void (*add_sums)(const SupportPairs<V>&, std::size_t first, const V* rows, std::size_t count, const PowerKernel&, int threads,
                     const Terms&, double* scores);
};

struct ProductFunctions {
    ProductFunctionsOf<double> float64;
    ProductFunctionsOf<float> float32;
    const ProductFunctionsOf<double>& of(double) const { return float64; }
    const ProductFunctionsOf<float>& of(float) const { return float32; }
};

}  // namespace rosenblatt
