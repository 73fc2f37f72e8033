// The dual perceptron: a weight vector is a sum of examples, so a score is a sum of kernel values. Matrix products make
// the kernel values of a block of rows; these functions visit the rows one by one and add the values up, in double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rosenblatt {

// Update e added coefficient[e] times example support[e] to unit[e]. A kernel matrix has one row for each support example
// and one column for each scored row; `constant` is 1 where a bias is learned: the constant feature 1 adds 1 to every
// inner product.
struct Updates {
    const std::int64_t* support;
    const std::int32_t* unit;
    const double* coefficient;
    std::size_t count;
};

// The state of Gallant's ratchet for each set of weights that decides together: how many rows in a row it has been right,
// the longest such run in the pocket, whether its errors have been counted, whether it is the one in the pocket.
struct Ratchets {
    std::uint64_t* run = nullptr;
    std::uint64_t* best_run = nullptr;
    std::uint8_t* counted = nullptr;
    std::uint8_t* in_pocket = nullptr;
};

struct DualBlock {
    std::size_t rows, units, classes;
    const std::int32_t* labels;
    const double* weights;  // none: all 1
    const double* signs;    // [class][unit]: +1, -1, or 0 where the unit ignores the class
    bool joint;
    double margin, constant;
    Ratchets ratchets;
};

struct DualLog {
    std::vector<std::int64_t> position;  // of each update: its row in the block
    std::vector<std::int64_t> visited_before;
    std::vector<std::int32_t> unit;
    std::vector<double> coefficient;
    std::vector<std::int64_t> mistakes;  // of each unit, or of the joint decision
    std::vector<std::int32_t> to_count;  // units whose errors the pocket needs now
    std::int64_t visited = 0;
};

template <class V>
struct DualFunctionsOf {
    // scores[unit][row] += sum over the updates of coefficient * (K[support][row] + constant), in their order.
    void (*add_updates)(const V* kernel, std::size_t rows, const Updates&, double constant, double* scores);
    // Visits rows from `first` on, each at its current scores, and adds every update to the scores of the whole block.
    // Stops after a row at which the pocket needs a count over all rows; returns the position to go on from.
    std::size_t (*visit_block)(const DualBlock&, const V* kernel, std::size_t first, double* scores, DualLog&);
    // Freund and Schapire (1999): every hypothesis of the run votes, as often as it survived. `when` is the number of
    // examples visited before each update, `end` that of the whole run; tally[unit][row] gains votes for minus against, or,
    // where the classes decide jointly, the votes for the class with the highest score.
    void (*add_votes)(const V* kernel, std::size_t rows, std::size_t units, bool joint, const Updates&, const std::int64_t* when,
                      std::int64_t end, double constant, double* tally);
};

struct DualFunctions {
    DualFunctionsOf<double> float64;
    DualFunctionsOf<float> float32;
};

}  // namespace rosenblatt
