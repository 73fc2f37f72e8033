// The products for one instruction set. Compiled once for each, with ROSENBLATT_ISA naming the namespace.
#include "dual/products.hpp"

#include "dual/products_table.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

extern const ProductFunctions product_functions;
const ProductFunctions product_functions{products<double>, products<float>, sums<double>, sums<float>};

}  // namespace rosenblatt::ROSENBLATT_ISA
