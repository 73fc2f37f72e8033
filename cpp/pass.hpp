// Passes over the rows: learning, counting, scoring.
#pragma once

#include <exception>
#include <system_error>
#include <thread>

#include "decide.hpp"
#include "pocket.hpp"
#include "together.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

struct Scratch {
    std::vector<double> scores, room, heard;
};

// One example for each job in turn: score(W, job, group) scores it, changed(job, group) hears of weights that moved.
template <class Values, class Score, class Changed>
ROSENBLATT_INLINE void visit(const Examples& examples, const std::vector<Job>& jobs, std::size_t row,
                             const Values& values, Scratch& scratch, Score&& score, Changed&& changed) {
    Example example{row, static_cast<std::size_t>(examples.labels[row]), 1.0, std::max(1.0, examples.rows.largest)};
    const Learner* weighed = nullptr;
    for (const Job& job : jobs) {
        Learner& learner = *job.learner;
        if (&learner != weighed) example.weight = weight_of(examples, learner, row, example.label);
        weighed = &learner;
        if (example.weight == 0.0) continue;
        if (job.group)
            with_width(job.group->width, [&](auto W) ROSENBLATT_ALWAYS {
                Group& group = *job.group;
                const vec<decltype(W)::value> s = score(W, job, group);
                if (learner.judged) judge_decision<W()>(learner, group, s, example, values, scratch.heard);
                if (visit_apart<W()>(learner, group, values, example, s)) changed(job, group);
            });
        else {
            scratch.scores.resize(learner.sign_stride);
            double* const s = scratch.scores.data();
            for (const Group& group : learner.groups)
                with_width(group.width, [&](auto W) {
                    const vec<decltype(W)::value> scored = score(W, job, group);
                    store(s + group.first, scored);
                    if (learner.judged) judge_decision<W()>(learner, group, scored, example, values, scratch.heard);
                });
            visit_jointly(learner, values, example, s, scratch.room, [&](Group& group) { changed(job, group); });
        }
        if (learner.rule.pocket) judge(examples, job);
    }
}

// Weights that do not stay in the cache are asked for one row ahead: while a row is learned, those of the next one come.
inline constexpr std::size_t cached = std::size_t{1} << 22;  // bytes: more than the caches close to a core hold

inline bool reaches_far(const std::vector<Job>& jobs) {
    const Group* const group = jobs.size() == 1 ? jobs.front().group : nullptr;
    return group && group->weights.feature.size() * sizeof(double) > cached;
}

template <class I, class V>
ROSENBLATT_INLINE void fetch_weights(const SparseRow<I, V>& row, const Group& group) {
    for (const double* part : {group.weights.feature.data(), group.scale.feature.data(), group.drift.feature.data()})
        for (std::size_t k = 0; part && k < row.entries; ++k)
            __builtin_prefetch(part + static_cast<std::size_t>(row.index[k]) * group.width, 1, 3);
}

template <class Reader>
void work(const Examples& examples, Reader& reader, const std::vector<Job>& jobs, std::size_t from, std::size_t to) {
    const Order order{examples.order, examples.count};
    const bool far = reaches_far(jobs);
    Scratch scratch;
    for (std::size_t p = from; p < to; ++p) {
        if constexpr (is_csr<Reader>)
            if (far && p + 1 < to) fetch_weights(reader.at(p + 1), *jobs.front().group);
        if (order.index && p + 32 < order.count) __builtin_prefetch(examples.labels + order[p + 32]);
        const auto values = reader[p];
        visit(
            examples, jobs, order[p], values, scratch,
            [&](auto W, const Job&, const Group& group) ROSENBLATT_ALWAYS { return score<W()>(values, group); },
            [](const Job&, const Group&) {});
    }
}

template <class Reader>
void work_together(const Examples& examples, Reader& reader, std::vector<Job> jobs, std::size_t from,
                   std::size_t to) {
    const Order order{examples.order, examples.count};
    std::vector<Column> columns;
    for (Job& job : jobs) {
        job.column = columns.size();
        if (job.group) columns.push_back({job.group, false, {}});
        else
            for (Group& group : job.learner->groups) columns.push_back({&group, false, {}});
    }
    Packed packed(examples.rows.features);
    Scratch scratch;
    std::size_t p = from;
    for (; p + rows_together <= to; p += rows_together) {
        const bool fetching = reader.hold(p, rows_together);
        decltype(reader[p]) row[rows_together];
        for (std::size_t r = 0; r < rows_together; ++r) row[r] = {reader.at(p + r), examples.rows.features, nullptr, 0};
        packed.pack(row);
        const std::size_t next = fetching ? p + rows_together : order.count;
        const std::size_t calls = packed.blocks * ((columns.size() + units_together - 1) / units_together);
        Ahead ahead(reader, order, next, examples.rows.features * sizeof(*row[0].value), calls);
        score_columns(packed, columns.data(), columns.size(), ahead);
        for (Column& column : columns) column.changed = false;
        const auto column = [&](const Job& job, const Group& group) -> Column& {
            return columns[job.column + (job.group ? 0 : group.first)];
        };
        for (std::size_t r = 0; r < rows_together; ++r)
            visit(
                examples, jobs, order[p + r], row[r], scratch,
                [&](auto W, const Job& job, const Group& group) ROSENBLATT_ALWAYS -> vec<decltype(W)::value> {
                    if constexpr (W() == 1) {
                        const Column& scored = column(job, group);
                        return scored.changed ? score<1>(row[r], group) : scored.s[r];
                    } else return score<W()>(row[r], group);
                },
                [&](const Job& job, const Group& group) { column(job, group).changed = true; });
    }
    work(examples, reader, jobs, p, to);
}

