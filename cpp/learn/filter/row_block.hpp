// Dense rows and units kept apart: four rows are scored by all units while their weights pass through the cache once.
// A unit that changes at one of the rows scores the rest of them again, so every row meets the weights it should.
#pragma once

#include "learn/learn_example.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

inline constexpr std::size_t rows_together = 4;
inline constexpr std::size_t units_together = natural == 8 ? 5 : 2;  // as many sums as the registers hold

struct Column {
    Group* group;
    bool changed;
    double s[rows_together];
};

// Asks for the memory of the next rows a few lines at a time: a burst would be dropped, and would idle in between.
class Fetching {
public:
    template <class Reader>
    Fetching(Reader& reader, const Order& order, std::size_t p, std::size_t bytes) {
        if (p + rows_together > order.count) return;
        for (std::size_t r = 0; r < rows_together; ++r) from_[r] = reinterpret_cast<const char*>(reader.at(p + r));
        lines_ = bytes / 64 + 1;
    }
    // This part of what is left is asked for in the next so many calls.
    void pace(double part, std::size_t calls) {
        due_ = asked_ * one;
        const auto wanted = static_cast<std::size_t>(part * static_cast<double>((lines_ - asked_) * one));
        step_ = wanted / std::max<std::size_t>(calls, 1);
    }
    ROSENBLATT_INLINE void fetch() {
        for (due_ += step_; asked_ * one < due_; ++asked_)
            for (std::size_t r = 0; r < rows_together; ++r) __builtin_prefetch(from_[r] + 64 * asked_, 0, 2);
    }

private:
    static constexpr std::size_t one = 1 << 16;
    const char* from_[rows_together] = {};
    std::size_t lines_ = 0, asked_ = 0, due_ = 0, step_ = 0;
};

// Four rows side by side as numbers of type T, a cache line of each at a time, and which blocks are not all zero.
template <class T>
class Packed {
public:
    static constexpr std::size_t width = 64 / sizeof(T);  // 8 doubles, 16 floats
    const std::size_t features;

    explicit Packed(std::size_t features_)
        : features(features_), eight_((features + 7) / 8), line_(width == 8 ? 0 : (features + width - 1) / width),
          room_((features + width - 1) / width * 8 * rows_together, 0.0) {}

    // The lines that are not zero in all the rows: their first features.
    std::size_t lines() const { return width == 8 ? eights_ : lines_; }
    std::size_t all_lines() const { return (features + width - 1) / width; }
    const std::uint32_t* line() const { return width == 8 ? eight_.data() : line_.data(); }

    // A line of a row, from its first feature on.
    const T* values(std::size_t j, std::size_t r) const {
        return reinterpret_cast<const T*>(room_.data()) + j * rows_together + r * width;
    }
    // The inner product of two rows as floats, the first not before the second.
    float product(std::size_t r, std::size_t q) const { return product_[r * (r + 1) / 2 + q]; }

    // One of the rows where it lies; where some blocks of eight are zero, with those that are not.
    template <class V>
    DenseRow<V> row(const V* value) const {
        return {value, features, eights_ < eight_.size() ? eight_.data() : nullptr, eights_};
    }

    template <class V>
    __attribute__((noinline)) void pack(const V* const (&row)[rows_together], Fetching& ahead) {
        Filling to{eight_.data(), reinterpret_cast<T*>(room_.data())};
        std::uint32_t* const line = line_.data();
        std::size_t j = 0, found = 0;
        for (; j + width <= features; j += width) {
            ahead.fetch();
            bool any_of_line = false;
            for (std::size_t at = 0; at < width; at += 8)
                any_of_line |= to.add(j + at, row, [](const V* of) { return widen(of); });
            if (width == 8) continue;
            line[found] = static_cast<std::uint32_t>(j);
            found += any_of_line;
        }
        if (width > 8 && j < features) line[found++] = static_cast<std::uint32_t>(j);
        for (; j < features; j += 8) {
            const bool any_of_last = to.add(j, row, [&](const V* of) { return first_block(of, features - j); });
            to.found += !any_of_last && j + 8 > features;  // one that is not whole is always listed
        }
        lines_ = found;
        eights_ = to.found;
        for (std::size_t i = 0; i < pairs; ++i) product_[i] = to.product_of(i);
    }

private:
    static constexpr std::size_t pairs = rows_together * (rows_together + 1) / 2;

    // By itself, so that the compiler sees that what is written does not change where it is written.
    struct Filling {
        std::uint32_t* eight;
        T* value;
        std::size_t found = 0;
        vector_of<8>::narrow product[pairs] = {};

        // True if the block is not zero in all the rows.
        template <class V, class Values>
        ROSENBLATT_INLINE bool add(std::size_t j, const V* const (&row)[rows_together], Values&& values) {
            T* const to = value + j / width * width * rows_together + j % width;
            mask<8> all = {};
            [[maybe_unused]] vector_of<8>::narrow narrow[rows_together];
            for (std::size_t r = 0; r < rows_together; ++r) {
                const vec<8> x = values(row[r] + j);
                mask<8> bits;
                std::memcpy(&bits, &x, sizeof x);
                all |= bits;
                if constexpr (width == 8) store(to + r * width, x);
                else {
                    narrow[r] = store_narrow<8>(to + r * width, x);
                    for (std::size_t q = 0; q <= r; ++q) product[r * (r + 1) / 2 + q] += narrow[r] * narrow[q];
                }
            }
            eight[found] = static_cast<std::uint32_t>(j);
            found += any(all);
            return any(all);
        }
        float product_of(std::size_t i) const {
            float of[8];
            std::memcpy(of, &product[i], sizeof of);
            return tree(of);
        }
    };

    std::vector<std::uint32_t> eight_, line_;
    Buffer room_;
    std::size_t eights_ = 0, lines_ = 0;
    float product_[pairs] = {};
};

// The scores of four rows by U units. The lanes of a sum are taken a register at a time; each lane is added up in
// ascending order of its features, as everywhere.
template <std::size_t U>
void score_together(const Packed<double>& rows, Column* column, Fetching& ahead) {
    double lane[U][rows_together][8];
    for (std::size_t part = 0; part < 8; part += natural) {
        using T = vec<natural>;
        T sum[U][rows_together] = {};
        const double* weight[U];
        for (std::size_t u = 0; u < U; ++u) weight[u] = column[u].group->weights.feature.data() + part;
        const std::uint32_t* const line = rows.line();
        for (std::size_t b = 0, lines = rows.lines(); b < lines; ++b) {
            if (part == 0) ahead.fetch();
            const std::size_t j = line[b];
            T w[U];
            for (std::size_t u = 0; u < U; ++u) w[u] = load<T>(weight[u] + j);
            for (std::size_t r = 0; r < rows_together; ++r) {
                const T of_row = load<T>(rows.values(j, r) + part);
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
void score_columns(const Packed<double>& rows, Column* column, std::size_t count, Fetching& ahead) {
    for (; count >= U; count -= U, column += U) score_together<U>(rows, column, ahead);
    if constexpr (U > 1) score_columns<U - 1>(rows, column, count, ahead);
}

}  // namespace rosenblatt::ROSENBLATT_ISA
