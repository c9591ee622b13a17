#include "core/multicore/bound/detail/move_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace zz::core {
namespace {

constexpr double infinite_cost = std::numeric_limits<double>::infinity();

}  // namespace

double MoveCosts::fetch(int layer, int operand) const {
  double least = infinite_cost;
  for (const int core : cores_[layer])
    least = std::min(least,
                     move(offchip_, memory(offchip_, layer, operand), core, memory(core, layer, operand)));
  return least;
}

double MoveCosts::write(int layer) const {
  double least = infinite_cost;
  for (const int core : cores_[layer])
    least = std::min(least, move(core, memory(core, layer, 0), offchip_, memory(offchip_, layer, 0)));
  return least;
}

double MoveCosts::pass_on(const DirectInput& input) const {
  double least = fetch(input.consumer, input.operand);
  for (const int from : cores_[input.producer])
    for (const int to : cores_[input.consumer])
      least = std::min(least, move(from, memory(from, input.producer, 0), to,
                                   memory(to, input.consumer, input.operand)));
  return least;
}

int MoveCosts::memory(int core, int layer, int operand) const {
  return accelerator_.top(core, whole_.layers[layer].layer->memory_operand(operand));
}

double MoveCosts::move(int from, int source, int to, int target) const {
  if (source < 0 || target < 0 || source == target) return 0;
  const std::vector<int>& owners = accelerator_.top_memories[source].cores;
  double cost = 0, narrowest = infinite_cost, links = 0;
  if (std::find(owners.begin(), owners.end(), to) == owners.end()) {
    for (const int link : accelerator_.route(from, to)) {
      narrowest = std::min(narrowest, accelerator_.links[link].bandwidth);
      links += accelerator_.links[link].unit_energy;
    }
    if (!std::isinf(narrowest)) cost += links / narrowest;
  }
  const TopMemory &read = accelerator_.top_memories[source], &written = accelerator_.top_memories[target];
  return cost + read.read_cost / static_cast<double>(read.read_bandwidth) +
         written.write_cost / static_cast<double>(written.write_bandwidth);
}

}  // namespace zz::core
