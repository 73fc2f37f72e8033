// The kernels of the search for a separator, for one instruction set. Compiled once for each, like isa/learning.cpp.
#include "certify/dual_ascent.hpp"
#include "certify/wolfe.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

#define ROSENBLATT_TEXT(name) #name
#define ROSENBLATT_NAME(name) ROSENBLATT_TEXT(name)

extern const HullKernels hull_table;
const HullKernels hull_table{ROSENBLATT_NAME(ROSENBLATT_ISA), ascend, nearest_start, nearest_run};

}  // namespace rosenblatt::ROSENBLATT_ISA
