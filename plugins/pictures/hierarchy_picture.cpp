#include "plugins/pictures/hierarchy_picture.hpp"

#include <algorithm>
#include <numeric>

#include "core/hardware/memory_hierarchy.hpp"

namespace zz::plugins {
namespace {

struct Span {
  int first = 0, last = 0;
};

Span span_of(const core::Memory& memory, const std::vector<std::string>& columns) {
  Span span{static_cast<int>(columns.size()), -1};
  for (int column = 0; column < static_cast<int>(columns.size()); ++column) {
    if (!memory.holds(columns[column])) continue;
    span.first = std::min(span.first, column);
    span.last = std::max(span.last, column);
  }
  return span;
}

/// Columns that memories cover without holding their operand.
std::size_t gaps(const core::Accelerator& accelerator, const std::vector<std::string>& columns) {
  std::size_t total = 0;
  for (const core::Memory& memory : accelerator.memories) {
    const Span span = span_of(memory, columns);
    total += span.last - span.first + 1 - memory.operands.size();
  }
  return total;
}

/// The order of the operands with the fewest gaps; of several the first in alphabetical order.
std::vector<std::string> column_order(const core::Accelerator& accelerator,
                                      std::vector<std::string> operands) {
  std::sort(operands.begin(), operands.end());
  std::vector<std::string> best = operands;
  // Accelerators have three operands; for the many of an unusual one any order must do.
  if (operands.size() > 6) return best;
  while (std::next_permutation(operands.begin(), operands.end()))
    if (gaps(accelerator, operands) < gaps(accelerator, best)) best = operands;
  return best;
}

std::int64_t bandwidth(const core::Accelerator& accelerator, const core::MemoryHierarchy& hierarchy,
                       int memory, int operand, core::Direction direction) {
  const int port = hierarchy.port_of[memory][operand][static_cast<int>(direction)];
  return port < 0 ? 0 : accelerator.memories[memory].ports[port].bandwidth_max;
}

}  // namespace

HierarchyPicture hierarchy_picture(const core::Accelerator& accelerator) {
  const core::MemoryHierarchy& hierarchy = accelerator.hierarchy();
  HierarchyPicture picture;
  picture.columns = column_order(accelerator, hierarchy.operands);
  std::vector<int> height(picture.columns.size(), 0);
  std::vector<int> row_of(accelerator.memories.size(), 0);
  for (const int memory : hierarchy.topological_order) {
    const Span span = span_of(accelerator.memories[memory], picture.columns);
    const int row = 1 + *std::max_element(height.begin() + span.first, height.begin() + span.last + 1);
    std::fill(height.begin() + span.first, height.begin() + span.last + 1, row);
    row_of[memory] = row;
    picture.boxes.push_back({memory, row, span.first, span.last});
    picture.rows = std::max(picture.rows, row + 1);
  }
  for (int column = 0; column < static_cast<int>(picture.columns.size()); ++column) {
    const int operand = hierarchy.operand_index(picture.columns[column]);
    int lower_row = 0;
    for (const int memory : hierarchy.levels[operand]) {
      picture.wires.push_back(
          {column, lower_row, row_of[memory],
           bandwidth(accelerator, hierarchy, memory, operand, core::Direction::read_to_low),
           bandwidth(accelerator, hierarchy, memory, operand, core::Direction::write_from_low)});
      lower_row = row_of[memory];
    }
  }
  return picture;
}

}  // namespace zz::plugins
