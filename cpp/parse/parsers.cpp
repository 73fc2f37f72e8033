// The parsers for one instruction set. Compiled once for each, with ROSENBLATT_ISA naming the namespace.
#include "parse/svmlight.hpp"
#include "parse/vw.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

extern const ParserFunctions parser_functions;
const ParserFunctions parser_functions{parse_svmlight, parse_vw};

}  // namespace rosenblatt::ROSENBLATT_ISA
