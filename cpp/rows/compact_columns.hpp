// Weights only for the columns that occur: words are hashed into millions of columns, of which some thousands occur.
// Their weights lie close together, and the others take no memory.
//
// A column is given a slot when it first occurs, in its own lane (core/lane_sum.hpp), and the entries of a row keep their
// order, so every sum is made of the same numbers in the same order: no bit depends on it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/memory/memory_pool.hpp"
#include "core/rows.hpp"
#include "core/hash_secret.hpp"
#include "learn/state/learner.hpp"
#include "learn/state/thread_access.hpp"

namespace rosenblatt {

// Column -> slot, an open-addressing hash table.
class Columns {
public:
    Columns() : table_(1024) {}
    Columns(const Columns&) = delete;

    std::size_t size() const { return column_.size(); }                        // slots, in use or not
    std::int64_t operator[](std::size_t slot) const { return column_[slot]; }  // its column, -1 where it has none

    // -1: the column has not occurred.
    std::int64_t find(std::size_t column) const { return table_[entry_of(column)].slot; }

    std::int32_t slot_of(std::size_t column) {
        const Entry& entry = table_[entry_of(column)];
        return entry.slot >= 0 ? entry.slot : add(column);
    }

    // Of many columns: nearly all are found at the first probe.
    template <class I>
    void slots_of(const I* columns, std::size_t count, std::int32_t* slots) {
        const Entry* table = table_.data();
        for (std::size_t k = 0; k < count; ++k) {
            const auto column = static_cast<std::int32_t>(columns[k]);
            const Entry entry = table[first_place(static_cast<std::size_t>(column))];
            if (entry.column == column) {
                slots[k] = entry.slot;
                continue;
            }
            slots[k] = slot_of(static_cast<std::size_t>(column));
            table = table_.data();
        }
    }

private:
    struct Entry {
        std::int32_t column = -1, slot = -1;
    };

    std::size_t first_place(std::size_t column) const { return static_cast<std::uint32_t>(column) * key_ >> shift_; }

    // Where a column is, or would be, in a table at most a quarter full.
    std::size_t entry_of(std::size_t column) const {
        std::size_t at = first_place(column);
        while (table_[at].column >= 0 && table_[at].column != static_cast<std::int32_t>(column)) at = (at + 1) & (table_.size() - 1);
        return at;
    }

    std::int32_t add(std::size_t column) {
        if (4 * ++occurred_ > table_.size()) {
            std::vector<Entry> smaller(4 * table_.size());
            smaller.swap(table_);
            shift_ -= 2;
            for (const Entry& entry : smaller)
                if (entry.column >= 0) table_[entry_of(static_cast<std::size_t>(entry.column))] = entry;
        }
        const std::size_t lane = column % lanes, slot = lanes * used_[lane]++ + lane;
        if (slot >= column_.size()) column_.resize(slot / lanes * lanes + lanes, -1);
        column_[slot] = static_cast<std::int32_t>(column);
        table_[entry_of(column)] = {static_cast<std::int32_t>(column), static_cast<std::int32_t>(slot)};
        return static_cast<std::int32_t>(slot);
    }

    std::vector<Entry> table_;
    int shift_ = 64 - 10;  // 2^10 entries at first
    const std::uint64_t key_ = hash_secret();
    std::size_t occurred_ = 0;
    std::vector<std::int32_t> column_;  // [slot]
    std::size_t used_[lanes] = {};      // slots of each lane
};

// Rows whose column numbers are replaced by slots, the entries still in the order of their columns. Sparse rows that are
// unsorted or name a column twice are sorted and added up, as MessyCsrReader does.
class CompactRows {
public:
    using ColumnSlots = std::vector<std::pair<std::size_t, std::size_t>>;  // (column, slot), sorted by column

    // For learning: a new column is given a slot.
    CompactRows(std::shared_ptr<Columns> by, const Rows& from) : columns(std::move(by)), rows(from) {
        if (from.canonical) with_indices([this](const auto* index) { replace_indices(index); });
        else rewrite([this](std::size_t column) { return columns->slot_of(column); });
        finish();
    }
    // For scoring: entries without a slot below `slots` are left out; they would add zeros.
    CompactRows(const Columns& by, const ColumnSlots& known, std::size_t slots, const Rows& from) : rows(from) {
        const auto slot_of = [&by, slots = static_cast<std::int64_t>(slots)](std::size_t column) {
            const std::int64_t slot = by.find(column);
            return slot < slots ? slot : -1;
        };
        if (!from.sparse) with_values([&](const auto* value) { select_columns(value, known); });
        else if (!from.canonical) rewrite(slot_of);
        else with_indices([&](const auto* index) { with_values([&](const auto* value) { select_entries(index, value, slot_of); }); });
        finish();
    }
    CompactRows(const CompactRows&) = delete;

    const std::shared_ptr<Columns> columns;
    Rows rows;
    std::size_t left_out = 0;  // entries without a slot

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
    void replace_indices(const I* index) {
        indices_.resize(rows.stored + 1);
        if (rows.private_indices) {
            const std::int64_t first = rows.starts[0];
            return columns->slots_of(index + first, rows.entries(), indices_.data() + first);
        }
        for (std::size_t k = 0; k < rows.stored; ++k) indices_[k] = static_cast<std::int32_t>(rows.column_of(index + k));
        columns->slots_of(indices_.data(), rows.stored, indices_.data());
    }

