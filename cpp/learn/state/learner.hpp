// The state of a learner. Its next result depends on nothing else, and all of it can be saved and restored.
//
// For sparse rows, units are interleaved in groups of up to eight: a group stores its weights as [feature][unit], so a
// feature costs one cache line for eight classes. For dense rows each unit is a group of its own (unit-major): its weights
// are contiguous like the row, and a unit that has just changed is scored again alone. Both work with every layout of rows.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/memory/buffer.hpp"
#include "learn/state/label_sets.hpp"
#include "learn/rules/rule_options.hpp"
#include "learn/state/score_sample.hpp"

namespace rosenblatt {

inline constexpr std::size_t lanes = 8;

inline constexpr std::size_t padded(std::size_t features) { return (features + lanes - 1) / lanes * lanes; }

// The weights of a group's units, and their biases: a bias is the weight of the constant 1 and is treated like any other.
struct Weights {
    Buffer feature;  // [padded features][width]
    Buffer bias;     // [width]

    bool empty() const { return bias.size() == 0; }
    void reserve(std::size_t features, std::size_t width) { feature.reserve(padded(features) * width); }
    void shape(std::size_t features, std::size_t width, double fill) {
        feature.resize(padded(features) * width, fill);
        bias.resize(width, fill);
    }
};

struct LogEntry {
    std::uint64_t t;         // examples visited before this one
    std::uint64_t row;
    std::uint32_t unit;
    double coefficient;      // the factor of the example in the update
};

// Gallant's pocket, for one unit (or for all of them when they decide jointly: then the first unit's).
struct Pocket {
    std::uint64_t run = 0;       // consecutive rows without a mistake by the current weights
    std::uint64_t best_run = 0;
    double errors = std::numeric_limits<double>::infinity();
    bool counted = false;        // the errors of the current weights over all rows are known
    bool in_pocket = false;      // the current weights are the ones in the pocket
};

struct Group {
    std::size_t first = 0;   // number of its first unit
    std::size_t units = 0;
    std::size_t width = 1;   // 1, 4 or 8: units, rounded up to a vector

    Weights weights;
    Weights drift;           // sum of t * change; the average is weights - drift / t
    Weights scale;           // adagrad: sums of squared gradients; arow: variances
    Weights pending;         // gradient of the unfinished batch
    Weights pocket;

    std::vector<std::uint8_t> touched;        // features of the unfinished batch, so that a step visits only them
    std::vector<std::uint32_t> touched_list;
    bool touched_all = false;

    double weight_unit = 1.0, scale_unit = 1.0;  // of what is stored, where it fades (learn/rules/forgetting.hpp)
    double recent = 0.0;                         // examples visited, each counting as much as is not yet forgotten
    double average_unit = 1.0;                   // weights - drift / t, times this, is the average

    void raise_bound(std::size_t unit, double at_least) {
        unit_bounds[unit] = std::max(unit_bounds[unit], at_least);
        bound = std::max(bound, at_least);
    }

    void note_overflow(std::size_t row) {
        if (overflow_row >= 0) return;
        overflow_row = static_cast<std::int64_t>(row);
        overflow_t = t;
    }

    void set_unit(const Rule& rule, double unit) {
        (rule.fades_weights() ? weight_unit : scale_unit) = unit;
        average_unit = recent > 0 ? static_cast<double>(t) / recent : 1.0;
    }

    std::uint64_t t = 0;          // examples visited
    std::uint64_t step = 0;       // batch steps made; the rates count these
    std::uint64_t in_batch = 0;   // examples in the unfinished batch
    std::vector<std::uint64_t> mistakes;
    std::vector<double> loss;
    std::vector<Pocket> pockets;
    std::vector<LogEntry> log;
    std::vector<double> unit_bounds;          // [width] no weight of the unit is larger in absolute value; alike in every layout
    double bound = 0.0;                       // the largest of them
    double largest_variance = 1.0;            // arow: no variance of the learner is larger; they never grow
    double largest_target = 0.0;              // of numbers: no target so far is larger in absolute value
    std::int64_t overflow_row = -1;           // the row at which a score may first have overflowed, or a run has diverged
    std::uint64_t overflow_t = 0;             // examples visited before it
};

struct Learner {
    Rule rule;
    std::size_t features = 0;
    std::size_t declared_features = 0; // more than `features` where only columns that occurred have weights (rows/compact_columns.hpp)
    std::vector<Group> groups;
    std::vector<double> signs;         // [class][unit]: +1, -1, or 0 where the class does not concern the unit
    std::vector<double> class_weight;  // [class]; of a label, for the examples that have it and the unit that decides about it
    bool weighs_labels = false;
    std::size_t sign_stride = 0;
    std::shared_ptr<LabelSets> label_sets;  // where each unit decides about one label, and an example may have several
    bool measures_error = false;       // progressive error: what would have been predicted before each update
    double wrong_weight = 0.0;         // of the examples predicted wrongly
    double total_weight = 0.0;         // of all examples predicted
    double squared_error = 0.0, absolute_error = 0.0, pinball_error = 0.0;  // of numbers (learn/scores/progressive_error.hpp)
    std::vector<double> levels;        // of numbers: the quantile that each unit predicts; 0.5 if it predicts no quantile
    ScoreSample sample;                // of the scores they were predicted by

