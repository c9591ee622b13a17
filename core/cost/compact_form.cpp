#include "core/cost/compact_form.hpp"

#include <fmt/format.h>
#include <string>

#include "core/base/diagnostics.hpp"

namespace zz::core {

CompactMapping compact_form(const Layer& layer, std::span<const int> levels,
                            const TemporalMapping& mapping) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("temporal mapping of layer '{}': {}", layer.name, what));
  };
  if (mapping.loops.size() > max_temporal_loops)
    refuse(fmt::format("more than {} loops", max_temporal_loops));
  if (mapping.operands.size() != levels.size()) refuse("it does not have the operands of the layer");
  CompactMapping compact;
  for (const TemporalLoop& loop : mapping.loops) {
    const int dimension = layer.loop_index(loop.dimension);
    if (dimension < 0) refuse(fmt::format("'{}' is no loop of the layer", loop.dimension));
    if (loop.size < 1) refuse(fmt::format("loop {} has {} iterations", loop.dimension, loop.size));
    compact.dimension[compact.loops] = static_cast<std::uint8_t>(dimension);
    compact.size[compact.loops++] = loop.size;
  }
  for (std::size_t operand = 0; operand < mapping.operands.size(); ++operand) {
    const OperandTemporalMapping& cuts = mapping.operands[operand];
    const auto count = static_cast<std::size_t>(levels[operand]);
    if (cuts.operand != layer.operands[operand].name || cuts.stationary.size() != count) {
      refuse(fmt::format("operand {} must be {} with {} memory levels", operand,
                         layer.operands[operand].name, count));
    }
    int below = 0;
    for (std::size_t level = 0; level < count; ++level) {
      if (cuts.stationary[level] < below) refuse(fmt::format("the cuts of {} decrease", cuts.operand));
      below = cuts.stationary[level];
      compact.stationary[operand][level] = static_cast<std::uint8_t>(below);
    }
    if (below != compact.loops)
      refuse(fmt::format("the topmost memory of {} does not hold all loops", cuts.operand));
  }
  return compact;
}

}  // namespace zz::core
