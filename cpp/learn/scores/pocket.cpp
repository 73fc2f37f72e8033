// The pocket: which weights erred least over the training rows (Gallant 1990).
#include "learn/scores/predicted_class.hpp"
#include "learn/scores/score_rows.hpp"

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

// Weighted prediction errors over the training rows; stops once they reach `limit`. wrong(label, scores): is this one?
template <class Wrong>
double count_errors(const Examples& examples, const Learner& learner, const Learner& scorer, double limit, Wrong&& wrong) {
    double errors = 0.0;
    const Order training{examples.training, examples.training_count, examples.rows.count};
    if (!(errors < limit)) return errors;
    each_scores(scorer, examples.rows, training, 0, [&](std::size_t p, const double* s) {
        const std::size_t row = training[p], label = examples.label_of(row);
        if (wrong(label, s)) errors += examples.weight_of(learner, row, label);
        return errors < limit;
    });
    return errors;
}

double unit_errors(const Examples& examples, const Learner& learner, const Group& group, std::size_t unit, double limit) {
    const Learner scorer = scoring_learner(
        1, learner.features, [&](std::size_t, std::size_t j) { return group.weights.feature[j * group.width + unit]; },
        [&](std::size_t) { return group.weights.bias[unit]; });
    return count_errors(examples, learner, scorer, limit, [&](std::size_t label, const double* s) {
        const double y = learner.signs_of(label, group)[unit];
        return y != 0.0 && (s[0] > 0.0) != (y > 0.0);
    });
}

double joint_errors(const Examples& examples, const Learner& learner, double limit) {
    return count_errors(examples, learner, learner, limit,
                        [&](std::size_t label, const double* s) { return highest(s, learner.rule.classes) != label; });
}

void put_in_pocket(Group& group, std::size_t unit) {
    for (std::size_t j = unit; j < group.pocket.feature.size(); j += group.width)
        group.pocket.feature[j] = group.weights.feature[j];
    group.pocket.bias[unit] = group.weights.bias[unit];
}

void put_all_in_pocket(Learner& learner) {
    for (Group& group : learner.groups)
        for (std::size_t u = 0; u < group.units; ++u) put_in_pocket(group, u);
}

// True: the current weights err less than those in the pocket. count(limit) counts their errors.
template <class Count>
bool improves(Pocket& pocket, Count&& count) {
    if (!outlived(pocket.run, pocket.best_run, pocket.counted, pocket.in_pocket)) return false;
    const double errors = count(pocket.errors);
    if (!(errors < pocket.errors)) return false;
    pocket = {pocket.run, pocket.run, errors, true, true};
    return true;
}

// Weights that came through a whole epoch without a mistake win a tie: on separable data they are the separator.
bool keeps(Pocket& pocket, double errors) {
    if (!(errors <= pocket.errors)) return false;
    pocket = {pocket.run, std::max(pocket.run, pocket.best_run), errors, true, true};
    return true;
}

}  // namespace

void update_pocket(const Examples& examples, Learner& learner, Group* group) {
    if (!group) {
        if (improves(learner.groups[0].pockets[0], [&](double limit) { return joint_errors(examples, learner, limit); }))
            put_all_in_pocket(learner);
        return;
    }
    for (std::size_t u = 0; u < group->units; ++u)
        if (improves(group->pockets[u], [&](double limit) { return unit_errors(examples, learner, *group, u, limit); }))
            put_in_pocket(*group, u);
}

void pocket_clean(const Examples& examples, Learner& learner, const std::vector<std::uint64_t>& mistakes) {
    constexpr double no_limit = std::numeric_limits<double>::infinity();
    if (learner.is_joint()) {
        if (!mistakes[0] && keeps(learner.groups[0].pockets[0], joint_errors(examples, learner, no_limit))) put_all_in_pocket(learner);
        return;
    }
    for (Group& group : learner.groups)
        for (std::size_t u = 0; u < group.units; ++u)
            if (!mistakes[group.first + u] && keeps(group.pockets[u], unit_errors(examples, learner, group, u, no_limit)))
                put_in_pocket(group, u);
}

}  // namespace rosenblatt::ROSENBLATT_ISA