    Learner(const Rule& rule_, std::size_t features_, std::vector<double> class_weight_, bool unit_major, std::vector<double> levels_ = {})
        : rule(rule_), features(features_), declared_features(features_), class_weight(std::move(class_weight_)), levels(std::move(levels_)) {
        rule.answers = std::max<std::size_t>(1, levels.size());
        if (levels.empty()) levels = {0.5};
        rule.derive();
        weighs_labels = rule.scheme == Scheme::multi_label && std::any_of(class_weight.begin(), class_weight.end(), [](double c) { return c != 1.0; });
        const std::size_t all = rule.unit_count(), group_units = unit_major ? 1 : 8;
        for (std::size_t first = 0; first < all;) {
            Group group;
            group.first = first;
            group.units = std::min(group_units, all - first);
            group.width = all == 1 || unit_major ? 1 : group.units > 4 ? 8 : 4;
            shape(group);
            first += group.units;
            groups.push_back(std::move(group));
        }
        make_signs();
    }

    bool is_joint() const { return rule.scheme == Scheme::joint; }
    bool predicts_number() const { return rule.scheme == Scheme::number; }
    bool has_interleaved_units() const { return groups.front().width > 1; }
    // Of a class, [unit]: +1, -1 or 0
    const double* signs_of(std::size_t label) const { return signs.data() + label * sign_stride; }
    // [unit of the group]; of a set of labels, found by the bits of the eight labels that the units of a group decide about.
    const double* signs_of(std::size_t label, const Group& group) const {
        if (!label_sets) return signs_of(label) + group.first;
        const std::size_t eight = label_sets->eight(label, group.first);
        if (group.width == 1) return signs.data() + (eight >> group.first % 8 & 1);
        return signs.data() + 2 + 8 * (eight + (group.units < group.width ? 256 : 0));
    }
    // How many different labels examples may have: classes, or sets of labels.
    std::size_t label_count() const { return label_sets ? label_sets->size() : rule.classes; }
    std::size_t most_sampled() const { return ScoreSample::capacity(rule.unit_count(), rule.scheme == Scheme::multi_label); }
    void decide_about(std::shared_ptr<LabelSets> sets) {
        label_sets = std::move(sets);
        make_signs();
    }

    // All or nothing: if memory runs out the learner stays as it was. Capacity grows by half, so that a stream that brings
    // new features all the time is not copied all the time.
    void grow(std::size_t more) {
        if (more <= features) return;
        const std::size_t capacity = features == 0 ? more : std::max(more, features + features / 2);
        for (Group& group : groups) {
            for (Weights* part : {&group.weights, &group.drift, &group.scale, &group.pending, &group.pocket})
                if (!part->empty() && part->feature.capacity() < padded(more) * group.width) part->reserve(capacity, group.width);
            if (rule.batch != 1) group.touched.reserve(more);
        }
        features = more;
        declared_features = std::max(declared_features, more);
        for (Group& group : groups) shape(group);
    }

private:
    void shape(Group& group) {
        const std::size_t width = group.width;
        group.weights.shape(features, width, 0.0);
        if (rule.average) group.drift.shape(features, width, 0.0);
        if (rule.rate == Rate::adagrad) group.scale.shape(features, width, 0.0);
        if (rule.rate == Rate::arow) group.scale.shape(features, width, 1.0);
        if (rule.batch != 1) {
            group.pending.shape(features, width, 0.0);
            group.touched.resize(features, 0);
        }
        if (rule.pocket) group.pocket.shape(features, width, 0.0);
        group.mistakes.resize(width, 0);
        group.unit_bounds.resize(width, 0.0);
        group.loss.resize(width, 0.0);
        group.pockets.resize(width);
    }

    // -1 and +1; then the targets of eight units for all sets of eight labels, and the same for a last group of fewer units.
    void make_signs_of_sets() {
        signs = {-1.0, 1.0};
        if (!has_interleaved_units()) return;
        for (const std::size_t units : {std::size_t{8}, groups.back().units})
            for (unsigned set = 0; set < 256; ++set)
                for (std::size_t u = 0; u < 8; ++u) signs.push_back(u >= units ? 0.0 : set >> u & 1 ? 1.0 : -1.0);
    }

    void make_signs() {
        sign_stride = groups.back().first + groups.back().width;
        if (rule.scheme == Scheme::multi_label) return make_signs_of_sets();
        signs.assign(rule.classes * sign_stride, 0.0);
        if (predicts_number()) return;
        const auto sign = [&](std::size_t c, std::size_t unit) -> double& { return signs[c * sign_stride + unit]; };
        if (rule.scheme == Scheme::binary) {
            sign(0, 0) = -1.0;
            sign(1, 0) = 1.0;
        } else if (rule.scheme == Scheme::ovo) {
            std::size_t unit = 0;
            for (std::size_t i = 0; i < rule.classes; ++i)
                for (std::size_t j = i + 1; j < rule.classes; ++j, ++unit) {
                    sign(i, unit) = -1.0;
                    sign(j, unit) = 1.0;
                }
        } else {
            for (std::size_t c = 0; c < rule.classes; ++c)
                for (std::size_t unit = 0; unit < rule.classes; ++unit) sign(c, unit) = c == unit ? 1.0 : -1.0;
        }
    }
};

}  // namespace rosenblatt
