// What is compiled once per instruction set, and the choice among the sets. Each set has one `Native`, which points to
// a table of functions for each folder of the core.
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

const Native& native();                        // of the set that was chosen; by default the widest this machine can run
std::vector<const char*> instruction_sets();   // that this machine can run, widest first
bool use_instruction_set(const char* name);    // returns false if this machine cannot run it

}  // namespace rosenblatt
