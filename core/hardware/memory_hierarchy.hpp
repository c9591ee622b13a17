#pragma once
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/hardware/accelerator.hpp"

namespace zz::core {

/// A transfer that a port serves: memory operand (index into MemoryHierarchy::operands), its level
/// there, and the direction.
struct PortService {
  int operand = 0;
  int level = 0;
  Direction direction = Direction::read_to_low;
};

/// A port that serves something, with its transfers in the order that decides ties.
struct ServingPort {
  int port = 0;  ///< index into Memory::ports
  std::vector<PortService> services;
};

/// The graph that the memories of an accelerator form, as index tables: a function of the memories alone,
/// so derived accelerators need no bookkeeping. Memories are indices in file order.
///
/// Order and level rules: ZigZag 3.8.5, see docs/design.md "Memory hierarchy".
struct MemoryHierarchy {
  /// Memory operands in the order in which the memories name them first.
  std::vector<std::string> operands;
  /// Per operand its memories from the lowest to the topmost, in topological order.
  std::vector<std::vector<int>> levels;
  std::vector<int> topological_order;  ///< all memories
  std::vector<int> inner_memories;     ///< memories that no other one feeds: next to the units
  /// Per memory its ports that serve something.
  std::vector<std::vector<ServingPort>> ports;
  /// Port of (memory, operand, direction) as index into Memory::ports, or -1.
  std::vector<std::vector<std::array<int, direction_count>>> port_of;
  /// Memories held by two operands or more, as (operand, level) pairs; equal ones are listed once.
  std::vector<std::vector<std::pair<int, int>>> shared;

  explicit MemoryHierarchy(const Accelerator& accelerator);
  int operand_index(const std::string& memory_operand) const;  ///< -1 when none holds it
};

}  // namespace zz::core
