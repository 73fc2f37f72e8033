// One unit that learns alone from sparse rows, each of which counts once: the case that is asked for most, and the one
// in which what is done beside the score would show. On most rows nothing happens but a look that finds them right, so
// they are counted together, once a row is met that moves the weights.
#pragma once

#include "learn/filter/error_bounds.hpp"
#include "learn/pocket.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

inline bool learns_alone(const Examples& examples, const std::vector<Job>& jobs) {
    const Learner& learner = *jobs.front().learner;
    return jobs.size() == 1 && learner.rule.scheme == Scheme::binary && !learner.judged && !examples.sample_weight &&
           std::all_of(learner.class_weight.begin(), learner.class_weight.end(), [](double c) { return c == 1.0; }) &&
           Looking(learner, examples.rows.largest).moves();
}

// Positions from p on, to the end or to where looking should rest; that position is returned.
template <class Reader>
std::size_t work_alone(const Examples& examples, Reader& reader, const Job& job, std::size_t p, std::size_t to) {
    const Order order{examples.order, examples.count};
    const Learner& learner = *job.learner;
    Group& group = *job.group;
    const double largest = std::max(1.0, examples.rows.largest), required = learner.rule.required;
    Looking looking(learner, examples.rows.largest);
    std::size_t counted = p;
    const auto count_right = [&] {
        group.t += p - counted;
        group.step += p - counted;
        looking.helped(p - counted);
        counted = p + 1;
    };
    for (; p < to && looking.now(); ++p) {
        if (order.index && p + 32 < order.count) __builtin_prefetch(examples.labels + order[p + 32]);
        const auto row = reader[p];
        const std::size_t at = order[p], label = static_cast<std::size_t>(examples.labels[at]);
        const double margin = learner.signs[label * learner.sign_stride] * quick_score<1>(row, group);
        const double distance = distance_of_sums(row.entries, group, largest);
        if (margin > required + distance) continue;
        count_right();
        const Example example{at, label, 1.0, largest};
        const bool wrong = margin < required - distance;
        looking.heard(wrong);
        if (wrong) learn_mistake(learner, group, row, example, HeardSparse{});
        else visit_apart<1>(learner, group, row, example, score<1>(row, group));
    }
    count_right();
    return p;
}

}  // namespace rosenblatt::ROSENBLATT_ISA
