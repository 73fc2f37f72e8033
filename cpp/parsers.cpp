// The parsers for one instruction set. Compiled once for each, with ROSENBLATT_ISA naming the namespace.
#include "parse_svmlight.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

extern const Parsers parsers;
const Parsers parsers{parse_svmlight};

}  // namespace rosenblatt::ROSENBLATT_ISA
