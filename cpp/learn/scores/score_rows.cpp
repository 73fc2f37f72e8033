// Scores without learning, and what is counted from them.
#include "learn/scores/score_rows.hpp"

#include "learn/rules/joint_classes.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

void each_scores(const Learner& learner, const Rows& rows, Order order, std::size_t from, const UseScores& use) {
    std::vector<double> s(learner.sign_stride);
    with_reader(rows, order, learner.has_interleaved_units(), [&](auto reader) {
        for (std::size_t p = from; p < order.count; ++p) {
            const auto row = reader[p];
            for (const Group& group : learner.groups)
                with_width(group.width, [&](auto W) { store(s.data() + group.first, score<W()>(row, group)); });
            if (!use(p, s.data())) return;
        }
    });
}

std::uint64_t mistakes(const Examples& examples, const Learner& learner) {
    std::uint64_t count = 0;
    const Order training{examples.training, examples.training_count, examples.rows.count};
    each_scores(learner, examples.rows, training, 0, [&](std::size_t p, const double* s) {
        const std::size_t row = training[p], label = examples.label_of(row);
        if (examples.weight_of(learner, row, label) == 0.0) return true;
        if (learner.is_joint()) {
            const std::size_t other = best_other([&](std::size_t k) { return s[k]; }, learner.rule.classes, label);
            count += is_mistake(learner.rule, s[label] - s[other]);
        } else
            for (const Group& group : learner.groups)
                for (std::size_t u = 0; u < group.units; ++u) {
                    const double y = learner.signs_of(label, group)[u];
                    count += y != 0.0 && is_mistake(learner.rule, y * s[group.first + u]);
                }
        return true;
    });
    return count;
}

// The learner may have more features than the rows.
void learner_scores(const Learner& learner, const Rows& rows, const std::uint32_t* order, std::size_t count, double* result) {
    const std::size_t units = learner.rule.unit_count();
    each_scores(learner, rows, Order{order, count, rows.count}, 0, [=](std::size_t p, const double* s) {
        std::copy_n(s, units, result + p * units);
        return true;
    });
}

void learner_variances(const Learner& learner, const Rows& rows, double* result) {
    const std::size_t units = learner.rule.unit_count();
    std::vector<double> v(learner.sign_stride);
    with_reader(rows, Order{nullptr, rows.count, rows.count}, learner.has_interleaved_units(), [&](auto reader) {
        for (std::size_t p = 0; p < rows.count; ++p) {
            const auto row = reader[p];
            for (const Group& group : learner.groups)
                with_width(group.width, [&](auto W) {
                    double norm[W()];
                    norms<W()>(learner.rule, group, row, norm);
                    std::copy_n(norm, W(), v.data() + group.first);
                });
            std::copy_n(v.data(), units, result + p * units);
        }
    });
}

void scores(const Rows& rows, const std::uint32_t* order, std::size_t from, std::size_t to, const double* weights,
            const double* bias, std::size_t units, double* result) {
    const Learner learner = scoring_learner(
        units, rows.features, [&](std::size_t u, std::size_t j) { return weights[u * rows.features + j]; },
        [&](std::size_t u) { return bias[u]; });
    each_scores(learner, rows, Order{order, to, rows.count}, from, [=](std::size_t p, const double* s) {
        std::copy_n(s, units, result + p * units);
        return true;
    });
}

double score_one(const Learner& learner, const Rows& rows, bool average) {
    const Group& group = learner.groups.front();
    const double *w = group.weights.feature.data(), *drift = group.drift.feature.data();
    const auto t = static_cast<double>(group.t);
    double s = 0.0;
    with_reader(rows, Order{nullptr, 1, 1}, false, [&](auto reader) {
        if (!average || group.t == 0) {
            s = score<1>(reader[0], group);
            return;
        }
        s = lane_sum(reader[0], [&](std::size_t j, auto x) {
            using T = decltype(x);
            return (load<T>(w + j) - load<T>(drift + j) / t) * x;
        });
        s += group.weights.bias[0] - group.drift.bias[0] / t;
        s *= group.weight_unit * group.average_unit;
    });
    return s;
}

}  // namespace rosenblatt::ROSENBLATT_ISA
