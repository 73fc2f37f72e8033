// The loops of the dual perceptron. Compiled once per instruction set.
#include "dual/dual_perceptron.hpp"

#include "learn/scores/predicted_class.hpp"

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

template <class V>
void add_update(const V* kernel, double coefficient, double constant, double* score, std::size_t rows) {
    for (std::size_t j = 0; j < rows; ++j) score[j] += coefficient * (static_cast<double>(kernel[j]) + constant);
}

template <class V>
void add_update(const V* kernel, std::size_t rows, const Updates& updates, std::size_t e, double constant, double* scores) {
    add_update(kernel + static_cast<std::size_t>(updates.support[e]) * rows, updates.coefficient[e], constant,
               scores + static_cast<std::size_t>(updates.unit[e]) * rows, rows);
}

template <class V>
void add_updates(const V* kernel, std::size_t rows, const Updates& updates, double constant, double* scores) {
    for (std::size_t e = 0; e < updates.count; ++e) add_update(kernel, rows, updates, e, constant, scores);
}

template <class V>
class BlockVisitor {
public:
    BlockVisitor(const DualBlock& block, const V* kernel, double* scores, DualLog& log)
        : block(block), kernel(kernel), scores(scores), log(log) {
        log.mistakes.assign(block.joint ? 1 : block.units, 0);
    }

    std::size_t visit(std::size_t first) {
        for (std::size_t i = first; i < block.rows; ++i) {
            const double weight = block.weights ? block.weights[i] : 1.0;
            if (weight == 0.0) continue;
            if (block.joint) decide_jointly(i, weight);
            else decide_independently(i, weight);
            ++log.visited;
            if (block.ratchets.run && find_units_to_count()) return i + 1;
        }
        return block.rows;
    }

private:
    double score(std::size_t unit, std::size_t i) const { return scores[unit * block.rows + i]; }

    void decide_jointly(std::size_t i, double weight) {
        const auto label = static_cast<std::size_t>(block.labels[i]);
        const std::size_t other = best_other([&](std::size_t k) { return score(k, i); }, block.classes, label);
        const bool mistake = !(score(label, i) - score(other, i) > block.margin);
        count(0, mistake);
        if (!mistake) return;
        update(i, label, weight);
        update(i, other, -weight);
    }

    void decide_independently(std::size_t i, double weight) {
        const double* const signs = block.signs + static_cast<std::size_t>(block.labels[i]) * block.units;
        for (std::size_t unit = 0; unit < block.units; ++unit) {
            if (signs[unit] == 0.0) continue;
            const bool mistake = !(signs[unit] * score(unit, i) > block.margin);
            count(unit, mistake);
            if (mistake) update(i, unit, signs[unit] * weight);
        }
    }

    void count(std::size_t unit, bool mistake) {
        const Ratchets& ratchets = block.ratchets;
        log.mistakes[unit] += mistake;
        if (!ratchets.run) return;
        ratchets.run[unit] = mistake ? 0 : ratchets.run[unit] + 1;
        if (mistake) ratchets.counted[unit] = ratchets.in_pocket[unit] = 0;
    }

    void update(std::size_t i, std::size_t unit, double coefficient) {
        log.position.push_back(static_cast<std::int64_t>(i));
        log.visited_before.push_back(log.visited);
        log.unit.push_back(static_cast<std::int32_t>(unit));
        log.coefficient.push_back(coefficient);
        add_update(kernel + i * block.rows, coefficient, block.constant, scores + unit * block.rows, block.rows);
    }

    // Appends the units whose errors the pocket needs counted to the log; whether there are any.
    bool find_units_to_count() {
        const Ratchets& ratchets = block.ratchets;
        for (std::size_t unit = 0; unit < log.mistakes.size(); ++unit)
            if (outlived(ratchets.run[unit], ratchets.best_run[unit], ratchets.counted[unit], ratchets.in_pocket[unit]))
                log.to_count.push_back(static_cast<std::int32_t>(unit));
        return !log.to_count.empty();
    }

    const DualBlock& block;
    const V* kernel;
    double* scores;
    DualLog& log;
};

template <class V>
std::size_t visit_block(const DualBlock& block, const V* kernel, std::size_t first, double* scores, DualLog& log) {
    return BlockVisitor<V>(block, kernel, scores, log).visit(first);
}

void add_joint_votes(const double* scores, std::size_t rows, std::size_t units, double votes, double* tally) {
    for (std::size_t j = 0; j < rows; ++j) {
        std::size_t best = 0;
        for (std::size_t k = 1; k < units; ++k)
            if (scores[k * rows + j] > scores[best * rows + j]) best = k;
        tally[best * rows + j] += votes;
    }
}

template <class V>
void add_votes(const V* kernel, std::size_t rows, std::size_t units, bool joint, const Updates& updates, const std::int64_t* when,
               std::int64_t end, double constant, double* tally) {
    std::vector<double> scores(units * rows, 0.0);
    std::vector<std::int64_t> since(units, 0);  // when each unit's weights last changed; joint units share since[0]
    const auto vote = [&](std::size_t unit, std::int64_t now) {
        const auto votes = static_cast<double>(now - since[unit]);
        since[unit] = now;
        if (votes == 0.0) return;
        if (joint) return add_joint_votes(scores.data(), rows, units, votes, tally);
        const double* const score = scores.data() + unit * rows;
        double* const sum = tally + unit * rows;
        for (std::size_t j = 0; j < rows; ++j) sum[j] += score[j] > 0.0 ? votes : -votes;
    };
    for (std::size_t e = 0; e < updates.count; ++e) {
        vote(joint ? 0 : static_cast<std::size_t>(updates.unit[e]), when[e]);
        add_update(kernel, rows, updates, e, constant, scores.data());
    }
    for (std::size_t unit = 0; unit < (joint ? 1 : units); ++unit) vote(unit, end);
}

template <class V>
constexpr DualFunctionsOf<V> functions_of{add_updates<V>, visit_block<V>, add_votes<V>};

}  // namespace

extern const DualFunctions dual_functions{functions_of<double>, functions_of<float>};

}  // namespace rosenblatt::ROSENBLATT_ISA
