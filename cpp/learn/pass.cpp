// Passes over the rows: learning, counting, scoring.
#include <exception>
#include <system_error>
#include <thread>

#include "learn/filter/float_loop_ovr.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

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
        std::vector<Job>& mine = shares[share];
        all[i].number = mine.size();
        if (!mine.empty()) all[i].first = mine.back().first + (mine.back().group ? 1 : mine.back().learner->groups.size());
        mine.push_back(all[i]);
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

extern const LearnFunctions learn_functions;
const LearnFunctions learn_functions{pass, mistakes, scores, learner_scores, score_one, end_batches, judge_clean};

}  // namespace rosenblatt::ROSENBLATT_ISA
