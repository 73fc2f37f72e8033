// The columns that a stream has met, of the very many that there may be: words are hashed into millions, and some thousands
// occur. Weights for those alone lie close together, and what is not used takes no memory.
//
// A column is given a place when it is first met, in its own lane (lanes.hpp), and the entries of a row keep their order, so
// that every sum is made of the same numbers in the same order: no bit depends on it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "learner.hpp"
#include "pool.hpp"
#include "rows.hpp"

namespace rosenblatt {

class Columns {
public:
    explicit Columns(std::size_t features) { grow(features); }
    Columns(const Columns&) = delete;

    std::size_t features() const { return features_; }                // that there may be
    std::size_t size() const { return column_.size(); }               // places, given or not
    std::int64_t operator[](std::size_t place) const { return column_[place]; }  // its column, -1 where it has none

    void grow(std::size_t features) {
        if (features <= features_) return;
        if (features > std::numeric_limits<std::int32_t>::max()) throw std::bad_alloc();
        // Zeros that nobody has looked at take no memory: the table costs as much as there are columns met.
        std::unique_ptr<std::int32_t[], Free> larger(static_cast<std::int32_t*>(std::calloc(features, sizeof(std::int32_t))));
        if (!larger) throw std::bad_alloc();
        for (std::size_t place = 0; place < column_.size(); ++place)
            if (column_[place] >= 0) larger[column_[place]] = static_cast<std::int32_t>(place + 1);
        place_ = std::move(larger);
        features_ = features;
    }

    std::int32_t place_of(std::size_t column) {
        if (place_[column] == 0) place_[column] = added(column);
        return place_[column] - 1;
    }

private:
    struct Free {
        void operator()(std::int32_t* p) const { std::free(p); }
    };

    std::int32_t added(std::size_t column) {
        const std::size_t lane = column % lanes, place = lanes * given_[lane]++ + lane;
        if (place >= column_.size()) column_.resize(place / lanes * lanes + lanes, -1);
        column_[place] = static_cast<std::int32_t>(column);
        return static_cast<std::int32_t>(place + 1);
    }

    std::size_t features_ = 0;
    std::unique_ptr<std::int32_t[], Free> place_;  // one more than the place; 0: not met
    std::vector<std::int32_t> column_;
    std::size_t given_[lanes] = {};
};

// Sparse rows by the places of their columns. Rows that are out of order or name a column twice are put in order first.
class Placed {
public:
    Placed(std::shared_ptr<Columns> by, const Rows& rows) : by(std::move(by)), rows(rows) {
        const auto indices = [&](auto index) {
            if (rows.canonical) place<decltype(index)>();
            else if (rows.single) sort<decltype(index), float>();
            else sort<decltype(index), double>();
        };
        if (rows.wide_indices) indices(std::int64_t{});
        else indices(std::int32_t{});
        this->rows.indices = indices_.data();
        this->rows.wide_indices = false;
        this->rows.features = this->by->size();
        this->rows.canonical = true;  // as far as it matters: no column twice, and the order is the one wanted
    }
    Placed(const Placed&) = delete;

    const std::shared_ptr<Columns> by;
    Rows rows;

private:
    template <class I>
    void place() {
        const auto* const index = static_cast<const I*>(rows.indices);
        indices_.reserve(rows.stored + 1);
        for (std::int64_t k = rows.starts[0]; k < rows.starts[rows.count]; ++k)
            indices_[static_cast<std::size_t>(k)] = by->place_of(static_cast<std::size_t>(index[k]));
    }

    template <class I, class V>
    void sort() {
        const auto* const index = static_cast<const I*>(rows.indices);
        const auto* const value = static_cast<const V*>(rows.values);
        std::vector<std::pair<std::int64_t, std::int64_t>> entries;
        indices_.reserve(rows.stored + 1);
        values_.reserve(rows.stored + 1);
        starts_.push(0);
        for (std::size_t row = 0; row < rows.count; ++row) {
            entries.clear();
            for (std::int64_t k = rows.starts[row]; k < rows.starts[row + 1]; ++k) entries.emplace_back(index[k], k);
            std::sort(entries.begin(), entries.end());
            std::int64_t last = -1;
            for (const auto& [column, k] : entries) {
                if (column != last) {
                    indices_.push(by->place_of(static_cast<std::size_t>(column)));
                    values_.push(0.0);
                }
                values_[values_.size() - 1] += static_cast<double>(value[k]);
                last = column;
            }
            starts_.push(static_cast<std::int64_t>(indices_.size()));
        }
        for (std::size_t k = 0; k < values_.size(); ++k) rows.largest = std::max(rows.largest, std::fabs(values_[k]));
        rows.starts = starts_.data();
        rows.values = values_.data();
        rows.single = false;
        rows.stored = indices_.size();
    }

    Grown<std::int32_t> indices_;
    Grown<double> values_;
    Grown<std::int64_t> starts_;
};

// A learner that may have weights only for the columns met; it is told and asked about all of them.
struct HeldLearner : Learner {
    using Learner::Learner;
    std::shared_ptr<Columns> columns;

    std::size_t all_features() const { return columns ? columns->features() : features; }
    void grow_to(std::size_t more) {
        if (!columns) return grow(more);
        columns->grow(more);
        told = std::max(told, more);
    }
    // A weight for every column met, by this learner or by another.
    void meet() {
        const std::size_t before = told;
        grow(columns->size());
        told = before;
    }

    // The columns met and their places, in the order of the columns.
    std::vector<std::pair<std::size_t, std::size_t>> met() const {
        std::vector<std::pair<std::size_t, std::size_t>> found;
        for (std::size_t place = 0; place < features; ++place)
            if ((*columns)[place] >= 0) found.emplace_back((*columns)[place], place);
        std::sort(found.begin(), found.end());
        return found;
    }

    // What read(weights, bias) writes for its own features, [unit][feature], for all features: `rest` where one was not met.
    template <class Read>
    void spread(Read read, double rest, double* weights, double* bias) const {
        if (!columns) return read(weights, bias);
        const std::size_t units = rule.unit_count(), all = columns->features();
        Buffer near(units * features, 0.0);
        read(near.data(), bias);
        if (rest != 0.0) std::fill_n(weights, units * all, rest);
        const auto places = met();
        for (std::size_t u = 0; u < units; ++u)
            for (const auto& [column, place] : places) weights[u * all + column] = near[u * features + place];
    }
};

}  // namespace rosenblatt
