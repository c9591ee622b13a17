#include "core/workload/workload.hpp"

#include <unordered_map>

#include "core/diagnostics/diagnostics.hpp"

namespace zz::core {

const Layer* Workload::layer(std::int64_t id) const {
  for (const auto& candidate : layers) {
    if (candidate->id == id) return candidate.get();
  }
  return nullptr;
}

std::vector<std::int64_t> Workload::topological_order() const {
  std::unordered_map<std::int64_t, int> unreleased;
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> successors;
  for (const auto& [producer, consumer] : edges) {
    ++unreleased[consumer];
    successors[producer].push_back(consumer);
  }
  std::vector<std::int64_t> order;
  for (const std::int64_t node : node_order) {
    if (unreleased[node] == 0) order.push_back(node);
  }
  // A queue keeps the order of the generations: whatever a generation releases comes after all of it.
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const std::int64_t successor : successors[order[next]]) {
      if (--unreleased[successor] == 0) order.push_back(successor);
    }
  }
  if (order.size() != node_order.size()) {
    throw InputError("workload '" + name + "': its layers depend on each other in a circle");
  }
  return order;
}

std::vector<std::shared_ptr<const Layer>> Workload::layers_in_order() const {
  std::unordered_map<std::int64_t, std::shared_ptr<const Layer>> by_id;
  for (const auto& layer : layers) by_id.emplace(layer->id, layer);
  std::vector<std::shared_ptr<const Layer>> ordered;
  for (const std::int64_t node : topological_order()) {
    if (const auto found = by_id.find(node); found != by_id.end()) ordered.push_back(found->second);
  }
  return ordered;
}

}  // namespace zz::core
