// Dense rows, four at a time: all units score them while their weights pass through the cache once. A unit that changes at
// one of the rows scores the rest of them again, so that every row gets the score it would get one row at a time.
#pragma once

#include "learn/filter/scorer_concept.hpp"
#include "learn/rules/score_decide_update.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

inline constexpr std::size_t block_rows = 4;
inline constexpr std::size_t units_at_once = natural == 8 ? 5 : 2;  // as many sums as the registers hold

// Prefetches the next rows a few lines at a time: the processor would drop a burst of prefetches.
class Prefetcher {
public:
    template <class Reader>
    Prefetcher(Reader& reader, const Order& order, std::size_t p, std::size_t bytes) {
        if (p + block_rows > order.count) return;
        for (std::size_t r = 0; r < block_rows; ++r) from_[r] = reinterpret_cast<const char*>(reader.at(p + r));
        lines_ = bytes / 64 + 1;
    }
    // Spreads this fraction of the remaining lines over the next `calls` calls of advance().
    void pace(double part, std::size_t calls) {
        due_ = done_ * one_line;
        const auto total = static_cast<std::size_t>(part * static_cast<double>((lines_ - done_) * one_line));
        step_ = total / std::max<std::size_t>(calls, 1);
    }
    ROSENBLATT_INLINE void advance() {
        for (due_ += step_; done_ * one_line < due_; ++done_)
            for (std::size_t r = 0; r < block_rows; ++r) __builtin_prefetch(from_[r] + 64 * done_, 0, 2);
    }

private:
    static constexpr std::size_t one_line = 1 << 16;  // in fixed point
    const char* from_[block_rows] = {};
    std::size_t lines_ = 0, done_ = 0, due_ = 0, step_ = 0;
};

// Four rows interleaved as numbers of type T, a cache line of each at a time. Lines that are zero in all four are left out.
template <class T>
class PackedRows {
public:
    static constexpr std::size_t width = 64 / sizeof(T);  // 8 doubles, 16 floats
    const std::size_t features;

    explicit PackedRows(std::size_t features_)
        : features(features_), eight_((features + 7) / 8), line_(width == 8 ? 0 : (features + width - 1) / width),
          values_((features + width - 1) / width * 8 * block_rows, 0.0) {}

    // How many lines there are, and their first features.
    std::size_t lines() const { return width == 8 ? eights_ : lines_; }
    std::size_t all_lines() const { return (features + width - 1) / width; }
    const std::uint32_t* line() const { return width == 8 ? eight_.data() : line_.data(); }

    // A line of a row, from its first feature on.
    const T* values(std::size_t j, std::size_t r) const {
        return reinterpret_cast<const T*>(values_.data()) + j * block_rows + r * width;
    }
    // The inner product of rows r >= q, as floats.
    float product(std::size_t r, std::size_t q) const { return product_[r * (r + 1) / 2 + q]; }

    // One of the rows in place, with the list of its blocks of eight where some are left out.
    template <class V>
    DenseRow<V> row(const V* value) const {
        return {value, features, eights_ < eight_.size() ? eight_.data() : nullptr, eights_};
    }

    template <class V>
    __attribute__((noinline)) void pack(const V* const (&row)[block_rows], Prefetcher& prefetch) {
        Writer to{eight_.data(), reinterpret_cast<T*>(values_.data())};
        std::uint32_t* const line = line_.data();
        std::size_t j = 0, lines = 0;
        for (; j + width <= features; j += width) {
            prefetch.advance();
            bool nonzero = false;
            for (std::size_t at = 0; at < width; at += 8)
                nonzero |= to.add(j + at, row, [](const V* from) { return widen(from); });
            if (width == 8) continue;
            line[lines] = static_cast<std::uint32_t>(j);
            lines += nonzero;
        }
        if (width > 8 && j < features) line[lines++] = static_cast<std::uint32_t>(j);
        for (; j < features; j += 8) {
            const bool nonzero = to.add(j, row, [&](const V* from) { return first_block(from, features - j); });
            to.eights += !nonzero && j + 8 > features;  // one that is not whole is always listed
        }
        lines_ = lines;
        eights_ = to.eights;
        for (std::size_t i = 0; i < pairs; ++i) product_[i] = to.product_of(i);
    }

private:
    static constexpr std::size_t pairs = block_rows * (block_rows + 1) / 2;

    // A local copy of the pointers, so that the compiler knows that no write changes them.
    struct Writer {
        std::uint32_t* eight;
        T* value;
        std::size_t eights = 0;
        vector_of<8>::narrow product[pairs] = {};

        // False: the block is zero in all four rows, and is left out.
        template <class V, class Values>
        ROSENBLATT_INLINE bool add(std::size_t j, const V* const (&row)[block_rows], Values&& values) {
            T* const to = value + j / width * width * block_rows + j % width;
            mask<8> all = {};
            [[maybe_unused]] vector_of<8>::narrow narrow[block_rows];
            for (std::size_t r = 0; r < block_rows; ++r) {
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
            eight[eights] = static_cast<std::uint32_t>(j);
            eights += any(all);
            return any(all);
        }
        float product_of(std::size_t i) const {
            float lane[8];
            std::memcpy(lane, &product[i], sizeof lane);
            return tree(lane);
        }
    };

