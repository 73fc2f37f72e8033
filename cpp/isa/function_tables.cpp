// The table of one instruction set. Compiled once for each, like every .cpp outside bind/, core/ and dispatch.cpp, with
// ROSENBLATT_ISA naming the namespace: the same code under different flags must never be merged by the linker.
#include "isa/dispatch.hpp"

#define ROSENBLATT_TEXT(name) #name
#define ROSENBLATT_NAME(name) ROSENBLATT_TEXT(name)

namespace rosenblatt::ROSENBLATT_ISA {

extern const RowFunctions row_functions;
extern const LearnFunctions learn_functions;
extern const DualFunctions dual_functions;
extern const ProductFunctions product_functions;
extern const AscentFunctions ascent_functions;
extern const HullFunctions hull_functions;
extern const ParserFunctions parser_functions;
extern const JsonFunctions json_functions;
extern const WordFunctions word_functions;
extern const PageFunctions page_functions;
extern const CalibrationFunctions calibration_functions;

extern const Native table{
    ROSENBLATT_NAME(ROSENBLATT_ISA), &row_functions,  &learn_functions,  &dual_functions, &product_functions,
    &ascent_functions,               &hull_functions, &parser_functions, &json_functions, &word_functions,
    &page_functions,                 &calibration_functions,
};

}  // namespace rosenblatt::ROSENBLATT_ISA
