// Everything that is compiled once per instruction set, as the rest of the core sees it: one table for each set, with a
// table of functions for each room.
#pragma once

#include <vector>

namespace rosenblatt {

struct RowFunctions;      // rows/function_table.hpp
struct LearnFunctions;    // learn/function_table.hpp
struct DualFunctions;     // dual/dual_perceptron.hpp
struct ProductFunctions;  // dual/products.hpp
struct AscentFunctions;   // certify/dual_ascent.hpp
struct HullFunctions;     // certify/wolfe.hpp
struct ParserFunctions;   // parse/parser_table.hpp
struct JsonFunctions;     // parse/json/json_lines.hpp
struct WordFunctions;     // words/lower_case_words.hpp
struct PageFunctions;     // cache/pack_numbers.hpp
struct CalibrationFunctions;  // calibrate/calibrate.hpp

struct Native {
    const char* name;  // of the instruction set
    const RowFunctions* rows;
    const LearnFunctions* learn;
    const DualFunctions* dual;
    const ProductFunctions* products;
    const AscentFunctions* ascent;
    const HullFunctions* hulls;
    const ParserFunctions* parsers;
    const JsonFunctions* json;
    const WordFunctions* words;
    const PageFunctions* pages;
    const CalibrationFunctions* calibration;
};

const Native& native();                        // the widest instruction set of this machine, or the one chosen
std::vector<const char*> instruction_sets();   // those this machine can run, widest first
bool use_instruction_set(const char* name);    // false: this machine cannot run it

}  // namespace rosenblatt
