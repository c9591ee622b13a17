#include "core/workload/workload.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/base/diagnostics.hpp"
#include "core/base/text.hpp"

namespace zz::core {

const Layer* Workload::layer(std::int64_t id) const {
  for (const auto& candidate : layers) {
    if (candidate->id == id) return candidate.get();
  }
  return nullptr;
}

std::optional<double> Workload::missing_mac_share() const {
  double costed = 0, missing = 0;
  for (const auto& layer : layers)
    if (!layer->vector_work) costed += static_cast<double>(layer->mac_count());
  for (const UncostedNode& node : uncosted) {
    if (!node.mac_count) return std::nullopt;
    missing += static_cast<double>(*node.mac_count);
  }
  return missing == 0 ? 0 : missing / (costed + missing);
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

std::string workload_problem(const Workload& workload) {
  std::unordered_set<std::int64_t> ids, ordered;
  for (std::size_t i = 0; i < workload.layers.size(); ++i) {
    if (workload.layers[i] == nullptr) return fmt::format("workload.layers[{}]: must not be null", i);
    const std::int64_t id = workload.layers[i]->id;
    if (!ids.insert(id).second)
      return fmt::format("workload.layers[{}].id: {} is that of another node", i, id);
  }
  for (std::size_t i = 0; i < workload.pass_through.size(); ++i) {
    const std::int64_t id = workload.pass_through[i].id;
    if (!ids.insert(id).second)
      return fmt::format("workload.pass_through[{}].id: {} is that of another node", i, id);
  }
  for (const std::int64_t id : workload.node_order) {
    if (!ids.contains(id)) return fmt::format("workload.node_order: there is no node {}", id);
    if (!ordered.insert(id).second) return fmt::format("workload.node_order: {} stands twice", id);
  }
  for (const std::int64_t id : ids)
    if (!ordered.contains(id)) return fmt::format("workload.node_order: node {} is missing", id);
  for (const auto& [producer, consumer] : workload.edges) {
    for (const std::int64_t id : {producer, consumer})
      if (!ids.contains(id))
        return fmt::format("workload.edges: {} -> {}, but there is no node {}", producer, consumer, id);
  }
  try {
    workload.topological_order();
  } catch (const InputError&) {
    return "workload.edges: layers depend on each other in a circle";
  }
  return "";
}

std::vector<std::uint32_t> groups_of_distinct_names(
    const std::vector<std::shared_ptr<const Layer>>& layers) {
  std::vector<std::uint32_t> lengths;
  std::set<std::string> names;
  for (const auto& layer : layers) {
    std::string name = layer->name;
    std::replace(name.begin(), name.end(), '/', '_');
    const bool known = !names.insert(name).second;
    if (known || lengths.empty()) {
      names = {name};
      lengths.push_back(0);
    }
    ++lengths.back();
  }
  return lengths;
}

double batch_of_loops(const Workload& workload) {
  return workload.layers.empty() ? 0 : static_cast<double>(workload.layers.front()->loop_size("B"));
}

namespace {

/// "O[k]" becomes "O[b][k]".
void add_index(std::string& equation, const std::string& operand) {
  const std::size_t at = equation.find(operand + "[");
  equation.insert(at == std::string::npos ? equation.size() : at + operand.size(), "[b]");
}

/// False where nothing says which input has a batch.
bool add_batch_loop(Layer& layer) {
  std::vector<std::size_t> with_batch{0};
  for (std::size_t i = 1; i < layer.operands.size(); ++i)
    if (!layer.operands[i].constant) with_batch.push_back(i);
  if (with_batch.size() == 1) return false;
  layer.loops.insert(layer.loops.begin(), {"B", 1});
  for (const std::size_t i : with_batch) {
    LayerOperand& operand = layer.operands[i];
    operand.dimensions.insert(operand.dimensions.begin(), "B");
    add_index(layer.equation, operand.name);
  }
  return true;
}

}  // namespace

void set_batch(Workload& workload, std::int64_t batch) {
  std::string without;
  for (auto& layer : workload.layers) {
    auto changed = std::make_shared<Layer>(*layer);
    if (changed->loop_index("B") < 0 && !add_batch_loop(*changed)) {
      without += fmt::format("{}'{}'", without.empty() ? "" : ", ", layer->name);
      continue;
    }
    changed->loops[static_cast<std::size_t>(changed->loop_index("B"))].size = batch;
    layer = std::move(changed);
  }
  if (!without.empty())
    throw InputError(
        fmt::format("`batch: {}` cannot be given: it is the length of the loop B, which these layers "
                    "do not have, nor an input that is no weight: {}; write B into `loop_dims` and the "
                    "equation, or name what the input comes from in `operand_source`",
                    batch, shown_text(without)));
  workload.frames = static_cast<double>(batch);
}

}  // namespace zz::core
