// Kernel values between support examples and a block of rows. Every inner product is summed feature by feature in
// ascending order, whatever the width of the registers or the number of threads: the same bits everywhere. The lanes
// of a vector are rows of the block, so a product of one support value with one feature serves them all.
#pragma once

#include <algorithm>
#include <system_error>
#include <thread>

#include "dual/support_pairs.hpp"
#include "core/simd.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

template <class V>
struct lanes_of {
    static constexpr int width = natural * static_cast<int>(sizeof(double) / sizeof(V));
    typedef V type __attribute__((vector_size(natural * sizeof(double))));
};
// Vectors of a strip; two sums of each for a pair must fit the registers. Of doubles more, so that as many rows share
// what is read of the pair.
template <class V>
inline constexpr int vectors_together = natural == 8 ? (sizeof(V) == sizeof(double) ? 8 : 4) : 2;

template <class T, class V>
ROSENBLATT_INLINE T power(T base, const PowerKernel& kernel) {
    if (kernel.degree == 0) return base;
    base = base * static_cast<V>(kernel.gamma) + static_cast<V>(kernel.coef0);
    T result = base;
    bool empty = true;
    for (std::uint32_t n = kernel.degree;;) {
        if (n & 1) {
            result = empty ? base : result * base;
            empty = false;
        }
        n >>= 1;
        if (n == 0) return result;
        base = base * base;
    }
}

// A strip: as many rows as a few vectors have lanes. The sums of its rows with one pair of support examples.
template <class V>
struct Strip {
    using T = typename lanes_of<V>::type;
    static constexpr int width = lanes_of<V>::width;
    static constexpr std::size_t rows = static_cast<std::size_t>(vectors_together<V>) * width;
    T sum[2][vectors_together<V>];
};

// The sums of a strip with one pair: every product of one support value with one feature serves all its rows.
template <class V>
ROSENBLATT_INLINE Strip<V> pair_products(const Panel<V>& panel, std::size_t pair, const typename Strip<V>::T* packed) {
    const std::uint32_t* const feature = panel.feature.data();
    const V* const value = panel.value.data();
    Strip<V> s = {};
    for (std::size_t e = panel.start[pair], end = panel.start[pair + 1]; e < end; ++e) {
        const auto* const x = packed + static_cast<std::size_t>(feature[e]) * vectors_together<V>;
        const V a = value[2 * e], b = value[2 * e + 1];
        for (int k = 0; k < vectors_together<V>; ++k) {
            s.sum[0][k] += x[k] * a;
            s.sum[1][k] += x[k] * b;
        }
    }
    return s;
}

// Hands every pair from `first` on, with the kernel values of its two lines, to use(pair, at, here, a, b) for each strip
// of rows between from and to.
template <class V, class Use>
ROSENBLATT_INLINE void strips(const Panel<V>& panel, std::size_t first, const V* rows, std::size_t from, std::size_t to,
                              const PowerKernel& kernel, Use&& use) {
    constexpr std::size_t together = Strip<V>::rows;
    const std::size_t d = panel.features;
    std::vector<typename Strip<V>::T> packed(d * vectors_together<V>);  // of vectors, so that none crosses a cache line
    V line[2][together];
    for (std::size_t at = from; at < to; at += together) {
        const std::size_t here = std::min(together, to - at);
        if (here < together) std::fill(packed.begin(), packed.end(), typename Strip<V>::T{});
        V* const value = reinterpret_cast<V*>(packed.data());
        for (std::size_t some = 0; some < d; some += 16)  // a few features of all rows at a time stay in the cache
            for (std::size_t r = 0; r < here; ++r)
                for (std::size_t j = some; j < std::min(some + 16, d); ++j)
                    value[j * together + r] = rows[(at + r) * d + j];
        for (std::size_t pair = first; 2 * pair < panel.count; ++pair) {
            const Strip<V> strip = pair_products(panel, pair, packed.data());
            for (int one = 0; one < 2; ++one)
                for (int k = 0; k < vectors_together<V>; ++k) {
                    const auto kernel_value = power<typename Strip<V>::T, V>(strip.sum[one][k], kernel);
                    std::memcpy(line[one] + k * Strip<V>::width, &kernel_value, sizeof kernel_value);
                }
            use(pair, at, here, line[0], line[1]);
        }
    }
}

