// Everything that is compiled once per instruction set, as the rest of the core sees it: one table for each set, with a
// table of functions for each room.
#pragma once

#include <vector>

namespace rosenblatt {

struct RowFunctions;      // rows/functions.hpp
struct LearnFunctions;    // learn/functions.hpp
struct ProductFunctions;  // dual/products_table.hpp
struct HullFunctions;     // certify/hulls.hpp
struct ParserFunctions;   // parse/parsers.hpp
struct PageFunctions;     // cache/pack_numbers.hpp

struct Native {
    const char* name;  // of the instruction set
    const RowFunctions* rows;
    const LearnFunctions* learn;
    const ProductFunctions* products;
    const HullFunctions* hulls;
    const ParserFunctions* parsers;
    const PageFunctions* pages;
};

const Native& native();                        // the widest instruction set of this machine, or the one chosen
std::vector<const char*> instruction_sets();   // those this machine can run, widest first
bool use_instruction_set(const char* name);    // false: this machine cannot run it

}  // namespace rosenblatt
