// The columns that a stream has met, of the very many that there may be: words are hashed into millions, and some thousands
// occur. Weights for those alone lie close together, and what is not used takes no memory.
//
// A column is given a place when it is first met, in its own lane (core/lane_sum.hpp), and the entries of a row keep their order, so
// that every sum is made of the same numbers in the same order: no bit depends on it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "learn/learner.hpp"
#include "core/pool.hpp"
#include "core/rows.hpp"

namespace rosenblatt {

class Columns {
public:
    Columns() : table_(1024) {}
    Columns(const Columns&) = delete;

    std::size_t size() const { return column_.size(); }                          // places, given or not
    std::int64_t operator[](std::size_t place) const { return column_[place]; }  // its column, -1 where it has none

    // -1: not met.
    std::int64_t find(std::size_t column) const { return table_[slot_of(column)].place; }

    std::int32_t place_of(std::size_t column) {
        const Slot& slot = table_[slot_of(column)];
        return slot.place >= 0 ? slot.place : added(column);
    }

    // Of many: nearly all are found where they are first looked for.
    template <class I>
    void places_of(const I* columns, std::size_t count, std::int32_t* places) {
        const Slot* table = table_.data();
        std::size_t mask = table_.size() - 1;
        for (std::size_t k = 0; k < count; ++k) {
            const auto column = static_cast<std::int32_t>(columns[k]);
            const Slot slot = table[static_cast<std::size_t>(column) & mask];
            if (slot.column == column) {
                places[k] = slot.place;
                continue;
            }
            places[k] = place_of(static_cast<std::size_t>(column));
            table = table_.data();
            mask = table_.size() - 1;
        }
    }

private:
    struct Slot {
        std::int32_t column = -1, place = -1;
    };

    // Where a column is, or would be, in a table of which a quarter at most is used. Columns are hashes, or numbers that
    // begin near 0: their lowest bits are as good as any.
    std::size_t slot_of(std::size_t column) const {
        std::size_t at = column & (table_.size() - 1);
        while (table_[at].column >= 0 && table_[at].column != static_cast<std::int32_t>(column)) at = (at + 1) & (table_.size() - 1);
        return at;
    }

    std::int32_t added(std::size_t column) {
        if (4 * ++met_ > table_.size()) {
            std::vector<Slot> smaller(4 * table_.size());
            smaller.swap(table_);
            for (const Slot& slot : smaller)
                if (slot.column >= 0) table_[slot_of(static_cast<std::size_t>(slot.column))] = slot;
        }
        const std::size_t lane = column % lanes, place = lanes * given_[lane]++ + lane;
        if (place >= column_.size()) column_.resize(place / lanes * lanes + lanes, -1);
        column_[place] = static_cast<std::int32_t>(column);
        table_[slot_of(column)] = {static_cast<std::int32_t>(column), static_cast<std::int32_t>(place)};
        return static_cast<std::int32_t>(place);
    }

    std::vector<Slot> table_;
    std::size_t met_ = 0;
    std::vector<std::int32_t> column_;
    std::size_t given_[lanes] = {};
};

// Rows by the places of their columns, the entries in the order of these. Sparse rows that are out of order or name a column
// twice are put in order, as MessyCsrReader does.
class Placed {
public:
    using Met = std::vector<std::pair<std::size_t, std::size_t>>;  // columns and their places, in the order of the columns

    // To learn from: a column that is new is given a place.
    Placed(std::shared_ptr<Columns> columns, const Rows& from) : by(std::move(columns)), rows(from) {
        if (from.canonical) with_indices([this](const auto* index) { place(index); });
        else write([this](std::size_t column) { return by->place_of(column); });
        settle();
    }
    // To look at: entries without a place below `places` are left out. They would add zeros.
    Placed(const Columns& columns, const Met& met, std::size_t places, const Rows& from) : rows(from) {
        if (from.sparse)
            write([&](std::size_t column) {
                const std::int64_t place = columns.find(column);
                return place < static_cast<std::int64_t>(places) ? place : -1;
            });
        else with_values([&](const auto* value) { pick(value, met); });
        settle();
    }
    Placed(const Placed&) = delete;

