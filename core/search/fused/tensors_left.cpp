#include "core/search/fused/tensors_left.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <tuple>

#include "core/base/diagnostics.hpp"
#include "core/search/fused/fused_check.hpp"

namespace zz::core {
namespace {

using Role = FusedOperand::Role;

/// Loops that are shared by all layers from one to another.
int common_loops(const FusedMapping& mapping, int from, int to) {
  int loops = static_cast<int>(mapping.layers[from].shared.size());
  for (int between = from; between < to; ++between)
    loops = std::min(loops, mapping.layers[between].with_next);
  return loops;
}

/// Number of loops of a layer's nest below its `depth` outermost shared ones.
int loops_below(const FusedLayer& layer, int depth) {
  int loops = layer.mapping.loops;
  for (int shared = 0; shared < depth; ++shared)
    for (std::int64_t left = layer.shared[shared].iterations; left > 1;)
      left /= layer.mapping.size[--loops];
  return loops;
}

class Variant {
 public:
  Variant(const FusedNetwork& network, const FusedMapping& mapping)
      : network_(network), mapping_(mapping) {}

  LeftTensor with(std::size_t number, int exchange_memory) {
    const NetworkTensor& tensor = network_.tensors[number];
    left_.exchange_memory = exchange_memory;
    const int depth = common_loops(mapping_, tensor.producer, tensor.uses.front().layer);
    for (const NetworkTensor::Use& use : tensor.uses)
      if (common_loops(mapping_, tensor.producer, use.layer) < depth)
        left_.obstacle =
            fmt::format("'{}' reads it outside of the loops that '{}' and '{}' share", name(use.layer),
                        name(tensor.producer), name(tensor.uses.front().layer));
    exchange(tensor.producer, 0, depth);
    for (const NetworkTensor::Use& use : tensor.uses)
      if (use.operand != NetworkTensor::added) exchange(use.layer, use.operand, depth);
    if (left_.obstacle.empty()) find_room();
    return left_;
  }

 private:
  const std::string& name(int layer) const { return network_.layers[layer].layer->name; }

  void exchange(int index, int operand, int depth) {
    if (!left_.obstacle.empty()) return;
    FusedLayer& layer = mapping_.layers[index];
    const NetworkLayer& own = network_.layers[index];
    const Accelerator& accelerator = *own.problem.accelerator;
    const int exchange_memory = own.memory(left_.exchange_memory);
    if (exchange_memory < 0) {
      left_.obstacle =
          fmt::format("'{}' runs on the vector unit, which lacks the exchange memory", name(index));
      return;
    }
    const Memory& memory = accelerator.memories[exchange_memory];
    const std::string& memory_operand = own.problem.layer->memory_operand(operand);
    if (!may_be_exchanged(accelerator, exchange_memory, memory_operand)) {
      left_.obstacle = fmt::format("'{}' holds no {}", memory.name, memory_operand);
      return;
    }
    int level = 0;
    for (int below = 0; below < exchange_memory; ++below)
      level += accelerator.memories[below].holds(memory_operand) ? 1 : 0;
    layer.exchange_memory = left_.exchange_memory;
    layer.operands[operand] = {Role::exchanged, depth};
    auto& cuts = layer.mapping.stationary[operand];
    cuts[level] = static_cast<std::uint8_t>(loops_below(layer, depth));
    std::fill(cuts.begin() + level + 1, cuts.end(), static_cast<std::uint8_t>(layer.mapping.loops));
    layer.mapping.allocated[operand] = cuts;
    try {
      layer.problem = seen_in_group(own, layer);
      const double energy = model_of(layer.problem).score(layer.mapping).energy_total;
      if (!(energy >= 0)) {
        left_.obstacle = fmt::format("sums of '{}' that are not finished cannot be moved into '{}'",
                                     name(index), memory.name);
        return;
      }
      left_.saved += layer.energy - energy;
      layer.energy = energy;
    } catch (const NoResult& reason) {
      left_.obstacle = reason.what();
    }
  }

  void find_room() {
    const std::vector<PhaseRoom> phases = phase_rooms(network_, mapping_, left_.exchange_memory);
    for (std::size_t layer = 0; layer < phases.size(); ++layer) {
      if (phases[layer].bits <= left_.needed) continue;
      left_.needed = phases[layer].bits;
      left_.fullest = static_cast<int>(layer);
    }
    const Memory& exchange_memory = array_of(network_)->memories[left_.exchange_memory];
    left_.missing = std::max(0.0, left_.needed - static_cast<double>(exchange_memory.size));
  }

  const FusedNetwork& network_;
  FusedMapping mapping_;
  LeftTensor left_;
};

}  // namespace

std::vector<LeftTensor> tensors_left(const FusedNetwork& network, const FusedMapping& mapping,
                                     const std::vector<int>& exchange_memories) {
  std::vector<LeftTensor> left;
  const int in_use = exchange_memory_of(mapping);
  for (std::size_t number = 0; number < network.tensors.size(); ++number) {
    const int producer = network.tensors[number].producer;
    if (mapping.layers[producer].operands[0].role == Role::exchanged) continue;
    LeftTensor& least = left.emplace_back();
    least.obstacle = network.tensors[number].exchangeable ? "no memory can be the exchange memory"
                                                          : network.tensors[number].obstacle;
    for (const int exchange_memory : exchange_memories) {
      if (!network.tensors[number].exchangeable || (in_use >= 0 && exchange_memory != in_use)) continue;
      const LeftTensor one = Variant(network, mapping).with(number, exchange_memory);
      const auto order = [](const LeftTensor& of) {
        return std::tuple(!of.obstacle.empty(), of.missing, -of.saved);
      };
      if (least.exchange_memory < 0 || order(one) < order(least)) least = one;
    }
    least.tensor = static_cast<int>(number);
  }
  return left;
}

}  // namespace zz::core
