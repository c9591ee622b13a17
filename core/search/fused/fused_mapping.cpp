#include "core/search/fused/fused_mapping.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace zz::core {

std::vector<FusedGroup> groups_of(const FusedNetwork& network, const FusedMapping& mapping) {
  const int count = mapping.layers.count();
  std::vector<bool> joined(mapping.layers.size(), false);  // with the next layer
  for (int layer = 0; layer < count; ++layer) {
    const FusedLayer& member = mapping.layers[layer];
    if (member.with_next > 0) joined[layer] = true;
    if (member.operands[0].role != FusedOperand::Role::exchanged) continue;
    const auto& uses = network.tensors[network.tensor_at(layer, 0)].uses;
    for (int within = layer; within < uses.back().layer; ++within) joined[within] = true;
  }
  std::vector<FusedGroup> groups;
  for (int layer = 0; layer < count; ++layer) {
    int last = layer;
    while (joined[last]) ++last;
    if (last > layer) groups.push_back({layer, last});
    layer = last;
  }
  return groups;
}

std::vector<RepeatedGroup> distinct_groups(const FusedNetwork& network, const FusedMapping& mapping) {
  std::vector<RepeatedGroup> distinct;
  for (const FusedGroup& group : groups_of(network, mapping)) {
    RepeatedGroup row{.group = group};
    for (int layer = group.first; layer <= group.last; ++layer) {
      row.fused += mapping.layers[layer].energy;
      row.unfused += network.layers[layer].by_itself->energy;
      row.fused_latency += mapping.layers[layer].latency;
      row.unfused_latency += network.layers[layer].by_itself->latency;
    }
    const auto same = std::find_if(distinct.begin(), distinct.end(), [&](const RepeatedGroup& known) {
      return known.group.last - known.group.first == group.last - group.first && known.fused == row.fused &&
             known.unfused == row.unfused;
    });
    if (same != distinct.end())
      ++same->times;
    else
      distinct.push_back(row);
  }
  return distinct;
}

std::vector<std::optional<GroupMember>> members_of(const FusedNetwork& network,
                                                   const FusedMapping& mapping) {
  constexpr std::array words = {"brought", "kept", "exchanged"};
  std::vector<std::optional<GroupMember>> members(mapping.layers.size());
  const int memory = exchange_memory_of(mapping);
  const std::string exchange_memory = memory < 0 ? "" : exchange_memory_name(network, memory);
  std::int64_t number = 0;
  for (const FusedGroup& group : groups_of(network, mapping)) {
    ++number;
    for (int index = group.first; index <= group.last; ++index) {
      const FusedLayer& member = mapping.layers[index];
      const Layer& layer = *network.layers[index].layer;
      GroupMember& member_words = members[index].emplace();
      member_words.group = number;
      member_words.exchange_memory = exchange_memory;
      member_words.with_next = member.with_next;
      for (const SharedLoop& loop : member.shared)
        member_words.shared.push_back(
            {layer.loops[network.axis_of(index, loop.axis)->dimension].name, loop.iterations});
      for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
        const FusedOperand& of = member.operands[operand];
        member_words.operands.push_back({layer.operands[operand].name,
                                         words.at(static_cast<std::size_t>(of.role)), of.depth,
                                         of.role == FusedOperand::Role::brought ? "" : exchange_memory});
      }
    }
  }
  return members;
}

int exchange_memory_of(const FusedMapping& mapping) {
  for (const FusedLayer& layer : mapping.layers)
    if (layer.exchange_memory >= 0) return layer.exchange_memory;
  return -1;
}

const std::string& exchange_memory_name(const FusedNetwork& network, int exchange_memory) {
  return array_of(network)->memories[exchange_memory].name;
}

bool may_exchange(const FusedNetwork& network, std::size_t layer, int operand, int exchange_memory) {
  const NetworkLayer& own = network.layers[layer];
  const int tensor = network.tensor_at(static_cast<int>(layer), operand);
  const int there = own.memory(exchange_memory);
  return tensor >= 0 && network.tensors[tensor].exchangeable && there >= 0 &&
         may_be_exchanged(*own.problem.accelerator, there, own.problem.layer->memory_operand(operand));
}

MappingProblem seen_in_group(const NetworkLayer& layer, int exchange_memory,
                             const std::vector<std::string>& exchanged) {
  if (exchanged.empty()) return layer.problem;
  MappingProblem seen =
      unrolled_problem(*layer.layer,
                       std::make_shared<const Accelerator>(exchanging(
                           *layer.problem.accelerator, layer.memory(exchange_memory), exchanged)),
                       layer.unrolling(), layer.problem.options);
  seen.lengths = layer.problem.lengths;
  return seen;
}

MappingProblem seen_in_group(const NetworkLayer& layer, const FusedLayer& member) {
  std::vector<std::string> exchanged;
  for (std::size_t operand = 0; operand < layer.layer->operands.size(); ++operand)
    if (member.operands[operand].role == FusedOperand::Role::exchanged)
      exchanged.push_back(layer.problem.layer->memory_operand(static_cast<int>(operand)));
  MappingProblem seen = seen_in_group(layer, member.exchange_memory, exchanged);
  seen.lengths.clear();  // its mapping has the tiles
  return seen;
}

}  // namespace zz::core