    const std::shared_ptr<Columns> by;
    Rows rows;

private:
    template <class F>
    void with_indices(F f) {
        if (rows.wide_indices) f(static_cast<const std::int64_t*>(rows.indices));
        else f(static_cast<const std::int32_t*>(rows.indices));
    }
    template <class F>
    void with_values(F f) {
        if (rows.single) f(static_cast<const float*>(rows.values));
        else f(static_cast<const double*>(rows.values));
    }

    template <class I>
    void place(const I* index) {
        indices_.reserve(rows.stored + 1);
        const std::int64_t first = rows.starts[0];
        by->places_of(index + first, rows.entries(), indices_.data() + first);
    }

    template <class PlaceOf>
    void write(PlaceOf place_of) {
        std::vector<std::pair<std::int64_t, std::int64_t>> entries;
        starts_.push(0);
        with_indices([&](const auto* index) {
            with_values([&](const auto* value) {
                for (std::size_t row = 0; row < rows.count; ++row) {
                    entries.clear();
                    for (std::int64_t k = rows.starts[row]; k < rows.starts[row + 1]; ++k) entries.emplace_back(index[k], k);
                    if (!rows.canonical) std::sort(entries.begin(), entries.end());
                    std::int64_t last = -1, at = -1;
                    for (const auto& [column, k] : entries) {
                        if (column != last && (at = place_of(static_cast<std::size_t>(column))) >= 0) {
                            indices_.push(static_cast<std::int32_t>(at));
                            values_.push(0.0);
                        }
                        if (at >= 0) values_[values_.size() - 1] += static_cast<double>(value[k]);
                        last = column;
                    }
                    starts_.push(static_cast<std::int64_t>(indices_.size()));
                }
            });
        });
        written();
    }

    template <class V>
    void pick(const V* value, const Met& met) {
        starts_.push(0);
        for (std::size_t row = 0; row < rows.count; ++row) {
            const V* const from = value + static_cast<std::ptrdiff_t>(row) * rows.row_stride;
            for (const auto& [column, place] : met) {
                indices_.push(static_cast<std::int32_t>(place));
                values_.push(static_cast<double>(from[static_cast<std::ptrdiff_t>(column) * rows.column_stride]));
            }
            starts_.push(static_cast<std::int64_t>(indices_.size()));
        }
        rows.sparse = true;
        written();
    }

    void written() {
        for (std::size_t k = 0; k < values_.size(); ++k) rows.largest = std::max(rows.largest, std::fabs(values_[k]));
        rows.starts = starts_.data();
        rows.values = values_.data();
        rows.single = false;
        rows.stored = indices_.size();
    }

    void settle() {
        rows.indices = indices_.data();
        rows.wide_indices = false;
        rows.canonical = true;  // as far as it matters: no column twice, and the order is the one wanted
        if (by) rows.features = by->size();
    }

    Grown<std::int32_t> indices_;
    Grown<double> values_;
    Grown<std::int64_t> starts_;
};

// A learner that may have weights only for the columns met; it is told and asked about all of them.
struct HeldLearner : Learner {
    using Learner::Learner;
    std::shared_ptr<Columns> columns;

    void grow_to(std::size_t more) {
        if (!columns) return grow(more);
        if (more > std::numeric_limits<std::int32_t>::max()) throw std::bad_alloc();
        told = std::max(told, more);
    }
    // A weight for every column met, by this learner or by another.
    void meet() {
        const std::size_t before = told;
        grow(columns->size());
        told = before;
    }

    // The columns met and their places, in the order of the columns.
    Placed::Met met() const {
        Placed::Met found;
        for (std::size_t place = 0; place < features; ++place)
            if ((*columns)[place] >= 0) found.emplace_back((*columns)[place], place);
        std::sort(found.begin(), found.end());
        return found;
    }

    // What read(weights, bias) writes for its own features, [unit][feature], for all features: `rest` where one was not met.
    template <class Read>
    void spread(Read read, double rest, double* weights, double* bias) const {
        if (!columns) return read(weights, bias);
        const std::size_t units = rule.unit_count(), all = told;
        Buffer near(units * features, 0.0);
        read(near.data(), bias);
        if (rest != 0.0) std::fill_n(weights, units * all, rest);
        const auto places = met();
        for (std::size_t u = 0; u < units; ++u)
            for (const auto& [column, place] : places) weights[u * all + column] = near[u * features + place];
    }
};

}  // namespace rosenblatt
