// The kernels for one instruction set. Compiled once for each, with ROSENBLATT_ISA naming the namespace.
#include "check.hpp"
#include "pass.hpp"
#include "shuffle.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

#define ROSENBLATT_TEXT(name) #name
#define ROSENBLATT_NAME(name) ROSENBLATT_TEXT(name)

extern const Parsers parsers;  // parsers.cpp
extern const Pages pages;      // pages.cpp
extern const Kernels table;
const Kernels table{ROSENBLATT_NAME(ROSENBLATT_ISA), check, pass, mistakes, scores, learner_scores, end_batches, judge_clean,
                    score_one, shuffle, &parsers, &pages};

}  // namespace rosenblatt::ROSENBLATT_ISA