    std::vector<std::uint32_t> eight_, line_;  // first features of the blocks, and lines, that are not left out
    Buffer values_;
    std::size_t eights_ = 0, lines_ = 0;
    float product_[pairs] = {};
};

// The rows of the next four positions in memory, and the prefetcher for those after them.
template <class Reader>
struct BlockRows {
    using V = typename Reader::Value;
    const V* value[block_rows];
    Prefetcher prefetch;

    BlockRows(Reader& reader, const Examples& examples, const Order& order, std::size_t p)
        : prefetch(reader, order, reader.load(p, block_rows) ? p + block_rows : order.count, examples.rows.features * sizeof(V)) {
        for (std::size_t r = 0; r < block_rows; ++r) {
            value[r] = reader.at(p + r);
            if (order.index && p + r + 32 < order.count) __builtin_prefetch(examples.labels + order[p + r + 32]);
        }
    }
};

// A unit and its exact scores of the four rows, in the unit of its weights.
struct ScoredUnit {
    Group* group;
    bool changed;  // since they were scored
    double s[block_rows];
};

// The scores of four rows by U units. The lanes of a sum are taken a register at a time; each lane is added up in
// ascending order of its features, as everywhere.
template <std::size_t U>
void score_units(const PackedRows<double>& rows, ScoredUnit* unit, Prefetcher& prefetch) {
    double lane[U][block_rows][8];
    for (std::size_t part = 0; part < 8; part += natural) {
        using T = vec<natural>;
        T sum[U][block_rows] = {};
        const double* weight[U];
        for (std::size_t u = 0; u < U; ++u) weight[u] = unit[u].group->weights.feature.data() + part;
        const std::uint32_t* const line = rows.line();
        for (std::size_t b = 0, lines = rows.lines(); b < lines; ++b) {
            if (part == 0) prefetch.advance();
            const std::size_t j = line[b];
            T w[U];
            for (std::size_t u = 0; u < U; ++u) w[u] = load<T>(weight[u] + j);
            for (std::size_t r = 0; r < block_rows; ++r) {
                const T x = load<T>(rows.values(j, r) + part);
                for (std::size_t u = 0; u < U; ++u) sum[u][r] += w[u] * x;
            }
        }
        for (std::size_t u = 0; u < U; ++u)
            for (std::size_t r = 0; r < block_rows; ++r) store(lane[u][r] + part, sum[u][r]);
    }
    for (std::size_t u = 0; u < U; ++u)
        for (std::size_t r = 0; r < block_rows; ++r)
            unit[u].s[r] = tree(lane[u][r]) + unit[u].group->weights.bias[0];
}

// Calls score(first unit, number of units as a constant) for as many units at once as the registers allow.
template <std::size_t U = units_at_once, class Unit, class Score>
void each_units_at_once(Unit* unit, std::size_t count, Score&& score) {
    for (; count >= U; count -= U, unit += U) score(unit, std::integral_constant<std::size_t, U>{});
    if constexpr (U > 1) each_units_at_once<U - 1>(unit, count, score);
}

// Packs four rows, then scores them by all units; the next four are prefetched meanwhile.
template <class T, class V, class Unit, class Score>
void pack_and_score(PackedRows<T>& packed, std::vector<Unit>& units, const V* const (&row)[block_rows], Prefetcher& prefetch,
                    Score&& score) {
    prefetch.pace(0.25, packed.all_lines());
    packed.pack(row, prefetch);
    prefetch.pace(1.0, packed.lines() * ((units.size() + units_at_once - 1) / units_at_once));
    each_units_at_once(units.data(), units.size(), score);
}

// The exact scores of four rows by units of any kind.
class ExactBlock {
public:
    static constexpr bool filters = false, unit_major = true;

    ExactBlock(const Examples& examples, const std::vector<Job>& jobs) : packed_(examples.rows.features) {
        for (const Job& job : jobs) {
            if (job.group) units_.push_back({job.group, false, {}});
            else
                for (Group& group : job.learner->groups) units_.push_back({&group, false, {}});
        }
    }
    template <class V>
    void score_block(const V* const (&row)[block_rows], Prefetcher& prefetch) {
        pack_and_score(packed_, units_, row, prefetch, [&](ScoredUnit* unit, auto U) { score_units<U()>(packed_, unit, prefetch); });
        for (ScoredUnit& unit : units_) unit.changed = false;
    }
    template <class V>
    DenseRow<V> select(std::size_t r, const V* value) {
        r_ = r;
        return packed_.row(value);
    }
    bool pays_off(std::size_t) const { return true; }

    template <int W, class Row>
    ROSENBLATT_INLINE Verdict filter(const Job&, const Example&, const Row&) const { return Verdict::undecided; }
    template <int W, class Row>
    ROSENBLATT_INLINE vec<W> score(const Job& job, const Group& group, const Row& row) const {
        const ScoredUnit& unit = units_[job.column(group)];
        return unit.changed ? ROSENBLATT_ISA::score<W>(row, group) : unit.s[r_] * group.weight_unit;
    }
    void moved(const Job&, double) const {}
    void changed(const Job& job, const Group& group) { units_[job.column(group)].changed = true; }

private:
    PackedRows<double> packed_;
    std::vector<ScoredUnit> units_;
    std::size_t r_ = 0;
};

}  // namespace rosenblatt::ROSENBLATT_ISA
