// The pocket: which weights erred least over the training rows (Gallant 1990).
#pragma once

#include "learn/functions.hpp"
#include "learn/learn_example.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

ROSENBLATT_INLINE double weight_of(const Examples& examples, const Learner& learner, std::size_t row, std::size_t label) {
    return (examples.sample_weight ? examples.sample_weight[row] : 1.0) * learner.class_weight[label];
}

inline bool several(const Learner& learner) { return learner.groups.front().width > 1; }
inline bool jointly(const Learner& learner) { return learner.rule.scheme == Scheme::joint; }

// What one thread does with a row: some groups of units that decide apart, or a learner whose units decide together.
struct Job {
    Learner* learner;
    Group* group;            // none: all of them, jointly
    std::size_t number = 0;  // among the jobs of its thread
    std::size_t first = 0;   // where its units stand when rows are scored together

    std::size_t column(const Group& of) const { return first + (group ? 0 : of.first); }
};

// Weighted prediction errors of one unit over the training rows; stops once they reach `limit`.
inline double unit_errors(const Examples& examples, const Learner& learner, const Group& group, std::size_t unit,
                          double limit) {
    Buffer w(padded(learner.features), 0.0);
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = group.weights.feature[j * group.width + unit];
    const double bias = group.weights.bias[unit];
    double errors = 0.0;
    const Order training{examples.training, examples.training_count};
    with_reader(examples.rows, training, false, [&](auto reader) {
        for (std::size_t p = 0; p < training.count && errors < limit; ++p) {
            const std::size_t row = training[p], label = static_cast<std::size_t>(examples.labels[row]);
            const double y = learner.signs[label * learner.sign_stride + group.first + unit];
            if (y != 0.0 && (dot<1>(reader[p], w) + bias > 0.0) != (y > 0.0))
                errors += weight_of(examples, learner, row, label);
        }
    });
    return errors;
}

inline double joint_errors(const Examples& examples, const Learner& learner, double limit) {
    std::vector<double> s(learner.sign_stride);
    double errors = 0.0;
    const Order training{examples.training, examples.training_count};
    with_reader(examples.rows, training, several(learner), [&](auto reader) {
        for (std::size_t p = 0; p < training.count && errors < limit; ++p) {
            const std::size_t row = training[p], label = static_cast<std::size_t>(examples.labels[row]);
            all_scores(learner, reader[p], s.data());
            const auto best = std::max_element(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(learner.rule.classes));
            if (static_cast<std::size_t>(best - s.begin()) != label) errors += weight_of(examples, learner, row, label);
        }
    });
    return errors;
}

inline void put_in_pocket(Group& group, std::size_t unit) {
    for (std::size_t j = unit; j < group.pocket.feature.size(); j += group.width)
        group.pocket.feature[j] = group.weights.feature[j];
    group.pocket.bias[unit] = group.weights.bias[unit];
}

// Gallant's ratchet: weights that have outlived those in the pocket are counted, and replace them if they err less.
// `count(limit)` counts the errors of the current weights, `keep()` puts them into the pocket.
template <class Count, class Keep>
inline void ratchet(Pocket& pocket, Count&& count, Keep&& keep) {
    if (pocket.run <= pocket.best_run) return;
    if (pocket.held) {
        pocket.best_run = pocket.run;
    } else if (!pocket.judged) {
        pocket.judged = true;
        const double errors = count(pocket.errors);
        if (!(errors < pocket.errors)) return;
        pocket.errors = errors;
        pocket.best_run = pocket.run;
        pocket.held = true;
        keep();
    }
}

inline void judge(const Examples& examples, const Job& job) {
    Learner& learner = *job.learner;
    if (!job.group) {
        ratchet(
            learner.groups[0].pockets[0], [&](double limit) { return joint_errors(examples, learner, limit); },
            [&] {
                for (Group& group : learner.groups)
                    for (std::size_t u = 0; u < group.units; ++u) put_in_pocket(group, u);
            });
        return;
    }
    for (std::size_t u = 0; u < job.group->units; ++u)
        ratchet(
            job.group->pockets[u],
            [&](double limit) { return unit_errors(examples, learner, *job.group, u, limit); },
            [&] { put_in_pocket(*job.group, u); });
}

// Weights that came through a whole epoch win a tie: on separable data they are the separator.
inline void judge_clean(const Examples& examples, Learner& learner, const std::vector<std::uint64_t>& mistakes) {
    const auto settle = [](Pocket& pocket, double errors) {
        if (!(errors <= pocket.errors)) return false;
        pocket = {pocket.run, std::max(pocket.run, pocket.best_run), errors, true, true};
        return true;
    };
    const double all = std::numeric_limits<double>::infinity();
    const bool together = jointly(learner);
    if (together && (mistakes[0] || !settle(learner.groups[0].pockets[0], joint_errors(examples, learner, all)))) return;
    for (Group& group : learner.groups)
        for (std::size_t u = 0; u < group.units; ++u)
            if (together ||
                (!mistakes[group.first + u] && settle(group.pockets[u], unit_errors(examples, learner, group, u, all))))
                put_in_pocket(group, u);
}

}  // namespace rosenblatt::ROSENBLATT_ISA
