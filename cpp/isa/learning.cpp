// The kernels for one instruction set. Compiled once for each, with ROSENBLATT_ISA naming the namespace.
#include "rows/check.hpp"
#include "learn/pass.hpp"
#include "core/shuffle.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

#define ROSENBLATT_TEXT(name) #name
#define ROSENBLATT_NAME(name) ROSENBLATT_TEXT(name)

extern const Parsers parsers;  // isa/parsers.cpp
extern const Pages pages;      // isa/pack_numbers.cpp
extern const Kernels table;
const Kernels table{ROSENBLATT_NAME(ROSENBLATT_ISA), check, pass, mistakes, scores, learner_scores, end_batches, judge_clean,
                    score_one, shuffle, &parsers, &pages};

}  // namespace rosenblatt::ROSENBLATT_ISA
