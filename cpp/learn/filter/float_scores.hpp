// Dense rows and units kept apart, looked at in single precision: four rows are scored by all units while their weights,
// rounded to floats, pass through the cache once. Most decisions are certain then (learn/filter/error_bounds.hpp) and the others are
// made exactly. A unit that moves by a multiple of one of the rows says of the others what it said, and that multiple of
// their inner product with the row; one that changes otherwise looks at the rest of the four rows again.
#pragma once

#include "learn/filter/error_bounds.hpp"
#include "learn/filter/row_block.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

typedef float floats __attribute__((vector_size(2 * natural * sizeof(float))));
typedef float four_floats __attribute__((vector_size(4 * sizeof(float))));
inline constexpr std::size_t floats_wide = 2 * natural;

ROSENBLATT_INLINE floats load_floats(const float* from) {
    floats value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// The sum of the elements of each of four vectors. All four are stored at once, as they will be loaded.
ROSENBLATT_INLINE void sums_of_four(const floats (&of)[4], float (&sum)[4]) {
    four_floats folded[4];
    for (int i = 0; i < 4; ++i) {
        four_floats part[floats_wide / 4];
        std::memcpy(part, &of[i], sizeof of[i]);
        for (std::size_t half = floats_wide / 8; half > 0; half /= 2)
            for (std::size_t k = 0; k < half; ++k) part[k] += part[k + half];
        folded[i] = part[0];
    }
    four_floats place[4];
    for (int k = 0; k < 4; ++k) place[k] = four_floats{folded[0][k], folded[1][k], folded[2][k], folded[3][k]};
    const four_floats all = (place[0] + place[2]) + (place[1] + place[3]);
    std::memcpy(sum, &all, sizeof all);
}

// How far a sum of `lines` cache lines of floats can be from the exact score, in units of |w| |x|: a rounding of each
// factor, of each product and of each addition (Higham 2002, 3.1, with Cauchy and Schwarz). A score that has followed the
// unit's steps a x' errs by as much in units of |w| |x| + |a| |x'| |x|, and by one more rounding for each of the steps,
// three at most: the norm of the unit counts them all. (Inner products of rows are summed eight floats wide.) Twice that
// covers what is of second order, the rounding of the norms, and the exact sum's own, as long as there are no more
// features than this.
inline constexpr std::size_t narrow_features = std::size_t{1} << 24;

inline double relative_distance(std::size_t lines) {
    return static_cast<double>(lines * (16 / std::min<std::size_t>(floats_wide, 8)) + 12) * 0x1p-23;
}

// A length, infinite where a product of two may overflow as a float: nothing is certain then.
inline double bounded(double norm) { return norm < 1e18 ? norm : std::numeric_limits<double>::infinity(); }

// The length of a vector, at least: nothing is lost by numbers that vanish as floats.
inline double norm_at_least(double squares, std::size_t features) {
    return bounded(std::sqrt(squares) + std::sqrt(static_cast<double>(features)) * 0x1p-60);
}

// A unit's weights as floats.
struct NarrowColumn {
    Group* group;
    Looking looking;
    Buffer room;
    double norm = 0.0;        // no shorter than the weights
    unsigned moves = 0;       // since it was measured
    alignas(16) float s[rows_together] = {};

    NarrowColumn(const Learner& learner, Group& group_, double largest)
        : group(&group_), looking(learner, largest), room((group_.weights.feature.size() + 16 + 63) / 64 * 32, 0.0) {
        round();
        measure();
    }
    float* weights() { return reinterpret_cast<float*>(room.data()); }

    void round() {
        const Buffer& exact = group->weights.feature;
        for (std::size_t j = 0; j < exact.size(); j += natural)
            store_narrow<natural>(weights() + j, load<vec<natural>>(exact.data() + j));
    }
    // Plain steps, by no more than `length` each, are only added: the sum of a few is little too long.
    void moved(double length) {
        norm = bounded(norm + length);
        ++moves;
    }
    // Scores that have followed steps rest on the norm from before them, so it is measured between the rows only.
    void measure_sometimes() {
        if (moves >= 32) measure();
    }
    __attribute__((noinline)) void measure() {
        moves = 0;
        floats squares[4] = {};
        float sum[4];
        for (std::size_t j = 0; j < room.size() * 2; j += 4 * floats_wide)
            for (std::size_t i = 0; i < 4; ++i) {
                const floats w = load_floats(weights() + j + i * floats_wide);
                squares[i] += w * w;
            }
        sums_of_four(squares, sum);
        norm = norm_at_least((sum[0] + sum[1]) + (sum[2] + sum[3]), room.size() * 2);
    }
};

// The exact score of the old weights, and the new ones rounded.
struct HeardNarrow {
    float* to;
    Lanes lane = {};
    template <class Part>
    ROSENBLATT_INLINE void operator()(std::size_t j, vec<natural> w, vec<natural> x, vec<natural> moved, Part part) {
        lane.of[part()] += w * x;
        store_narrow<natural>(to + j, moved);
    }
    double score() const { return lane.sum(); }
};

// Four rows by U units.
template <std::size_t U>
void look_together(const Packed<float>& rows, NarrowColumn* column, Fetching& ahead) {
    floats sum[U][rows_together];
    const float* weight[U];
    for (std::size_t u = 0; u < U; ++u) {
        weight[u] = column[u].weights();
        for (floats& of_row : sum[u]) of_row = floats{};
    }
    const std::uint32_t* const line = rows.line();
    for (std::size_t b = 0, lines = rows.lines(); b < lines; ++b) {
        ahead.fetch();
        const std::size_t j = line[b];
        for (std::size_t part = 0; part < 16; part += floats_wide) {
            floats w[U];
            for (std::size_t u = 0; u < U; ++u) w[u] = load_floats(weight[u] + j + part);
            for (std::size_t r = 0; r < rows_together; ++r) {
                const floats x = load_floats(rows.values(j, r) + part);
                for (std::size_t u = 0; u < U; ++u) sum[u][r] += w[u] * x;
            }
        }
    }
    for (std::size_t u = 0; u < U; ++u) sums_of_four(sum[u], column[u].s);
}

template <std::size_t U = units_together>
void look_at_columns(const Packed<float>& rows, NarrowColumn* column, std::size_t count, Fetching& ahead) {
    for (; count >= U; count -= U, column += U) look_together<U>(rows, column, ahead);
    if constexpr (U > 1) look_at_columns<U - 1>(rows, column, count, ahead);
}

// Four rows are packed, then scored by all units; the next four are asked for meanwhile.
template <class V>
void pack_and_look(Packed<float>& packed, std::vector<NarrowColumn>& columns, const V* const (&row)[rows_together],
                   Fetching& ahead) {
    ahead.pace(0.25, packed.all_lines());
    packed.pack(row, ahead);
    ahead.pace(1.0, packed.lines() * ((columns.size() + units_together - 1) / units_together));
    look_at_columns(packed, columns.data(), columns.size(), ahead);
}

// The last `Rest` of the four rows once more, by a unit that has changed.
template <std::size_t Rest>
void look_again(const Packed<float>& rows, NarrowColumn& column) {
    constexpr std::size_t first = rows_together - Rest;
    floats sum[4] = {};
    const std::uint32_t* const line = rows.line();
    const float* const weight = column.weights();
    for (std::size_t b = 0, lines = rows.lines(); b < lines; ++b)
        for (std::size_t part = 0; part < 16; part += floats_wide) {
            const floats w = load_floats(weight + line[b] + part);
            for (std::size_t r = 0; r < Rest; ++r)
                sum[first + r] += w * load_floats(rows.values(line[b], first + r) + part);
        }
    sums_of_four(sum, column.s);
}

static_assert(rows_together == 4);

// A unit that has changed at row `r` otherwise than by a multiple of it.
inline void look_at_rest(const Packed<float>& rows, NarrowColumn& column, std::size_t r) {
    column.measure();
    if (r == 0) look_again<3>(rows, column);
    if (r == 1) look_again<2>(rows, column);
    if (r == 2) look_again<1>(rows, column);
}

}  // namespace rosenblatt::ROSENBLATT_ISA
