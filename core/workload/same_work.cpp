#include "core/workload/same_work.hpp"

#include <algorithm>

namespace zz::core {
namespace {

// All fields are named, so that one that is added later must be looked at here before this compiles.

bool same_operand(const LayerOperand& a, const LayerOperand& b) {
  const auto& [name_a, dimensions_a, precision_a, constant_a, sources_a] = a;
  const auto& [name_b, dimensions_b, precision_b, constant_b, sources_b] = b;
  return name_a == name_b && dimensions_a == dimensions_b && precision_a == precision_b &&
         constant_a == constant_b;
}

}  // namespace

bool same_work(const Layer& a, const Layer& b) {
  const auto& [id_a, name_a, type_a, equation_a, loops_a, relations_a, operands_a, source_order_a,
               final_precision_a, mapping_a, exact_a] = a;
  const auto& [id_b, name_b, type_b, equation_b, loops_b, relations_b, operands_b, source_order_b,
               final_precision_b, mapping_b, exact_b] = b;
  return loops_a == loops_b && type_a == type_b && equation_a == equation_b && relations_a == relations_b &&
         std::equal(operands_a.begin(), operands_a.end(), operands_b.begin(), operands_b.end(),
                    same_operand) &&
         source_order_a == source_order_b && final_precision_a == final_precision_b &&
         mapping_a == mapping_b && exact_a == exact_b;
}

}  // namespace zz::core
