// Kernel values between support examples and a block of rows. Every inner product is summed feature by feature in
// ascending order, whatever the width of the registers or the number of threads: the same bits everywhere. The lanes
// of a vector are rows of the block, so one load of a support value serves them all. Compiled once per instruction set.
#include "dual/products.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "core/simd.hpp"

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

template <class V>
struct lanes_of {
    static constexpr int width = natural * static_cast<int>(sizeof(double) / sizeof(V));
    typedef V type __attribute__((vector_size(natural * sizeof(double))));
};
// Vectors in a strip; two sums of each must fit into the registers. More of doubles, so that as many rows share the loads
// of a pair.
template <class V>
inline constexpr int strip_vectors = natural == 8 ? (sizeof(V) == sizeof(double) ? 8 : 4) : 2;

template <class T, class V>
ROSENBLATT_INLINE T power(T base, const PowerKernel& kernel) {
    if (kernel.degree == 0) return base;
    base = base * static_cast<V>(kernel.gamma) + static_cast<V>(kernel.coef0);
    T result = base;
    bool is_one = true;
    for (std::uint32_t n = kernel.degree;;) {
        if (n & 1) {
            result = is_one ? base : result * base;
            is_one = false;
        }
        n >>= 1;
        if (n == 0) return result;
        base = base * base;
    }
}

// The inner products of a strip, as many rows as a few vectors have lanes, with one pair of support examples.
template <class V>
struct StripSums {
    using T = typename lanes_of<V>::type;
    static constexpr int width = lanes_of<V>::width;
    static constexpr std::size_t rows = static_cast<std::size_t>(strip_vectors<V>) * width;
    T sum[2][strip_vectors<V>];
};

template <class V>
ROSENBLATT_INLINE StripSums<V> pair_products(const SupportPairs<V>& support, std::size_t pair, const typename StripSums<V>::T* packed) {
    const std::uint32_t* const feature = support.feature.data();
    const V* const value = support.value.data();
    StripSums<V> strip = {};
    for (std::size_t e = support.start[pair], end = support.start[pair + 1]; e < end; ++e) {
        const auto* const x = packed + static_cast<std::size_t>(feature[e]) * strip_vectors<V>;
        const V a = value[2 * e], b = value[2 * e + 1];
        for (int k = 0; k < strip_vectors<V>; ++k) {
            strip.sum[0][k] += x[k] * a;
            strip.sum[1][k] += x[k] * b;
        }
    }
    return strip;
}

// One strip of rows, feature by feature; of vectors, so that none crosses a cache line.
template <class V>
using Packed = std::vector<typename StripSums<V>::T>;

// Calls use(pair, row, count, a, b) with the kernel values of every pair from `first` on, for each strip of `count` rows
// between from and to. `packed` is scratch memory.
template <class V, class Use>
ROSENBLATT_INLINE void use_strips(const SupportPairs<V>& support, std::size_t first, const V* rows, std::size_t from, std::size_t to,
                                  const PowerKernel& kernel, Packed<V>& packed, Use&& use) {
    constexpr std::size_t strip_rows = StripSums<V>::rows;
    const std::size_t d = support.features;
    V line[2][strip_rows];
    for (std::size_t at = from; at < to; at += strip_rows) {
        const std::size_t here = std::min(strip_rows, to - at);
        if (here < strip_rows) std::fill(packed.begin(), packed.end(), typename StripSums<V>::T{});
        V* const value = reinterpret_cast<V*>(packed.data());
        for (std::size_t block = 0; block < d; block += 16)  // few features at a time, so that all rows stay in the cache
            for (std::size_t r = 0; r < here; ++r)
                for (std::size_t j = block; j < std::min(block + 16, d); ++j)
                    value[j * strip_rows + r] = rows[(at + r) * d + j];
        for (std::size_t pair = first; 2 * pair < support.count; ++pair) {
            const StripSums<V> strip = pair_products(support, pair, packed.data());
            for (int half = 0; half < 2; ++half)
                for (int k = 0; k < strip_vectors<V>; ++k) {
                    const auto kernel_value = power<typename StripSums<V>::T, V>(strip.sum[half][k], kernel);
                    std::memcpy(line[half] + k * StripSums<V>::width, &kernel_value, sizeof kernel_value);
                }
            use(pair, at, here, line[0], line[1]);
        }
    }
}

// The same sums one row at a time, for too few rows to fill a vector.
template <class V, class Use>
void use_single_rows(const SupportPairs<V>& support, std::size_t first, const V* rows, std::size_t count, const PowerKernel& kernel,
                     Use&& use) {
    for (std::size_t r = 0; r < count; ++r)
        for (std::size_t pair = first; 2 * pair < support.count; ++pair) {
            V a{0}, b{0};
            for (std::size_t e = support.start[pair]; e < support.start[pair + 1]; ++e) {
                const V x = rows[r * support.features + support.feature[e]];
                a += x * support.value[2 * e];
                b += x * support.value[2 * e + 1];
            }
            a = power<V, V>(a, kernel);
            b = power<V, V>(b, kernel);
            use(pair, r, std::size_t{1}, &a, &b);
        }
}

template <class V, class Use>
void use_all(const SupportPairs<V>& support, std::size_t first, const V* rows, std::size_t count, const PowerKernel& kernel,
             int threads, Use&& use) {
    constexpr std::size_t strip_rows = StripSums<V>::rows;
    if (count < 4) return use_single_rows(support, first, rows, count, kernel, use);
    const std::size_t n_strips = (count + strip_rows - 1) / strip_rows;
    const std::size_t shares = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), 1, n_strips);
    in_parallel(shares, [&](std::size_t share) {
        const std::size_t from = n_strips * share / shares * strip_rows, to = n_strips * (share + 1) / shares * strip_rows;
        Packed<V> packed(support.features * strip_vectors<V>);
        use_strips(support, first, rows, from, std::min(to, count), kernel, packed, use);
    });
}

template <class V>
void products(const SupportPairs<V>& support, std::size_t first, const V* rows, std::size_t count, const PowerKernel& kernel,
              int threads, V* out) {
    use_all(support, first, rows, count, kernel, threads,
            [&](std::size_t pair, std::size_t at, std::size_t here, const V* a, const V* b) {
                V* const line = out + 2 * (pair - first) * count + at;
                std::copy(a, a + here, line);
                if (2 * pair + 1 < support.count) std::copy(b, b + here, line + count);
            });
}

template <class V>
void add_sums(const SupportPairs<V>& support, std::size_t first, const V* rows, std::size_t count, const PowerKernel& kernel,
              int threads, const Terms& terms, double* scores) {
    const auto add = [&](std::size_t example, std::size_t at, std::size_t here, const V* kernel_value) {
        for (std::int64_t e = terms.start[example]; e < terms.start[example + 1]; ++e) {
            double* const score = scores + static_cast<std::size_t>(terms.unit[e]) * count + at;
            const double coefficient = terms.coefficient[e], constant = terms.constant;
            for (std::size_t r = 0; r < here; ++r) score[r] += coefficient * (static_cast<double>(kernel_value[r]) + constant);
        }
    };
    use_all(support, first, rows, count, kernel, threads,
            [&](std::size_t pair, std::size_t at, std::size_t here, const V* a, const V* b) {
                add(2 * pair, at, here, a);
                if (2 * pair + 1 < support.count) add(2 * pair + 1, at, here, b);
            });
}

}  // namespace

extern const ProductFunctions product_functions{{products<double>, add_sums<double>}, {products<float>, add_sums<float>}};

}  // namespace rosenblatt::ROSENBLATT_ISA
