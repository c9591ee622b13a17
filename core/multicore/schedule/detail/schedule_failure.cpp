#include "core/multicore/schedule/detail/schedule_failure.hpp"

#include <fmt/format.h>

namespace zz::core {
namespace {

std::string layer_text(const Layer& layer) {
  return layer.name.empty() ? fmt::format("layer {}", layer.id)
                            : fmt::format("layer {} '{}'", layer.id, layer.name);
}

std::string tensor_text(const ScheduleProblem::Tables& tables, int tensor) {
  const PieceTensor& entry = tables.graph->tensors[tensor];
  const Layer& layer = *tables.graph->layers[entry.layer].layer;
  return fmt::format("operand {} of node {} of {} ({} bits)", layer.operands[entry.operand].name,
                     tables.graph->nodes[entry.first_node].sub_id, layer_text(layer), entry.bits);
}

std::string memory_text(const ScheduleProblem::Tables& tables, int memory) {
  const TopMemory& entry = tables.accelerator->top_memories[memory];
  return fmt::format("memory '{}' of core {} ({} bits)", entry.name, fmt::join(entry.cores, ", "),
                     entry.size);
}

}  // namespace

std::string to_string(const ScheduleFailure& failure, const ScheduleProblem::Tables& tables) {
  using Kind = ScheduleFailure::Kind;
  if (failure.kind == Kind::none) return "";
  std::string text = "before the first node";
  if (failure.node >= 0) {
    const ComputationNode& node = tables.graph->nodes[failure.node];
    text = fmt::format("node {} of {}", node.sub_id, layer_text(*tables.graph->layers[node.layer].layer));
    if (failure.core >= 0) text += fmt::format(" on core {}", failure.core);
  }
  text += ": ";
  const std::string tensor = failure.tensor < 0 ? "" : tensor_text(tables, failure.tensor);
  const std::string memory = failure.memory < 0 ? "" : memory_text(tables, failure.memory);
  switch (failure.kind) {
    case Kind::tensor_too_large:
      return text + fmt::format("{} is larger than {}; split the layer into smaller nodes{}", tensor,
                                memory, failure.node < 0 ? " or do not prefetch it" : "");
    case Kind::memory_full:
      return text + fmt::format(
                        "{} does not fit into {} beside what the node needs, {} bits are missing; "
                        "split the layer into smaller nodes",
                        tensor, memory, failure.missing);
    case Kind::overflow:
      return text + fmt::format("{} overflows {} at a later time", tensor, memory);
    case Kind::offchip_full:
    case Kind::offchip_uncounted:
      return text +
             fmt::format("{} does not fit into {}, which is the off-chip memory and cannot be relieved",
                         tensor, memory);
    case Kind::no_memory:
      return text + fmt::format("core {} has no memory for operand {}, where {} has to go", failure.core,
                                tables.memory_operands[failure.memory_operand], tensor);
    case Kind::nobody_has_it:
      return text +
             fmt::format("{} is in no memory from which core {} could take it", tensor, failure.core);
    case Kind::no_way:
      return text + fmt::format("there is no way for {} from core {} to {}", tensor, failure.core, memory);
    case Kind::none:
      break;
  }
  return text;
}

}  // namespace zz::core
