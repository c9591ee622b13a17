#include "core/hardware/accelerator.hpp"

#include <algorithm>

namespace zz::core {

bool Memory::holds(const std::string& memory_operand) const {
  return std::find(operands.begin(), operands.end(), memory_operand) != operands.end();
}

bool Memory::serves(const std::string& array_dimension) const {
  return std::find(served_dimensions.begin(), served_dimensions.end(), array_dimension) !=
         served_dimensions.end();
}

std::int64_t OperationalArray::unit_count() const {
  std::int64_t count = 1;
  for (const ArrayDimension& dimension : dimensions) count *= dimension.size;
  return count;
}

const ArrayDimension* OperationalArray::find(const std::string& array_dimension) const {
  for (const ArrayDimension& dimension : dimensions) {
    if (dimension.name == array_dimension) return &dimension;
  }
  return nullptr;
}

std::int64_t Accelerator::instances(const Memory& memory) const {
  std::int64_t count = 1;
  for (const ArrayDimension& dimension : array.dimensions) {
    if (!memory.serves(dimension.name)) count *= dimension.size;
  }
  return count;
}

}  // namespace zz::core