    template <class I, class V, class SlotOf>
    void select_entries(const I* index, const V* value, SlotOf slot_of) {
        const std::size_t entries = rows.entries();
        indices_.resize(entries + 1);
        values_.resize(entries + 1);
        starts_.push(0);
        std::size_t size = 0;
        for (std::size_t row = 0; row < rows.count; ++row) {
            const auto [from, to] = rows.entries_of(row);
            for (std::size_t k = from; k < to; ++k) {
                const std::int64_t slot = slot_of(static_cast<std::size_t>(rows.column_of(index + k)));
                indices_[size] = static_cast<std::int32_t>(slot);
                values_[size] = static_cast<double>(value[k]);
                size += slot >= 0;
            }
            starts_.push(static_cast<std::int64_t>(size));
        }
        left_out = entries - size;
        indices_.resize(size);
        values_.resize(size);
        use_own_values();
    }

    template <class SlotOf>
    void rewrite(SlotOf slot_of) {
        std::vector<std::pair<std::int64_t, std::size_t>> entries;
        starts_.push(0);
        with_indices([&](const auto* index) {
            with_values([&](const auto* value) {
                for (std::size_t row = 0; row < rows.count; ++row) {
                    entries.clear();
                    const auto [from, to] = rows.entries_of(row);
                    for (std::size_t k = from; k < to; ++k) entries.emplace_back(rows.column_of(index + k), k);
                    if (!rows.canonical) std::sort(entries.begin(), entries.end());
                    std::int64_t last_column = -1, slot = -1;
                    for (const auto& [column, k] : entries) {
                        if (column != last_column && (slot = slot_of(static_cast<std::size_t>(column))) >= 0) {
                            indices_.push(static_cast<std::int32_t>(slot));
                            values_.push(0.0);
                        }
                        if (slot >= 0) values_[values_.size() - 1] += static_cast<double>(value[k]);
                        else ++left_out;
                        last_column = column;
                    }
                    starts_.push(static_cast<std::int64_t>(indices_.size()));
                }
            });
        });
        use_own_values();
    }

    template <class V>
    void select_columns(const V* value, const ColumnSlots& known) {
        starts_.push(0);
        for (std::size_t row = 0; row < rows.count; ++row) {
            const V* const from = value + static_cast<std::ptrdiff_t>(row) * rows.row_stride;
            for (const auto& [column, slot] : known) {
                indices_.push(static_cast<std::int32_t>(slot));
                values_.push(static_cast<double>(from[static_cast<std::ptrdiff_t>(column) * rows.column_stride]));
            }
            starts_.push(static_cast<std::int64_t>(indices_.size()));
        }
        rows.sparse = true;
        use_own_values();
    }

    void use_own_values() {
        for (std::size_t k = 0; k < values_.size(); ++k) rows.largest = std::max(rows.largest, std::fabs(values_[k]));
        rows.starts = starts_.data();
        rows.values = values_.data();
        rows.single = false;
        rows.stored = indices_.size();
    }

    void finish() {
        rows.indices = indices_.data();
        rows.wide_indices = false;
        rows.private_indices = true;
        rows.canonical = true;  // as far as sums depend on it: no column twice, and in the order of their columns
        if (columns) rows.features = columns->size();
    }

    PooledVector<std::int32_t> indices_;
    PooledVector<double> values_;
    PooledVector<std::int64_t> starts_;
};

// A learner that may have weights only for the columns that occurred. From outside it has all the declared features.
struct CompactLearner : Learner {
    using Learner::Learner;
    std::shared_ptr<Columns> columns;  // null: a weight for every feature
    mutable Access access;

    void declare(std::size_t more) {
        if (!columns) return grow(more);
        if (more > std::numeric_limits<std::int32_t>::max()) throw std::bad_alloc();
        declared_features = std::max(declared_features, more);
    }
    // A weight for every slot, whichever learner caused it.
    void grow_to_columns() {
        const std::size_t declared = declared_features;
        grow(columns->size());
        declared_features = declared;
    }

    CompactRows::ColumnSlots column_slots() const {
        CompactRows::ColumnSlots known;
        known.reserve(features);
        if (declared_features <= 32 * features) {  // a look at every column is quicker than sorting
            std::vector<std::int32_t> slot_of(declared_features, -1);
            for (std::size_t slot = 0; slot < features; ++slot)
                if (static_cast<std::uint64_t>((*columns)[slot]) < declared_features)  // -1 is not
                    slot_of[static_cast<std::size_t>((*columns)[slot])] = static_cast<std::int32_t>(slot);
            for (std::size_t column = 0; column < declared_features; ++column)
                if (slot_of[column] >= 0) known.emplace_back(column, static_cast<std::size_t>(slot_of[column]));
            return known;
        }
        for (std::size_t slot = 0; slot < features; ++slot)
            if ((*columns)[slot] >= 0) known.emplace_back((*columns)[slot], slot);
        std::sort(known.begin(), known.end());
        return known;
    }

    // Expands what read(weights, bias) writes for this learner's own features, [unit][feature], to all declared features:
    // `absent` for a column that has not occurred.
    template <class Read>
    void expand(Read read, double absent, double* weights, double* bias) const {
        if (!columns) return read(weights, bias);
        const std::size_t units = rule.unit_count(), all = declared_features;
        Buffer compact(units * features, 0.0);
        read(compact.data(), bias);
        if (absent != 0.0) std::fill_n(weights, units * all, absent);
        const auto known = column_slots();
        for (std::size_t u = 0; u < units; ++u)
            for (const auto& [column, slot] : known) weights[u * all + column] = compact[u * features + slot];
    }
};

}  // namespace rosenblatt
