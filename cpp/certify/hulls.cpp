// The search for a separator, for one instruction set.
#include "certify/dual_ascent.hpp"
#include "certify/wolfe.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

extern const HullFunctions hull_functions;
const HullFunctions hull_functions{ascend, nearest_start, nearest_run};

}  // namespace rosenblatt::ROSENBLATT_ISA
