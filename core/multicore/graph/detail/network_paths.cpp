#include "core/multicore/graph/detail/network_paths.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"

namespace zz::core {

namespace {

// A chain of diamonds doubles the paths each time. docs/limits.md names these limits.
constexpr std::size_t most_operators_between = 1000;
constexpr std::size_t most_steps = 20'000;

}  // namespace

std::string layer_title(const Layer& layer) { return fmt::format("layer {} '{}'", layer.id, layer.name); }

std::vector<int> fed_operands(const Layer& layer) {
  std::vector<int> operands;
  const auto add = [&](int operand) {
    const LayerOperand& candidate = layer.operands[operand];
    if (candidate.constant || candidate.sources.empty()) return;
    if (std::find(operands.begin(), operands.end(), operand) == operands.end()) operands.push_back(operand);
  };
  for (const int operand : layer.source_order) add(operand);
  for (int operand = 1; operand < static_cast<int>(layer.operands.size()); ++operand) add(operand);
  return operands;
}

namespace {

std::string too_many_paths(const Layer& layer) {
  return fmt::format("more than {} paths of operators lie between {} and other layers", most_steps,
                     layer_title(layer));
}

}  // namespace

NetworkPaths::NetworkPaths(const Workload& workload, const ComputationNodeGraph& graph)
    : graph_(graph), order_(workload.topological_order()) {
  for (const PassThroughNode& node : workload.pass_through) pass_through_[node.id] = &node;
  for (std::size_t i = 0; i < graph.layers.size(); ++i)
    layers_[graph.layers[i].layer->id] = static_cast<int>(i);
  for (const auto& [from, to] : workload.edges) {
    successors_[from].push_back(to);
    predecessors_[to].push_back(from);
  }
}

const PassThroughNode* NetworkPaths::pass_through(std::int64_t id) const {
  const auto found = pass_through_.find(id);
  return found == pass_through_.end() ? nullptr : found->second;
}

int NetworkPaths::layer(std::int64_t id) const {
  const auto found = layers_.find(id);
  return found == layers_.end() ? -1 : found->second;
}

const std::vector<std::int64_t>& NetworkPaths::neighbours(const Neighbours& of, std::int64_t id) const {
  static const std::vector<std::int64_t> none;
  const auto found = of.find(id);
  return found == of.end() ? none : found->second;
}

bool NetworkPaths::changes_shape(const LayerPath& path) const {
  return std::any_of(path.through.begin(), path.through.end(), [&](std::int64_t id) {
    return pass_through(id)->shape_change.kind != ShapeChange::Kind::none;
  });
}

void NetworkPaths::walk_back(std::int64_t id, LayerPath& path, Signatures& seen,
                             std::vector<LayerPath>& found) const {
  if (path.through.size() > most_operators_between)
    throw BeyondLimit{fmt::format("more than {} operators lie between {} and what feeds it",
                                  most_operators_between,
                                  layer_title(*graph_.layers[path.consumer].layer))};
  // Diamonds of activations would double the paths each time. What tells paths apart is what changes the
  // shape on them, and where they enter a concatenation. Behind an operator whose result may come from any
  // element nothing does.
  std::vector<std::int64_t> signature{id};
  for (std::size_t i = 0; i < path.through.size() && !path.any_element; ++i) {
    const ShapeChange::Kind kind = pass_through(path.through[i])->shape_change.kind;
    if (kind == ShapeChange::Kind::none) continue;
    signature.push_back(path.through[i]);
    if (kind == ShapeChange::Kind::concat)
      signature.push_back(i + 1 < path.through.size() ? path.through[i + 1] : id);
  }
  if (path.any_element) signature.push_back(-1);
  if (!seen.insert(std::move(signature)).second) return;
  if (seen.size() > most_steps) throw BeyondLimit{too_many_paths(*graph_.layers[path.consumer].layer)};

  if (const int producer = layer(id); producer >= 0) {
    found.push_back(path);
    found.back().producer = producer;
    std::reverse(found.back().through.begin(), found.back().through.end());
    return;
  }
  const PassThroughNode* node = pass_through(id);
  if (node == nullptr) return;
  const bool any_element_behind = path.any_element;
  path.any_element = path.any_element || node->shape_change.kind == ShapeChange::Kind::all;
  path.through.push_back(id);
  for (const std::int64_t source : node->sources) walk_back(source, path, seen, found);
  path.through.pop_back();
  path.any_element = any_element_behind;
}

std::vector<LayerPath> NetworkPaths::paths_to(int consumer, int operand) const {
  std::vector<LayerPath> found;
  Signatures seen;
  for (const std::int64_t source : graph_.layers[consumer].layer->operands[operand].sources) {
    LayerPath path{-1, consumer, operand, {}, false};
    walk_back(source, path, seen, found);
  }
  std::set<int> from_any;
  for (const LayerPath& path : found)
    if (path.any_element) from_any.insert(path.producer);
  std::set<int> told;
  const auto is_told = [&](const LayerPath& path) {
    return from_any.count(path.producer) != 0 && (!path.any_element || !told.insert(path.producer).second);
  };
  found.erase(std::remove_if(found.begin(), found.end(), is_told), found.end());
  return found;
}

/// A path from each layer whose data may reach the operand, whatever the operators between do.
std::vector<LayerPath> NetworkPaths::from_all_before(int consumer, int operand) const {
  std::vector<LayerPath> found;
  std::vector<std::int64_t> before = graph_.layers[consumer].layer->operands[operand].sources;
  std::set<std::int64_t> seen(before.begin(), before.end());
  while (!before.empty()) {
    const std::int64_t id = before.back();
    before.pop_back();
    if (const int producer = layer(id); producer >= 0) {
      found.push_back({producer, consumer, operand, {}, true});
    } else if (const PassThroughNode* node = pass_through(id)) {
      for (const std::int64_t source : node->sources)
        if (seen.insert(source).second) before.push_back(source);
    }
  }
  return found;
}

std::vector<LayerPath> NetworkPaths::paths(const Rules& rules, std::vector<std::string>& warnings) const {
  std::unordered_map<std::int64_t, std::size_t> position;
  for (std::size_t i = 0; i < order_.size(); ++i) position[order_[i]] = i;
  std::vector<LayerPath> found;
  for (const std::int64_t id : order_) {
    const int consumer = layer(id);
    if (consumer < 0) continue;
    for (const int operand : fed_operands(*graph_.layers[consumer].layer)) {
      std::vector<LayerPath> to_operand;
      try {
        to_operand = paths_to(consumer, operand);
      } catch (const BeyondLimit& limit) {
        if (rules.reshaped_data_repeated) throw InputError(limit.problem);
        warnings.push_back(limit.problem + ": it waits for all of what feeds it");
        to_operand = from_all_before(consumer, operand);
      }
      found.insert(found.end(), to_operand.begin(), to_operand.end());
    }
  }
  std::stable_sort(found.begin(), found.end(), [&](const LayerPath& a, const LayerPath& b) {
    return position[graph_.layers[a.producer].layer->id] < position[graph_.layers[b.producer].layer->id];
  });
  return found;
}

std::vector<ConnectedLayers> NetworkPaths::connected_layers() const {
  std::vector<ConnectedLayers> pairs;
  for (const std::int64_t id : order_) {
    const int producer = layer(id);
    if (producer < 0) continue;
    // The first operator without cost in the list gives way to its successors at the end of it.
    std::vector<std::int64_t> list = neighbours(successors_, id);
    std::size_t steps = 0;
    for (std::size_t next = 0; next < list.size();) {
      if (++steps > most_steps) throw InputError(too_many_paths(*graph_.layers[producer].layer));
      if (layer(list[next]) >= 0) {
        ++next;
        continue;
      }
      const std::vector<std::int64_t>& behind = neighbours(successors_, list[next]);
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(next));
      list.insert(list.end(), behind.begin(), behind.end());
    }
    for (const std::int64_t consumer : list) pairs.push_back({producer, layer(consumer)});
  }
  return pairs;
}

std::vector<int> NetworkPaths::operands_taken_as_fed(const ConnectedLayers& pair) const {
  const Layer& consumer = *graph_.layers[pair.consumer].layer;
  const std::int64_t producer = graph_.layers[pair.producer].layer->id;
  std::vector<int> operands;
  for (const int operand : fed_operands(consumer)) {
    for (const std::int64_t source : consumer.operands[operand].sources) {
      std::vector<std::int64_t> before = neighbours(predecessors_, source);
      for (std::size_t next = 0; next < before.size(); ++next) {
        const PassThroughNode* node = pass_through(before[next]);
        if (node == nullptr || node->shape_change.kind != ShapeChange::Kind::none) continue;
        for (const std::int64_t further : neighbours(predecessors_, before[next]))
          if (std::find(before.begin(), before.end(), further) == before.end()) before.push_back(further);
      }
      if (source == producer || std::find(before.begin(), before.end(), producer) != before.end())
        operands.push_back(operand);
    }
  }
  return operands;
}

}  // namespace zz::core
