// The table of the line parsers for one instruction set.
#include "parse/parser_table.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

bool parse_svmlight(const char* first, const char* last, const SvmlightOptions& options, Parsed& out);
bool parse_vw(const char* first, const char* last, const VwOptions& options, Parsed& out, Candidates& unknown);

extern const ParserFunctions parser_functions;
const ParserFunctions parser_functions{parse_svmlight, parse_vw};

}  // namespace rosenblatt::ROSENBLATT_ISA
