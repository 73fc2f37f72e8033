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
    Group* group;            // none: all of them, jointly
    std::size_t column = 0;  // where its units stand when rows are scored together
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

struct Scratch {
    std::vector<double> scores, room;
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
            with_width(job.group->width, [&](auto W) {
                Group& group = *job.group;
                if (visit_apart<W()>(learner, group, values, example, score(W, job, group))) changed(job, group);
            });
        else {
            scratch.scores.resize(learner.sign_stride);
            double* const s = scratch.scores.data();
            for (const Group& group : learner.groups)
                with_width(group.width, [&](auto W) { store(s + group.first, score(W, job, group)); });
            visit_jointly(learner, values, example, s, scratch.room, [&](Group& group) { changed(job, group); });
        }
        if (learner.rule.pocket) judge(examples, job);
    }
}

template <class Reader>
void work(const Examples& examples, Reader& reader, const std::vector<Job>& jobs, std::size_t from, std::size_t to) {
    const Order order{examples.order, examples.count};
    Scratch scratch;
    for (std::size_t p = from; p < to; ++p) {
        if (order.index && p + 32 < order.count) __builtin_prefetch(examples.labels + order[p + 32]);
        const auto values = reader[p];
        visit(
            examples, jobs, order[p], values, scratch,
            [&](auto W, const Job&, const Group& group) { return score<W()>(values, group); },
            [](const Job&, const Group&) {});
    }
}

// Dense rows and units kept apart: four rows are scored by all units while their weights pass through the cache once.
// A unit that changes at one of the rows scores the rest of them again, so every row meets the weights it should.
inline constexpr std::size_t rows_together = 4;
inline constexpr std::size_t units_together = natural == 8 ? 5 : 2;  // as many sums as the registers hold

struct Column {
    Group* group;
    bool changed;
    double s[rows_together];
};

// Four rows as doubles, block of eight by block of eight, without the blocks that are zero in all of them.
struct Packed {
    std::vector<std::uint32_t> block;  // first feature of each
    Buffer value;                      // [block][row][8]
    std::size_t blocks = 0;

    explicit Packed(std::size_t features)
        : block((features + 7) / 8), value(padded(features) * rows_together, 0.0) {}

    template <class V>
    void pack(const DenseRow<V> (&row)[rows_together]) {
        blocks = 0;
        std::size_t j = 0;
        for (; j + 8 <= row[0].features; j += 8) add(j, [&](std::size_t r) { return widen(row[r].value + j); });
        if (j < row[0].features) add(j, [&](std::size_t r) { return last_block(row[r], j); });
    }

private:
    template <class Values>
    ROSENBLATT_INLINE void add(std::size_t j, Values&& values) {
        double* const to = value.data() + blocks * (8 * rows_together);
        mask<8> all = {};
        for (std::size_t r = 0; r < rows_together; ++r) {
            const vec<8> x = values(r);
            mask<8> bits;
            std::memcpy(&bits, &x, sizeof x);
            all |= bits;
            store(to + 8 * r, x);
        }
        block[blocks] = static_cast<std::uint32_t>(j);
        blocks += any(all);
    }
};

// Asks for the memory of the next rows a few lines at a time: a burst would be dropped, and would idle in between.
class Ahead {
public:
    template <class Reader>
    Ahead(Reader& reader, const Order& order, std::size_t p, std::size_t bytes, std::size_t calls) {
        if (p + rows_together > order.count) return;
        for (std::size_t r = 0; r < rows_together; ++r) from_[r] = reinterpret_cast<const char*>(reader.at(p + r));
        bytes_ = bytes;
        lines_ = rows_together * (bytes / 64 + 1) / std::max<std::size_t>(calls, 1) + 1;
    }
    ROSENBLATT_INLINE void fetch() {
        for (std::size_t k = 0; k < lines_; ++k) {
            if (at_ > bytes_) {
                if (++row_ == rows_together) lines_ = 0;
                at_ = 0;
                if (lines_ == 0) return;
            }
            __builtin_prefetch(from_[row_] + at_, 0, 2);
            at_ += 64;
        }
    }

private:
    const char* from_[rows_together] = {};
    std::size_t bytes_ = 0, lines_ = 0, row_ = 0, at_ = 0;
};

// The scores of four rows by U units. The lanes of a sum are taken a register at a time; each lane is added up in
// ascending order of its features, as everywhere.
template <std::size_t U>
void score_together(const Packed& rows, Column* column, Ahead& ahead) {
    double lane[U][rows_together][8];
    for (std::size_t part = 0; part < 8; part += natural) {
        using T = vec<natural>;
        T sum[U][rows_together] = {};
        const double* weight[U];
        for (std::size_t u = 0; u < U; ++u) weight[u] = column[u].group->weights.feature.data() + part;
        const double* x = rows.value.data() + part;
        for (std::size_t b = 0; b < rows.blocks; ++b, x += 8 * rows_together) {
            if (part == 0) ahead.fetch();
            T w[U];
            for (std::size_t u = 0; u < U; ++u) w[u] = load<T>(weight[u] + rows.block[b]);
            for (std::size_t r = 0; r < rows_together; ++r) {
                const T of_row = load<T>(x + 8 * r);
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
void score_columns(const Packed& rows, Column* column, std::size_t count, Ahead& ahead) {
    for (; count >= U; count -= U, column += U) score_together<U>(rows, column, ahead);
    if constexpr (U > 1) score_columns<U - 1>(rows, column, count, ahead);
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
                [&](auto W, const Job& job, const Group& group) -> vec<decltype(W)::value> {
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
                    [&](auto reader) { work_either_way(examples, std::move(reader), jobs, from, to); });
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