template <class Reader>
void work_either_way(const Examples& examples, Reader reader, const std::vector<Job>& jobs, std::size_t from,
                     std::size_t to) {
    if constexpr (requires { reader.hold(from, to); }) {
        const bool apart = std::none_of(jobs.begin(), jobs.end(), [](const Job& job) { return several(*job.learner); });
        if (apart && (jobs.size() > 1 || !jobs.front().group))
            return work_together(examples, reader, jobs, from, to);
    }
    work(examples, reader, jobs, from, to);
}

void pass(const Examples& examples, std::vector<Learner*>& learners, std::size_t from, std::size_t to, int threads) {
    std::vector<Job> all;
    for (Learner* learner : learners) {
        if (jointly(*learner)) all.push_back({learner, nullptr});
        else
            for (Group& group : learner->groups) all.push_back({learner, &group});
    }
    // Asking how many cores there are takes longer than learning a row.
    const std::size_t most = threads > 1 ? std::max(1u, std::thread::hardware_concurrency()) : 1;
    const std::size_t wanted = threads > 1 ? static_cast<std::size_t>(threads) : 1;
    std::vector<std::vector<Job>> shares(std::min({wanted, most, all.size()}));
    for (std::size_t i = 0, share = 0; i < all.size(); ++i) {
        // All the units of a learner that counts its wrong decisions are heard by one thread.
        const bool same = i > 0 && all[i].learner == all[i - 1].learner && all[i].learner->judged;
        if (i > 0 && !same) share = (share + 1) % shares.size();
        shares[share].push_back(all[i]);
    }
    const auto run = [&](const std::vector<Job>& jobs) {
        const bool wide = std::any_of(jobs.begin(), jobs.end(), [](const Job& job) { return several(*job.learner); });
        with_reader(examples.rows, Order{examples.order, examples.count}, wide,
                    [&](auto reader) { work_either_way(examples, std::move(reader), jobs, from, to); });
    };
    // What a thread throws is thrown again here, once all of them have ended; what cannot be started is done here.
    std::vector<std::exception_ptr> thrown(shares.size());
    const auto guarded = [&](std::size_t i) noexcept {
        try {
            run(shares[i]);
        } catch (...) {
            thrown[i] = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    others.reserve(shares.size());
    std::vector<std::size_t> left{0};
    left.reserve(shares.size());
    for (std::size_t i = 1; i < shares.size(); ++i) {
        try {
            others.emplace_back(guarded, i);
        } catch (const std::system_error&) {
            left.push_back(i);
        }
    }
    for (const std::size_t i : left) guarded(i);
    for (std::thread& other : others) other.join();
    for (const std::exception_ptr& error : thrown)
        if (error) std::rethrow_exception(error);
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

// scores[position][unit] by the weights a learner has now; it may know more features than the rows have.
void learner_scores(const Learner& learner, const Rows& rows, double* result) {
    const std::size_t units = learner.rule.unit_count();
    std::vector<double> s(learner.sign_stride);
    with_reader(rows, Order{nullptr, rows.count}, several(learner), [&](auto reader) {
        for (std::size_t p = 0; p < rows.count; ++p) {
            all_scores(learner, reader[p], s.data());
            std::copy_n(s.data(), units, result + p * units);
        }
    });
}

// Scores by a learner that is made for it: the weights laid out as learning lays them out.
void scores(const Rows& rows, const std::uint32_t* order, std::size_t from, std::size_t to, const double* weights,
            const double* bias, std::size_t units, double* result) {
    Rule rule;
    rule.scheme = units == 1 ? Scheme::binary : Scheme::ovr;
    rule.classes = units == 1 ? 2 : units;
    Learner learner(rule, rows.features, std::vector<double>(rule.classes, 1.0), false);
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
