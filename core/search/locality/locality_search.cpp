#include "core/search/locality/locality_search.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {
namespace {

/// Connects around each pass-through node, in the order of the file. New edges come after the old ones,
/// which decides what the first predecessor of a layer is.
Workload without_pass_through(const Workload& workload) {
  std::vector<std::pair<std::int64_t, std::int64_t>> edges;
  std::set<std::pair<std::int64_t, std::int64_t>> known;
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> before;
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> after;
  const auto connect = [&](std::int64_t producer, std::int64_t consumer) {
    if (!known.emplace(producer, consumer).second) return;
    edges.emplace_back(producer, consumer);
    before[consumer].push_back(producer);
    after[producer].push_back(consumer);
  };
  for (const auto& [producer, consumer] : workload.edges) connect(producer, consumer);

  std::unordered_set<std::int64_t> removed;
  for (const PassThroughNode& node : workload.pass_through) {
    removed.insert(node.id);
    const std::vector<std::int64_t> producers = before[node.id];
    const std::vector<std::int64_t> consumers = after[node.id];
    for (const std::int64_t producer : producers) {
      if (removed.count(producer) > 0) continue;
      for (const std::int64_t consumer : consumers)
        if (removed.count(consumer) == 0) connect(producer, consumer);
    }
  }

  Workload result;
  result.name = workload.name;
  result.layers = workload.layers;
  for (const auto& edge : edges)
    if (removed.count(edge.first) == 0 && removed.count(edge.second) == 0) result.edges.push_back(edge);
  for (const std::int64_t node : workload.node_order)
    if (removed.count(node) == 0) result.node_order.push_back(node);
  return result;
}

}  // namespace

LayerGraph::LayerGraph(const Workload& workload) {
  const Workload only_layers = without_pass_through(workload);
  layers = only_layers.layers_in_order();
  std::unordered_map<std::int64_t, int> position;
  for (std::size_t i = 0; i < layers.size(); ++i) position.emplace(layers[i]->id, static_cast<int>(i));
  predecessors.resize(layers.size());
  successors.resize(layers.size());
  for (const auto& [producer, consumer] : only_layers.edges) {
    predecessors[position.at(consumer)].push_back(position.at(producer));
    successors[position.at(producer)].push_back(position.at(consumer));
  }
}

namespace {

constexpr std::int64_t unknown = -1;

void lower(std::int64_t& level, std::int64_t to) {
  if (level == unknown || level > to) level = to;
}

/// The operands and sizes of a layer.
struct LayerData {
  std::string activation, weight, output;  ///< memory operands
  std::int64_t input_bits = 0;             ///< of all inputs that are not constant
  std::int64_t output_bits = 0;
  std::int64_t weight_bits = 0;  ///< 0 without constant input
  bool constant_input = false;

  LayerData(const Layer& layer, const Rules& rules) : constant_input(has_constant_input(layer)) {
    const OperandRoles roles = operand_roles(layer);
    if (roles.activation >= 0) {
      activation = layer.memory_operand(roles.activation);
      input_bits = layer.operand_bits(roles.activation, rules);
    }
    if (roles.weight >= 0) {
      weight = layer.memory_operand(roles.weight);
      (constant_input ? weight_bits : input_bits) += layer.operand_bits(roles.weight, rules);
    }
    output = layer.memory_operand(0);
    output_bits = layer.operand_bits(0, rules);
  }
};

class Search {
 public:
  Search(const Workload& workload, const Accelerator& accelerator, const LocalityOptions& options)
      : graph_(workload), accelerator_(accelerator), options_(options) {
    for (const auto& layer : graph_.layers) {
      if (options.rules.locality_needs_two_inputs && layer->operands.size() < 3) {
        throw InputError(fmt::format(
            "layer '{}' has one input; ZigZag's data locality, which 'compat' asks for, needs two",
            layer->name));
      }
      const LayerData& data = data_.emplace_back(*layer, options.rules);
      all_weights_ += data.weight_bits;
      found_.levels.layers.push_back({layer->id, layer->name, unknown, unknown});
    }
    if (data_.empty()) return;
    found_.weights = top(data_.front().weight);
    for (std::size_t layer = 0; layer < data_.size(); ++layer) choose_levels(static_cast<int>(layer));
    if (options.network_data_at_top && !options.rules.locality_network_data_anywhere) raise_network_data();
  }

