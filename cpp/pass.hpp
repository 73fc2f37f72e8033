// Passes over the rows: learning, counting, scoring.
#pragma once

#include <thread>

#include "kernels.hpp"
#include "visit.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

ROSENBLATT_INLINE double weight_of(const Examples& examples, const Learner& learner, std::size_t row, std::size_t label) {
    return (examples.sample_weight ? examples.sample_weight[row] : 1.0) * learner.class_weight[label];
}

inline bool several(const Learner& learner) { return learner.groups.front().width > 1; }
inline bool jointly(const Learner& learner) { return learner.rule.scheme == Scheme::joint; }

// What one thread does with a row: some groups of units that decide apart, or a learner whose units decide together.
struct Job {
    Learner* learner;
    Group* group;  // none: all of them, jointly
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
void judge_clean(const Examples& examples, Learner& learner, const std::vector<std::uint64_t>& mistakes) {
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

template <class Reader>
void work(const Examples& examples, Reader reader, const std::vector<Job>& jobs, std::size_t from, std::size_t to) {
    const Order order{examples.order, examples.count};
    const double largest = std::max(1.0, examples.rows.largest);
    std::vector<double> room;
    for (std::size_t p = from; p < to; ++p) {
        const std::size_t row = order[p], label = static_cast<std::size_t>(examples.labels[row]);
        if (order.index && p + 32 < order.count) __builtin_prefetch(examples.labels + order[p + 32]);
        const auto values = reader[p];
        for (const Job& job : jobs) {
            const double weight = weight_of(examples, *job.learner, row, label);
            if (weight == 0.0) continue;
            const Example example{row, label, weight, largest};
            if (job.group)
                with_width(job.group->width,
                           [&](auto W) { visit_apart<W()>(*job.learner, *job.group, values, example); });
            else visit_jointly(*job.learner, values, example, room);
            if (job.learner->rule.pocket) judge(examples, job);
        }
    }
}

void pass(const Examples& examples, std::vector<Learner*>& learners, std::size_t from, std::size_t to, int threads) {
    std::vector<std::vector<Job>> shares(static_cast<std::size_t>(std::max(1, threads)));
    std::size_t next = 0;
    const auto share = [&](Job job) { shares[next++ % shares.size()].push_back(job); };
    for (Learner* learner : learners) {
        if (jointly(*learner)) share({learner, nullptr});
        else
            for (Group& group : learner->groups) share({learner, &group});
    }
    const auto run = [&](const std::vector<Job>& jobs) {
        const bool wide = std::any_of(jobs.begin(), jobs.end(), [](const Job& job) { return several(*job.learner); });
        with_reader(examples.rows, Order{examples.order, examples.count}, wide,
                    [&](auto reader) { work(examples, std::move(reader), jobs, from, to); });
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < shares.size(); ++i)
        if (!shares[i].empty()) others.emplace_back(run, std::cref(shares[i]));
    run(shares[0]);
    for (std::thread& other : others) other.join();
}

std::uint64_t mistakes(const Examples& examples, const Learner& learner) {
    std::vector<double> s(learner.sign_stride);
    std::uint64_t count = 0;
    const Order training{examples.training, examples.training_count};
    with_reader(examples.rows, training, several(learner), [&](auto reader) {
        for (std::size_t p = 0; p < training.count; ++p) {
            const std::size_t row = training[p], label = static_cast<std::size_t>(examples.labels[row]);
            if (weight_of(examples, learner, row, label) == 0.0) continue;
            all_scores(learner, reader[p], s.data());
            if (jointly(learner)) {
                const std::size_t other = best_other(s.data(), learner.rule.classes, label);
                count += is_mistake(learner.rule, s[label] - s[other]);
                continue;
            }
            for (std::size_t u = 0; u < learner.sign_stride; ++u) {
                const double y = learner.signs[label * learner.sign_stride + u];
                count += y != 0.0 && is_mistake(learner.rule, y * s[u]);
            }
        }
    });
    return count;
}

// Scores by a learner that is made for it: the weights laid out as learning lays them out.
void scores(const Rows& rows, const std::uint32_t* order, std::size_t from, std::size_t to, const double* weights,
            const double* bias, std::size_t units, double* result) {
    Rule rule;
    rule.scheme = units == 1 ? Scheme::binary : Scheme::ovr;
    rule.classes = units == 1 ? 2 : units;
    Learner learner(rule, rows.features, std::vector<double>(rule.classes, 1.0));
    for (Group& group : learner.groups)
        for (std::size_t u = 0; u < group.units; ++u) {
            const double* w = weights + (group.first + u) * rows.features;
            for (std::size_t j = 0; j < rows.features; ++j) group.weights.feature[j * group.width + u] = w[j];
            group.weights.bias[u] = bias[group.first + u];
        }
    std::vector<double> s(learner.sign_stride);
    with_reader(rows, Order{order, to}, several(learner), [&](auto reader) {
        for (std::size_t p = from; p < to; ++p) {
            all_scores(learner, reader[p], s.data());
            std::copy_n(s.data(), units, result + p * units);
        }
    });
}

double score_one(const Learner& learner, const Rows& rows, bool average) {
    const Group& group = learner.groups.front();
    const double *w = group.weights.feature.data(), *drift = group.drift.feature.data();
    const auto t = static_cast<double>(group.t);
    double s = 0.0;
    with_reader(rows, Order{nullptr, 1}, false, [&](auto reader) {
        if (!average || group.t == 0) {
            s = score<1>(reader[0], group);
            return;
        }
        s = lane_sum(reader[0], [&](std::size_t j, auto x) {
            using T = decltype(x);
            return (load<T>(w + j) - load<T>(drift + j) / t) * x;
        });
        s += group.weights.bias[0] - group.drift.bias[0] / t;
    });
    return s;
}

void end_batches(Learner& learner) {
    for (Group& group : learner.groups) end_batch(learner.rule, group);
}

}  // namespace rosenblatt::ROSENBLATT_ISA
