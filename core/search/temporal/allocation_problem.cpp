#include "core/search/temporal/allocation_problem.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "core/base/diagnostics.hpp"
#include "core/hardware/layer_sparsity.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

AllocationProblem::AllocationProblem(const Layer& layer, const Accelerator& accelerator,
                                     const SpatialMapping& spatial_mapping, const Rules& rules)
    : dimensions(static_cast<int>(layer.loops.size())), average_rounds(rules.room_of_average_round) {
  if (dimensions > max_loop_dimensions || layer.operands.size() > max_operands) {
    throw InputError(
        fmt::format("layer '{}' has {} loop dimensions and {} operands; at most {} and {} can be mapped",
                    layer.name, dimensions, layer.operands.size(), max_loop_dimensions, max_operands));
  }
  if (spatial_mapping.operands.size() != layer.operands.size()) {
    throw InputError(fmt::format("layer '{}': the spatial mapping is one of another layer", layer.name));
  }
  windows = windows_of(layer, rules);
  most.fill(std::numeric_limits<double>::infinity());
  for (int loop = 0; loop < dimensions && !average_rounds; ++loop)
    most[loop] = static_cast<double>(layer.loops[loop].size);
  operands.reserve(layer.operands.size());
  for (std::size_t index = 0; index < layer.operands.size(); ++index) {
    Operand& operand = operands.emplace_back();
    operand.output = index == 0;
    operand.has_relations = layer.has_relations(static_cast<int>(index));
    const MemoryHierarchy& memories = accelerator.hierarchy();
    const int held_as = memories.operand_index(layer.memory_operand(static_cast<int>(index)));
    operand.bits = held_bits_of(layer, static_cast<int>(index), accelerator,
                                held_as < 0 ? std::vector<int>() : memories.levels[held_as]);
    const std::vector<Relevancy> relevancy = relevancies(layer, static_cast<int>(index));
    for (const std::string& name : layer.operands[index].dimensions) {
      const int loop = layer.loop_index(name);
      if (loop >= 0 && relevancy[loop] == Relevancy::relevant) operand.relevant.push_back(loop);
    }
    for (int loop = 0; loop < dimensions; ++loop)
      operand.irrelevant[loop] = relevancy[loop] == Relevancy::irrelevant;
    for (const int loop : operand.relevant) operand.sizes[loop] = true;
    for (const Window& window : windows) {
      for (const int loop : {window.output_loop, window.filter_loop})
        if (operand.has_relations && loop >= 0) operand.sizes[loop] = true;
    }
    if (spatial_mapping.operands[index].levels.size() > max_memory_levels) {
      throw InputError(fmt::format("layer '{}': operand {} has more than {} memory levels", layer.name,
                                   layer.operands[index].name, max_memory_levels - 1));
    }
    operand.spatial = UnrolledLevels(layer, spatial_mapping.operands[index]);
    for (std::size_t level = operand.spatial.size(); level-- > 0;) {
      const std::span<const UnrolledFactor> loops = operand.spatial[level];
      const bool here = std::any_of(loops.begin(), loops.end(), [&](const UnrolledFactor& loop) {
        return operand.irrelevant[loop.dimension] && (loop.factor > 1 || rules.adds_up_once);
      });
      operand.irrelevant_above[level] = here || operand.irrelevant_above[level + 1];
    }
  }

  const MemoryHierarchy& hierarchy = accelerator.hierarchy();
  std::array<int, max_operands> next_level{};
  nodes.reserve(hierarchy.topological_order.size());
  for (const int memory : hierarchy.topological_order) {
    Node node{memory, static_cast<double>(accelerator.memories[memory].size), {}, 0};
    node.held.reserve(accelerator.memories[memory].operands.size());
    for (const std::string& memory_operand : accelerator.memories[memory].operands) {
      const int operand = layer.operand_assigned_to(memory_operand);
      if (operand < 0) continue;
      const auto& levels = hierarchy.levels[hierarchy.operand_index(memory_operand)];
      if (levels.size() + 1 != operands[operand].spatial.size()) {
        throw InputError(fmt::format(
            "layer '{}': the spatial mapping has {} levels for operand {}, the accelerator {}", layer.name,
            operands[operand].spatial.size(), layer.operands[operand].name, levels.size() + 1));
      }
      node.held.push_back({operand, next_level[operand]++, levels.back() == memory});
    }
    const auto shares = [&](const Held& held) { return held.operand > 0 && !held.top; };
    if (accelerator.memories[memory].shared_tiles &&
        std::count_if(node.held.begin(), node.held.end(), shares) > 1) {
      for (std::size_t position = 0; position < node.held.size(); ++position) {
        const Held& held = node.held[position];
        if (!shares(held)) continue;
        operands[held.operand].shares_tiles[static_cast<std::size_t>(held.level)] = true;
        node.tied |= 1U << position;
      }
    }
    if (!node.held.empty()) nodes.push_back(std::move(node));
  }
}

double AllocationProblem::in_a_round(const UnrolledFactor& loop) const {
  return average_rounds ? loop.factor : std::ceil(snapped(loop.factor));
}

AllocationProblem::Products AllocationProblem::unrolled_below(const Operand& operand, int level) const {
  Products iterations;
  iterations.fill(1);
  for (int below = 0; below <= level; ++below)
    for (const UnrolledFactor& loop : operand.spatial[static_cast<std::size_t>(below)])
      iterations[loop.dimension] *= in_a_round(loop);
  return iterations;
}

double AllocationProblem::tensor_elements(const Operand& operand, const Products& iterations) const {
  const auto walked = [&](int loop) { return std::min(iterations[loop], most[loop]); };
  double elements = 1;
  for (const int loop : operand.relevant) elements *= walked(loop);
  if (!operand.has_relations) return elements;
  for (const Window& window : windows) elements *= window.average(walked);
  return elements;
}

bool AllocationProblem::is_finished(const Operand& operand, int level, int below,
                                    const CompactMapping& mapping) const {
  if (!operand.output || operand.irrelevant_above[static_cast<std::size_t>(level) + 1]) return false;
  for (int loop = below; loop < mapping.loops; ++loop) {
    if (operand.irrelevant[mapping.dimension[loop]]) return false;
  }
  return true;
}

}  // namespace zz::core
