#include "core/hardware/accelerator.hpp"

#include <algorithm>
#include <memory>

#include "core/hardware/memory_hierarchy.hpp"

namespace zz::core {

Request PortRequests::of(Direction direction) const {
  return store && is_upwards(direction) ? *store : Request{bytes, cycles};
}

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

HierarchyOwner& HierarchyOwner::operator=(const HierarchyOwner&) {
  delete hierarchy_.exchange(nullptr);
  return *this;
}

HierarchyOwner::~HierarchyOwner() { delete hierarchy_.load(); }

const MemoryHierarchy& HierarchyOwner::of(const Accelerator& accelerator) const {
  if (const MemoryHierarchy* made = hierarchy_.load()) return *made;
  auto hierarchy = std::make_unique<const MemoryHierarchy>(accelerator);
  const MemoryHierarchy* first = nullptr;  // of several threads that make it at once the first one wins
  return hierarchy_.compare_exchange_strong(first, hierarchy.get()) ? *hierarchy.release() : *first;
}

int Accelerator::memory_index(const std::string& memory) const {
  const auto found = std::find_if(memories.begin(), memories.end(),
                                  [&](const Memory& known) { return known.name == memory; });
  return found == memories.end() ? -1 : static_cast<int>(found - memories.begin());
}

bool Accelerator::is_topmost(std::size_t memory) const {
  const auto above = memories.begin() + static_cast<std::ptrdiff_t>(memory) + 1;
  const auto& held = memories[memory].operands;
  return std::all_of(held.begin(), held.end(), [&](const std::string& operand) {
    return std::none_of(above, memories.end(), [&](const Memory& other) { return other.holds(operand); });
  });
}

std::int64_t Accelerator::instances(const Memory& memory) const {
  std::int64_t count = 1;
  for (const ArrayDimension& dimension : array.dimensions) {
    if (!memory.serves(dimension.name)) count *= dimension.size;
  }
  return count;
}

}  // namespace zz::core
