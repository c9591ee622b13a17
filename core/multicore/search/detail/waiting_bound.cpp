#include "core/multicore/search/detail/waiting_bound.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace zz::core {
namespace {

/// Numbers of each loop's iterations.
using Counts = std::vector<std::int64_t>;

class Cone {
 public:
  Cone(const ComputationNodeGraph& whole, const std::vector<DirectInput>& inputs, const LayerNeeds& needs)
      : whole_(whole), needs_(needs), inputs_(whole.layers.size()) {
    for (const DirectInput& input : inputs) inputs_[input.consumer].push_back(&input);
  }

  /// The least share of each layer's output that some node of `layer` depends on; of itself none.
  std::map<int, double> shares(int layer) const {
    std::map<int, Counts> made;  // loops of each layer in the cone, reductions whole
    made[layer] = one_output(layer);
    // A node may add up a part only.
    for (std::size_t loop = 0; loop < made[layer].size(); ++loop)
      if (needs_.cut_loops[layer][loop]) made[layer][loop] = 1;
    std::map<int, double> shares;
    // Layers stand in the order of their ids, which need not be that of the data: repeat until nothing
    // grows.
    std::vector<int> open{layer};
    while (!open.empty()) {
      const int reader = open.back();
      open.pop_back();
      for (const DirectInput* input : inputs_[reader]) {
        Counts counts = needed_of(*input, made[reader]);
        const double share = share_of(input->producer, counts);
        if (const auto known = shares.find(input->producer);
            known != shares.end() && known->second >= share)
          continue;
        shares[input->producer] = share;
        made[input->producer] = std::move(counts);
        open.push_back(input->producer);
      }
    }
    return shares;
  }

 private:
  bool moves_output(int layer, int loop) const {
    return !is_irrelevant(*whole_.layers[layer].layer, 0, loop);
  }

  Counts one_output(int layer) const {
    Counts counts = whole_.layers[layer].loop_sizes;
    for (std::size_t loop = 0; loop < counts.size(); ++loop)
      if (moves_output(layer, static_cast<int>(loop))) counts[loop] = 1;
    return counts;
  }

  Counts needed_of(const DirectInput& input, const Counts& made) const {
    const CutLayer& producer = whole_.layers[input.producer];
    Counts counts = one_output(input.producer);
    const std::vector<std::string>& axes = producer.layer->operands[0].dimensions;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const int loop = producer.layer->loop_index(axes[axis]);
      if (loop < 0) continue;
      const std::int64_t read = touched_along(whole_.layers[input.consumer], input.operand, axis, made);
      counts[loop] = std::clamp<std::int64_t>(read, 1, producer.loop_sizes[loop]);
    }
    return counts;
  }

  double share_of(int layer, const Counts& counts) const {
    double share = 1;
    for (std::size_t loop = 0; loop < counts.size(); ++loop)
      if (moves_output(layer, static_cast<int>(loop)))
        share *=
            static_cast<double>(counts[loop]) / static_cast<double>(whole_.layers[layer].loop_sizes[loop]);
    return share;
  }

  const ComputationNodeGraph& whole_;
  const LayerNeeds& needs_;
  std::vector<std::vector<const DirectInput*>> inputs_;  ///< by consumer
};

/// Sets of cores that some layer is confined to, and all cores of layers.
std::set<std::vector<int>> core_sets(const LayerNeeds& needs, std::vector<std::vector<int>>& of_layer) {
  std::set<std::vector<int>> sets;
  std::set<int> all;
  for (const std::vector<LayerOption>& options : needs.options) {
    std::set<int> cores;
    for (const LayerOption& option : options) cores.insert(option.core);
    all.insert(cores.begin(), cores.end());
    of_layer.emplace_back(cores.begin(), cores.end());
    sets.insert(of_layer.back());
  }
  sets.emplace(all.begin(), all.end());
  return sets;
}

/// Layers by generations of data: producers first.
std::vector<int> producers_first(const ComputationNodeGraph& whole) {
  std::vector<int> order;
  for (const int node : whole.topological_order) order.push_back(whole.nodes[node].layer);
  return order;
}

}  // namespace

LayerWaits layer_waits(const ComputationNodeGraph& whole, const std::vector<DirectInput>& inputs,
                       const LayerNeeds& needs) {
  const std::size_t layers = whole.layers.size();
  const Cone cone(whole, inputs, needs);
  std::vector<std::vector<int>> cores_of;
  const std::set<std::vector<int>> sets = core_sets(needs, cores_of);
  std::vector<double> least_work(layers, std::numeric_limits<double>::infinity());
  for (std::size_t layer = 0; layer < layers; ++layer)
    for (const LayerOption& option : needs.options[layer])
      least_work[layer] = std::min(least_work[layer], option.least_work);

  std::vector<std::vector<int>> producers(layers), readers(layers);
  std::vector<char> all_read(layers, 0);
  for (const DirectInput& input : inputs) {
    producers[input.consumer].push_back(input.producer);
    readers[input.producer].push_back(input.consumer);
    if (touched_elements(whole.layers[input.consumer], input.operand) >=
        touched_elements(whole.layers[input.producer], 0))
      all_read[input.producer] = 1;
  }
  std::vector<char> other_readers(layers, 0);  // whose shortest node would count as well
  for (const Dependency& dependency : whole.dependencies) {
    const int from = whole.nodes[dependency.from].layer, to = whole.nodes[dependency.to].layer;
    if (std::find(readers[from].begin(), readers[from].end(), to) == readers[from].end())
      other_readers[from] = 1;
  }

  LayerWaits waits{std::vector<double>(layers, 0), std::vector<double>(layers, 0)};
  const std::vector<int> order = producers_first(whole);
  for (const int layer : order) {
    for (const int producer : producers[layer])
      waits.before[layer] =
          std::max(waits.before[layer], waits.before[producer] + needs.shortest_node[producer]);
    const std::map<int, double> shares = cone.shares(layer);
    for (const std::vector<int>& set : sets) {
      double work = 0;
      for (const auto& [producer, share] : shares)
        if (std::includes(set.begin(), set.end(), cores_of[producer].begin(), cores_of[producer].end()))
          work += share * least_work[producer];
      if (!set.empty())
        waits.before[layer] = std::max(waits.before[layer], work / static_cast<double>(set.size()));
    }
  }
  for (auto layer = order.rbegin(); layer != order.rend(); ++layer) {
    if (!all_read[*layer] || other_readers[*layer]) continue;
    double least = std::numeric_limits<double>::infinity();
    for (const int reader : readers[*layer])
      least = std::min(least, needs.shortest_node[reader] + waits.after[reader]);
    waits.after[*layer] = least;
  }
  return waits;
}

}  // namespace zz::core
