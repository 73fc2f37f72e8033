// One row at a time, for a learner in an event loop: checked, then learned or scored, in microseconds.
#pragma once

#include <stdexcept>
#include <string>

#include "learn/state/save_restore.hpp"
#include "rows/function_table.hpp"

namespace rosenblatt {

inline Rows dense_row(const double* values, std::size_t features) {
    Rows rows;
    rows.count = 1;
    rows.features = features;
    rows.values = values;
    rows.row_stride = static_cast<std::ptrdiff_t>(features);
    rows.column_stride = 1;
    return rows;
}

struct OneSparseRow : Rows {
    std::int64_t ends[2];

    // Throws if a feature lies beyond `limit`.
    OneSparseRow(const std::int64_t* index, const double* value, std::size_t entries, std::size_t limit = max_features)
        : ends{0, static_cast<std::int64_t>(entries)} {
        count = 1;
        sparse = wide_indices = true;
        starts = ends;
        indices = index;
        stored = entries;
        values = value;
        for (std::size_t k = 0; k < entries; ++k)
            features = std::max(features, static_cast<std::size_t>(std::max<std::int64_t>(index[k], 0)) + 1);
        if (features > limit)
            throw std::invalid_argument("Feature index " + std::to_string(features - 1) + " is beyond the " +
                                        std::to_string(limit) + " features that this learner may have: hash the features, or set n_features.");
    }
    OneSparseRow(const OneSparseRow&) = delete;
};

inline void throw_fault(const Fault& fault) {
    const std::string at = std::to_string(fault.column);
    switch (fault.kind) {
        case Fault::none: return;
        case Fault::not_a_number: throw std::invalid_argument("The example contains NaN at index " + at + ".");
        case Fault::infinite: throw std::invalid_argument("The example contains infinity at index " + at + ".");
        default: throw std::invalid_argument("The example has the negative feature index " + at + ".");
    }
}

// True if it was a mistake.
inline bool learn_one(Learner& learner, Rows&& rows, bool positive, double weight) {
    throw_fault(native().rows->check(rows));
    if (may_overflow(learner, 1.0, rows.largest, weight))
        throw std::overflow_error("The weights would overflow: scale the features, or lower eta0.");
    learner.grow(rows.features);
    const std::int32_t label = positive;
    Examples examples;
    examples.rows = rows;
    examples.labels = &label;
    examples.classes = 2;
    examples.sample_weight = &weight;
    examples.count = examples.training_count = 1;
    std::vector<Learner*> learners{&learner};
    const std::uint64_t before = mistakes_made(learner);
    native().learn->pass(examples, learners, 0, 1, 1);
    return mistakes_made(learner) != before;
}

// Features that the learner does not have yet weigh nothing: they are left out.
inline double score_one(const Learner& learner, Rows&& rows, bool average) {
    throw_fault(native().rows->check(rows));
    if (rows.features <= learner.features) return native().learn->score_one(learner, rows, average);
    if (!rows.sparse) {
        rows.features = learner.features;
        return native().learn->score_one(learner, rows, average);
    }
    std::vector<std::int64_t> index;
    std::vector<double> value;
    for (std::size_t k = 0; k < rows.stored; ++k)
        if (const auto j = static_cast<const std::int64_t*>(rows.indices)[k];
            static_cast<std::size_t>(j) < learner.features) {
            index.push_back(j);
            value.push_back(static_cast<const double*>(rows.values)[k]);
        }
    OneSparseRow known(index.data(), value.data(), index.size());
    known.canonical = rows.canonical;
    return native().learn->score_one(learner, known, average);
}

}  // namespace rosenblatt
