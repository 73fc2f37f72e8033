// The kernels of the search for a separator, for one instruction set. Compiled once for each, like kernels.cpp.
#include "ascent.hpp"
#include "nearest.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

#define ROSENBLATT_TEXT(name) #name
#define ROSENBLATT_NAME(name) ROSENBLATT_TEXT(name)

extern const HullKernels hull_table;
const HullKernels hull_table{ROSENBLATT_NAME(ROSENBLATT_ISA), ascend, nearest_start, nearest_run};

}  // namespace rosenblatt::ROSENBLATT_ISA
