// How the units of a job get the score of a row. A scorer may score rows one by one or several at once, and may filter:
// say what is certain without the exact score. The results are the same bits whichever scorer is used.
#pragma once

#include <concepts>

#include "learn/rules/score_decide_update.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// What one thread does with a row: a group of units that decide independently, or a learner whose units decide jointly.
struct Job {
    Learner* learner;
    Group* group;                  // null: all of them, jointly
    std::size_t number = 0;        // among the jobs of its thread
    std::size_t first_column = 0;  // of its units, when all units of a thread are scored together

    std::size_t column(const Group& unit_group) const { return first_column + (group ? 0 : unit_group.first); }
};

enum class Verdict : std::uint8_t { undecided, correct, mistake };

// A verdict, and whether the average weights are wrong about the example, where they were scored too.
struct Filtered {
    Verdict verdict = Verdict::undecided;
    bool average_wrong = false;
};

template <class S, class Row>
concept Scorer = requires(S& scorer, const Job& job, const Group& group, const Example& example, const Row& row) {
    { S::filters } -> std::convertible_to<bool>;     // may decide without the exact score
    { S::unit_major } -> std::convertible_to<bool>;  // knows only groups of one unit, which saves compiling the others
    { scorer.template filter<1>(job, example, row) } -> std::same_as<Verdict>;
    { scorer.template score<1>(job, group, row) } -> std::same_as<double>;
    scorer.moved(job, 1.0);        // a certain mistake was learned: the weights moved by this factor times the row
    scorer.changed(job, group);    // the weights may have changed in another way
};

}  // namespace rosenblatt::ROSENBLATT_ISA
