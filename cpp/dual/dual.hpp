// The dual perceptron: a weight vector is a sum of examples, so a score is a sum of kernel values. Matrix products make
// the kernel values of a block of rows; these loops visit the rows one by one and add the values up, in double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rosenblatt {

// One update: `coefficient` times example `support` was added to unit `unit`. A kernel matrix holds one row for each
// support example and one column for each scored row; `constant` is 1 where a bias is learned: the constant feature 1
// adds 1 to every inner product.
struct Updates {
    const std::int64_t* support;
    const std::int32_t* unit;
    const double* coefficient;
    std::size_t count;
};

template <class V>
void add_update(const V* kernel, double coefficient, double constant, double* score, std::size_t rows) {
    for (std::size_t j = 0; j < rows; ++j) score[j] += coefficient * (static_cast<double>(kernel[j]) + constant);
}

// scores[unit][row] += sum over the updates of coefficient * (K[support][row] + constant), in their order.
template <class V>
void add_updates(const V* kernel, std::size_t rows, const Updates& updates, double constant, double* scores) {
    for (std::size_t e = 0; e < updates.count; ++e)
        add_update(kernel + static_cast<std::size_t>(updates.support[e]) * rows, updates.coefficient[e], constant,
                   scores + static_cast<std::size_t>(updates.unit[e]) * rows, rows);
}

// What Gallant's ratchet remembers of the weights that decide together: how long they have been right, whether they
// have been counted over all the rows, whether they are the ones in the pocket.
struct Ratchet {
    std::uint64_t* run = nullptr;
    std::uint64_t* best_run = nullptr;
    std::uint8_t* judged = nullptr;
    std::uint8_t* held = nullptr;
};

struct DualBlock {
    std::size_t rows, units, classes;
    const std::int32_t* labels;
    const double* weights;  // none: all 1
    const double* signs;    // [class][unit]: +1, -1, or 0 where a pair of classes does not concern this one
    bool joint;
    double margin, constant;
    Ratchet ratchet;
};

struct DualLog {
    std::vector<std::int64_t> position, seen;  // in the block; examples visited before it, in this call
    std::vector<std::int32_t> unit;
    std::vector<double> coefficient;
    std::vector<std::int64_t> mistakes;  // of each unit, or of the joint decision
    std::vector<std::int32_t> to_judge;
    std::int64_t visited = 0;
};

// Visits rows from `at` on, each at the scores it meets, and adds every update to the scores of the whole block. Stops
// after a row at which the pocket asks for a count over all the rows; returns the position to go on from.
template <class V>
std::size_t visit_block(const DualBlock& block, const V* kernel, std::size_t at, double* scores, DualLog& log) {
    const auto change = [&](std::size_t i, std::size_t unit, double coefficient) {
        log.position.push_back(static_cast<std::int64_t>(i));
        log.seen.push_back(log.visited);
        log.unit.push_back(static_cast<std::int32_t>(unit));
        log.coefficient.push_back(coefficient);
        add_update(kernel + i * block.rows, coefficient, block.constant, scores + unit * block.rows, block.rows);
    };
    const auto note = [&](std::size_t keeper, bool mistake) {
        log.mistakes[keeper] += mistake;
        if (!block.ratchet.run) return;
        block.ratchet.run[keeper] = mistake ? 0 : block.ratchet.run[keeper] + 1;
        if (mistake) block.ratchet.judged[keeper] = block.ratchet.held[keeper] = 0;
    };
    log.mistakes.assign(block.joint ? 1 : block.units, 0);
    for (std::size_t i = at; i < block.rows; ++i) {
        const double weight = block.weights ? block.weights[i] : 1.0;
        if (weight == 0.0) continue;
        const auto label = static_cast<std::size_t>(block.labels[i]);
        const auto score = [&](std::size_t unit) { return scores[unit * block.rows + i]; };
        if (block.joint) {
            std::size_t other = label == 0 ? 1 : 0;
            for (std::size_t k = other + 1; k < block.classes; ++k)
                if (k != label && score(k) > score(other)) other = k;
            const bool mistake = !(score(label) - score(other) > block.margin);
            note(0, mistake);
            if (mistake) {
                change(i, label, weight);
                change(i, other, -weight);
            }
        } else
            for (std::size_t unit = 0; unit < block.units; ++unit) {
                const double y = block.signs[label * block.units + unit];
                if (y == 0.0) continue;
                const bool mistake = !(y * score(unit) > block.margin);
                note(unit, mistake);
                if (mistake) change(i, unit, y * weight);
            }
        ++log.visited;
        if (!block.ratchet.run) continue;
        for (std::size_t keeper = 0; keeper < log.mistakes.size(); ++keeper) {
            const Ratchet& ratchet = block.ratchet;
            if (ratchet.run[keeper] <= ratchet.best_run[keeper]) continue;
            if (ratchet.held[keeper]) ratchet.best_run[keeper] = ratchet.run[keeper];
            else if (!ratchet.judged[keeper]) {
                ratchet.judged[keeper] = 1;
                log.to_judge.push_back(static_cast<std::int32_t>(keeper));
            }
        }
        if (!log.to_judge.empty()) return i + 1;
    }
    return block.rows;
}

// Freund and Schapire (1999): every hypothesis of the run votes, as often as it survived. `when` is the number of
// examples visited before each update, `end` that of the whole run; tally[unit][row] gains votes for minus against.
template <class V>
void add_votes(const V* kernel, std::size_t rows, std::size_t units, const Updates& updates, const std::int64_t* when,
               std::int64_t end, double constant, double* tally) {
    std::vector<double> scores(units * rows, 0.0);
    std::vector<std::int64_t> since(units, 0);
    const auto vote = [&](std::size_t unit, std::int64_t now) {
        const auto votes = static_cast<double>(now - since[unit]);
        since[unit] = now;
        if (votes == 0.0) return;
        const double* s = scores.data() + unit * rows;
        double* const sum = tally + unit * rows;
        for (std::size_t j = 0; j < rows; ++j) sum[j] += s[j] > 0.0 ? votes : -votes;
    };
    for (std::size_t e = 0; e < updates.count; ++e) {
        const auto unit = static_cast<std::size_t>(updates.unit[e]);
        vote(unit, when[e]);
        add_updates(kernel, rows, {updates.support + e, updates.unit + e, updates.coefficient + e, 1}, constant,
                    scores.data());
    }
    for (std::size_t unit = 0; unit < units; ++unit) vote(unit, end);
}

// The same where the classes decide jointly: the votes go to the class with the highest score.
template <class V>
void add_joint_votes(const V* kernel, std::size_t rows, std::size_t units, const Updates& updates,
                     const std::int64_t* when, std::int64_t end, double constant, double* tally) {
    std::vector<double> scores(units * rows, 0.0);
    std::int64_t since = 0;
    const auto vote = [&](std::int64_t now) {
        const auto votes = static_cast<double>(now - since);
        since = now;
        if (votes == 0.0) return;
        for (std::size_t j = 0; j < rows; ++j) {
            std::size_t best = 0;
            for (std::size_t k = 1; k < units; ++k)
                if (scores[k * rows + j] > scores[best * rows + j]) best = k;
            tally[best * rows + j] += votes;
        }
    };
    for (std::size_t e = 0; e < updates.count; ++e) {
        vote(when[e]);
        add_updates(kernel, rows, {updates.support + e, updates.unit + e, updates.coefficient + e, 1}, constant,
                    scores.data());
    }
    vote(end);
}

}  // namespace rosenblatt