// Too few rows to fill a vector: the same sums, one row at a time.
template <class V, class Use>
void few(const Panel<V>& panel, std::size_t first, const V* rows, std::size_t count, const PowerKernel& kernel,
         Use&& use) {
    for (std::size_t r = 0; r < count; ++r)
        for (std::size_t pair = first; 2 * pair < panel.count; ++pair) {
            V a{0}, b{0};
            for (std::size_t e = panel.start[pair]; e < panel.start[pair + 1]; ++e) {
                const V x = rows[r * panel.features + panel.feature[e]];
                a += x * panel.value[2 * e];
                b += x * panel.value[2 * e + 1];
            }
            a = power<V, V>(a, kernel);
            b = power<V, V>(b, kernel);
            use(pair, r, std::size_t{1}, &a, &b);
        }
}

template <class V, class Use>
void all_strips(const Panel<V>& panel, std::size_t first, const V* rows, std::size_t count, const PowerKernel& kernel,
                int threads, Use&& use) {
    constexpr std::size_t together = Strip<V>::rows;
    if (count < 4) return few(panel, first, rows, count, kernel, use);
    const std::size_t parts = (count + together - 1) / together;
    const std::size_t shares = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), 1, parts);
    const auto work = [&](std::size_t share) {
        const std::size_t from = parts * share / shares * together, to = parts * (share + 1) / shares * together;
        strips(panel, first, rows, from, std::min(to, count), kernel, use);
    };
    std::vector<std::thread> others;
    std::size_t started = 1;
    try {
        for (; started < shares; ++started) others.emplace_back(work, started);
    } catch (const std::system_error&) {  // no more threads: the rest is done here
    }
    work(0);
    for (std::size_t share = started; share < shares; ++share) work(share);
    for (std::thread& other : others) other.join();
}

// out[support][row], the kernel values themselves.
template <class V>
void products(const Panel<V>& panel, std::size_t first, const V* rows, std::size_t count, const PowerKernel& kernel,
              int threads, V* out) {
    all_strips(panel, first, rows, count, kernel, threads,
               [&](std::size_t pair, std::size_t at, std::size_t here, const V* a, const V* b) {
                   V* const line = out + 2 * (pair - first) * count + at;
                   std::copy(a, a + here, line);
                   if (2 * pair + 1 < panel.count) std::copy(b, b + here, line + count);
               });
}

// scores[unit][row] += sum over the terms of coefficient (k + constant), support by support.
template <class V>
void sums(const Panel<V>& panel, std::size_t first, const V* rows, std::size_t count, const PowerKernel& kernel,
          int threads, const Terms& terms, double* scores) {
    const auto add = [&](std::size_t support, std::size_t at, std::size_t here, const V* k) {
        for (std::int64_t e = terms.start[support]; e < terms.start[support + 1]; ++e) {
            double* const s = scores + static_cast<std::size_t>(terms.unit[e]) * count + at;
            const double c = terms.coefficient[e], constant = terms.constant;
            for (std::size_t r = 0; r < here; ++r) s[r] += c * (static_cast<double>(k[r]) + constant);
        }
    };
    all_strips(panel, first, rows, count, kernel, threads,
               [&](std::size_t pair, std::size_t at, std::size_t here, const V* a, const V* b) {
                   add(2 * pair, at, here, a);
                   if (2 * pair + 1 < panel.count) add(2 * pair + 1, at, here, b);
               });
}

}  // namespace rosenblatt::ROSENBLATT_ISA
