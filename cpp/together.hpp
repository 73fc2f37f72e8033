// Dense rows and units kept apart: four rows are scored by all units while their weights pass through the cache once.
// A unit that changes at one of the rows scores the rest of them again, so every row meets the weights it should.
#pragma once

#include "visit.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

inline constexpr std::size_t rows_together = 4;
inline constexpr std::size_t units_together = natural == 8 ? 5 : 2;  // as many sums as the registers hold

struct Column {
    Group* group;
    bool changed;
    double s[rows_together];
};

// Four rows as doubles, block of eight by block of eight, without the blocks that are zero in all of them.
struct Packed {
    std::vector<std::uint32_t> block;  // first feature of each
    Buffer value;                      // [block][row][8]
    std::size_t blocks = 0;

    explicit Packed(std::size_t features)
        : block((features + 7) / 8), value(padded(features) * rows_together, 0.0) {}

    template <class V>
    void pack(const DenseRow<V> (&row)[rows_together]) {
        blocks = 0;
        std::size_t j = 0;
        for (; j + 8 <= row[0].features; j += 8) add(j, [&](std::size_t r) { return widen(row[r].value + j); });
        if (j < row[0].features) add(j, [&](std::size_t r) { return last_block(row[r], j); });
    }

private:
    template <class Values>
    ROSENBLATT_INLINE void add(std::size_t j, Values&& values) {
        double* const to = value.data() + blocks * (8 * rows_together);
        mask<8> all = {};
        for (std::size_t r = 0; r < rows_together; ++r) {
            const vec<8> x = values(r);
            mask<8> bits;
            std::memcpy(&bits, &x, sizeof x);
            all |= bits;
            store(to + 8 * r, x);
        }
        block[blocks] = static_cast<std::uint32_t>(j);
        blocks += any(all);
    }
};

// Asks for the memory of the next rows a few lines at a time: a burst would be dropped, and would idle in between.
class Ahead {
public:
    template <class Reader>
    Ahead(Reader& reader, const Order& order, std::size_t p, std::size_t bytes, std::size_t calls) {
        if (p + rows_together > order.count) return;
        for (std::size_t r = 0; r < rows_together; ++r) from_[r] = reinterpret_cast<const char*>(reader.at(p + r));
        bytes_ = bytes;
        lines_ = rows_together * (bytes / 64 + 1) / std::max<std::size_t>(calls, 1) + 1;
    }
    ROSENBLATT_INLINE void fetch() {
        for (std::size_t k = 0; k < lines_; ++k) {
            if (at_ > bytes_) {
                if (++row_ == rows_together) lines_ = 0;
                at_ = 0;
                if (lines_ == 0) return;
            }
            __builtin_prefetch(from_[row_] + at_, 0, 2);
            at_ += 64;
        }
    }

private:
    const char* from_[rows_together] = {};
    std::size_t bytes_ = 0, lines_ = 0, row_ = 0, at_ = 0;
};

// The scores of four rows by U units. The lanes of a sum are taken a register at a time; each lane is added up in
// ascending order of its features, as everywhere.
template <std::size_t U>
void score_together(const Packed& rows, Column* column, Ahead& ahead) {
    double lane[U][rows_together][8];
    for (std::size_t part = 0; part < 8; part += natural) {
        using T = vec<natural>;
        T sum[U][rows_together] = {};
        const double* weight[U];
        for (std::size_t u = 0; u < U; ++u) weight[u] = column[u].group->weights.feature.data() + part;
        const double* x = rows.value.data() + part;
        for (std::size_t b = 0; b < rows.blocks; ++b, x += 8 * rows_together) {
            if (part == 0) ahead.fetch();
            T w[U];
            for (std::size_t u = 0; u < U; ++u) w[u] = load<T>(weight[u] + rows.block[b]);
            for (std::size_t r = 0; r < rows_together; ++r) {
                const T of_row = load<T>(x + 8 * r);
                for (std::size_t u = 0; u < U; ++u) sum[u][r] += w[u] * of_row;
            }
        }
        for (std::size_t u = 0; u < U; ++u)
            for (std::size_t r = 0; r < rows_together; ++r) store(lane[u][r] + part, sum[u][r]);
    }
    for (std::size_t u = 0; u < U; ++u)
        for (std::size_t r = 0; r < rows_together; ++r)
            column[u].s[r] = tree(lane[u][r]) + column[u].group->weights.bias[0];
}

template <std::size_t U = units_together>
void score_columns(const Packed& rows, Column* column, std::size_t count, Ahead& ahead) {
    for (; count >= U; count -= U, column += U) score_together<U>(rows, column, ahead);
    if constexpr (U > 1) score_columns<U - 1>(rows, column, count, ahead);
}

}  // namespace rosenblatt::ROSENBLATT_ISA