  Locality take() { return std::move(found_); }

 private:
  std::int64_t top(const std::string& operand) const {
    for (std::size_t i = accelerator_.memories.size(); i-- > 0;)
      if (accelerator_.memories[i].holds(operand)) return static_cast<std::int64_t>(i);
    return unknown;
  }

  void choose_levels(int layer) {
    const LayerData& data = data_[layer];
    LayerDataLevels& levels = found_.levels.layers[layer];
    const bool reads_network_input = graph_.predecessors[layer].empty();
    if (!reads_network_input) lower(levels.activation, level_of_input(layer));
    if (is_forked_or_joined(layer)) {
      if (reads_network_input) lower(levels.activation, top(data.activation));
      lower(levels.output, top(data.output));
    } else {
      for (std::size_t i = accelerator_.memories.size(); i-- > 0;) try_memory(layer, static_cast<int>(i));
    }
    if (levels.activation != unknown && levels.output != unknown) return;
    found_.warnings.push_back(
        fmt::format("layer '{}': no memory has room for its {} bits of input and {} of output; the topmost "
                    "one is taken",
                    levels.name, data.input_bits, data.output_bits));
    if (levels.activation == unknown) levels.activation = top(data.activation);
    if (levels.output == unknown) levels.output = top(data.output);
  }

  /// Where the layer before left its output; the topmost memory of the input when it is not held there.
  std::int64_t level_of_input(int layer) const {
    const std::int64_t level = found_.levels.layers[graph_.predecessors[layer].front()].output;
    const std::string& operand = data_[layer].activation;
    if (level >= 0 &&
        (options_.rules.locality_from_unheld_levels || accelerator_.memories[level].holds(operand)))
      return level;
    return top(operand);
  }

  bool is_forked_or_joined(int layer) const {
    const std::vector<int>& readers = graph_.successors[layer];
    if (readers.size() > 1) return true;
    return readers.size() == 1 && graph_.predecessors[readers.front()].size() > 1;
  }

  void try_memory(int layer, int index) {
    const Memory& memory = accelerator_.memories[index];
    const LayerData& data = data_[layer];
    const std::vector<int>& readers = graph_.successors[layer];
    const std::string& read_as = (readers.empty() ? data : data_[readers.front()]).activation;
    const bool passes_on = memory.holds(read_as) && memory.holds(data.output);
    const bool holds_weights = memory.holds(data.weight);
    if (!passes_on && !holds_weights) return;
    // A layer without weights counts with the tensors that it passes on only.
    const bool without_weights = passes_on && !data.constant_input;
    std::int64_t needed = 0;
    if (without_weights || memory.holds(data.activation)) needed += data.input_bits;
    if (memory.holds(data.output)) needed += data.output_bits;
    if (!without_weights && holds_weights) needed += all_weights_;
    if (needed > memory.size * accelerator_.instances(memory)) return;

    LayerDataLevels& levels = found_.levels.layers[layer];
    if (passes_on) {
      if (graph_.predecessors[layer].empty()) lower(levels.activation, index);
      lower(levels.output, index);
    }
    // In ZigZag a layer without weights lowers those of the others, though they were not counted.
    if (without_weights && !options_.rules.locality_levels_uncounted) return;
    const bool for_all_units = memory.served_dimensions.size() == accelerator_.array.dimensions.size();
    if (holds_weights && for_all_units) found_.weights = std::min<std::int64_t>(found_.weights, index);
  }

  void raise_network_data() {
    for (std::size_t layer = 0; layer < data_.size(); ++layer) {
      LayerDataLevels& levels = found_.levels.layers[layer];
      if (graph_.predecessors[layer].empty()) levels.activation = top(data_[layer].activation);
      if (graph_.successors[layer].empty()) levels.output = top(data_[layer].output);
    }
  }

  const LayerGraph graph_;
  const Accelerator& accelerator_;
  const LocalityOptions options_;
  std::vector<LayerData> data_;
  std::int64_t all_weights_ = 0;
  Locality found_;
};

}  // namespace

Locality search_locality(const Workload& workload, const Accelerator& accelerator,
                         const LocalityOptions& options) {
  return Search(workload, accelerator, options).take();
}

}  // namespace zz::core
