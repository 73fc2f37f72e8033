// The sums over a row. Each is taken in eight lanes keyed by feature index (feature j goes to lane j mod 8), in
// ascending order within a lane, and reduced by one tree. A feature that is absent, or zero, adds +-0 to its lane and
// leaves it as it is, so a dense row, the same row as CSR, and every instruction set give the same bits.
#pragma once

#include <utility>

#include "learn/state/learner.hpp"
#include "rows/row_readers.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// f(index, value) for every feature of a dense row, every entry of a sparse one.
template <class V, class F>
ROSENBLATT_INLINE void each(const DenseRow<V>& row, F&& f) {
    for (std::size_t j = 0; j < row.features; ++j) f(j, static_cast<double>(row.value[j]));
}

template <class I, class V, class F>
ROSENBLATT_INLINE void each(const SparseRow<I, V>& row, F&& f) {
    for (std::size_t k = 0; k < row.entries; ++k) f(row.column(k), static_cast<double>(row.value[k]));
}

// Up to eight values, padded with zeros.
template <class V>
ROSENBLATT_INLINE vec<8> first_block(const V* value, std::size_t count) {
    V block[8] = {};
    std::copy_n(value, std::min<std::size_t>(count, 8), block);
    return widen(block);
}

// Eight numbers, a register at a time: f(number of the register), as a constant.
inline constexpr std::size_t registers = 8 / natural;

template <class F>
ROSENBLATT_INLINE void each_register(F&& f) {
    [&]<std::size_t... part>(std::index_sequence<part...>) ROSENBLATT_ALWAYS {
        (f(std::integral_constant<std::size_t, part>{}), ...);
    }(std::make_index_sequence<registers>{});
}

// The features of a dense row, a register at a time: f(first index, values, number of the register in its block of eight),
// the last eight padded with zeros. Blocks of eight that are known to be zero are skipped.
template <class V, class F>
ROSENBLATT_INLINE void each_block(const DenseRow<V>& row, F&& f) {
    const std::size_t full = row.features / 8 * 8, full_blocks = row.blocks - (full < row.features);
    const auto eight = [&](std::size_t j, const V* value) ROSENBLATT_ALWAYS {
        each_register([&](auto part) ROSENBLATT_ALWAYS {
            f(j + part() * natural, widen<natural>(value + part() * natural), part);
        });
    };
    if (row.block)
        for (std::size_t b = 0; b < full_blocks; ++b) eight(row.block[b], row.value + row.block[b]);
    else
        for (std::size_t j = 0; j < full; j += 8) eight(j, row.value + j);
    if (full == row.features) return;
    V last[8] = {};
    std::copy_n(row.value + full, std::min<std::size_t>(row.features - full, 8), last);
    eight(full, last);
}

// The eight lanes of a sum, in registers. (The compiler would keep a wider vector in memory.)
struct Lanes {
    vec<natural> values[registers] = {};
    double sum() const {
        double lane[8];
        std::memcpy(lane, values, sizeof lane);
        return tree(lane);
    }
};

// One unit: sum over features of term(index, value), whose values are vectors on dense rows, doubles on sparse ones.
template <class V, class Term>
ROSENBLATT_INLINE double lane_sum(const DenseRow<V>& row, Term&& term) {
    Lanes lane;
    each_block(row, [&](std::size_t j, auto x, auto part) ROSENBLATT_ALWAYS { lane.values[part()] += term(j, x); });
    return lane.sum();
}

template <class I, class V, class Term>
ROSENBLATT_INLINE double lane_sum(const SparseRow<I, V>& row, Term&& term) {
    double lane[8] = {};
    each(row, [&](std::size_t j, double x) { lane[j & 7] += term(j, x); });
    return tree(lane);
}

// W interleaved units: the same sum for each, term gives all W at once.
template <int W, class V, class Term>
ROSENBLATT_INLINE vec<W> lane_sums(const DenseRow<V>& row, Term&& term) {
    vec<W> lane[8] = {};
    const std::size_t full_blocks = row.blocks - (row.features % 8 != 0);
    for (std::size_t b = 0; b < full_blocks; ++b) {
        const std::size_t j = row.block[b];
        for (std::size_t l = 0; l < 8; ++l) lane[l] += term(j + l, splat<vec<W>>(static_cast<double>(row.value[j + l])));
    }
    for (std::size_t j = row.features / 8 * 8, l = 0; j + l < row.features; ++l)
        lane[l] += term(j + l, splat<vec<W>>(static_cast<double>(row.value[j + l])));
    return tree(lane);
}

template <int W, class I, class V, class Term>
ROSENBLATT_INLINE vec<W> lane_sums(const SparseRow<I, V>& row, Term&& term) {
    vec<W> lane[8] = {};
    each(row, [&](std::size_t j, double x) { lane[j & 7] += term(j, splat<vec<W>>(x)); });
    return tree(lane);
}

// w.x for every unit of a group; W is the group's width.
template <int W, class Row>
ROSENBLATT_INLINE vec<W> dot(const Row& row, const Buffer& w) {
    const double* weight = w.data();
    if constexpr (W == 1)
        return lane_sum(row, [&](std::size_t j, auto x) { return load<decltype(x)>(weight + j) * x; });
    else
        return lane_sums<W>(row, [&](std::size_t j, auto x) { return load<vec<W>>(weight + j * W) * x; });
}

// x.x
template <class Row>
ROSENBLATT_INLINE double squared_norm(const Row& row) {
    return lane_sum(row, [](std::size_t, auto x) { return x * x; });
}

// The variance of the score when weight j has variance s[j]: sum of s[j] x[j]^2 (arow).
template <int W, class Row>
ROSENBLATT_INLINE vec<W> variance(const Row& row, const Buffer& s) {
    const double* variances = s.data();
    if constexpr (W == 1)
        return lane_sum(row, [&](std::size_t j, auto x) { return (load<decltype(x)>(variances + j) * x) * x; });
    else
        return lane_sums<W>(row, [&](std::size_t j, auto x) { return (load<vec<W>>(variances + j * W) * x) * x; });
}

// For updates: f(offset into the weights, values) for every entry, as wide a vector at a time as the layout allows. For one
// unit and a dense row, an f with a third parameter is given the number of the register in its block of eight.
// Zero blocks are skipped: an update by +-0 changes nothing.
template <int W, class V, class F>
ROSENBLATT_INLINE void each_weight(const DenseRow<V>& row, F&& f) {
    if constexpr (W == 1)
        each_block(row, [&](std::size_t j, auto x, auto part) ROSENBLATT_ALWAYS {
            if constexpr (requires { f(j, x, part); }) f(j, x, part);
            else f(j, x);
        });
    else
        for (std::size_t b = 0; b < row.blocks; ++b)
            for (std::size_t j = row.block[b], end = std::min(j + 8, row.features); j < end; ++j)
                f(j * W, splat<vec<W>>(static_cast<double>(row.value[j])));
}

template <int W, class I, class V, class F>
ROSENBLATT_INLINE void each_weight(const SparseRow<I, V>& row, F&& f) {
    each(row, [&](std::size_t j, double x) { f(j * W, splat<vec<W>>(x)); });
}

}  // namespace rosenblatt::ROSENBLATT_ISA
