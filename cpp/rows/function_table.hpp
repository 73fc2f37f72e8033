// What is done to rows before they are learned from, one table of functions per instruction set.
#pragma once

#include "core/random.hpp"
#include "core/rows.hpp"

namespace rosenblatt {

struct RowFunctions {
    // The first fault of a matrix; also finds its largest value and whether its rows are canonical.
    Fault (*check)(Rows&);
    // Every permutation equally likely; the same one on every instruction set.
    void (*shuffle)(Random&, std::uint32_t* order, std::uint64_t n);
};

}  // namespace rosenblatt
