#include "core/multicore/graph/samples.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/multicore/graph/split.hpp"

namespace zz::core {
namespace {

/// The layers in the order in which node_order has their nodes.
std::vector<int> layers_in_order(const ComputationNodeGraph& graph) {
  std::vector<int> layers;
  for (const int node : graph.node_order)
    if (layers.empty() || layers.back() != graph.nodes[node].layer)
      layers.push_back(graph.nodes[node].layer);
  return layers;
}

bool is_shared(const ComputationNodeGraph& graph, const PieceTensor& tensor) {
  return shared_by_samples(*graph.layers[tensor.layer].layer, tensor.operand);
}

}  // namespace

SampleCut sample_cut(const Cut& cut, const Layer& layer, int samples) {
  SampleCut found;
  bool twice = false;
  for (const CutLoop& loop : cut) {
    if (loop.dimension != samples_loop) continue;
    if (std::exchange(twice, true))
      throw InputError(
          fmt::format("layer {} '{}': its hint loops name {} twice", layer.id, layer.name, samples_loop));
    if (&loop != &cut.back())
      throw InputError(
          fmt::format("layer {} '{}': the hint loop {} stands before {}; it is the outermost "
                      "one and comes last",
                      layer.id, layer.name, samples_loop, (&loop + 1)->dimension));
    if (loop.lockstep)
      throw InputError(
          fmt::format("layer {} '{}': {} is no loop of the layer that could run in lockstep; "
                      "expected 'spread', or another loop",
                      layer.id, layer.name, samples_loop));
    const std::int64_t count = loop.count.value_or(samples);
    const auto title = [&] {
      return fmt::format("layer {} '{}': the hint loop '{}, {}'", layer.id, layer.name, samples_loop,
                         count);
    };
    if (count < 1 || samples % count != 0)
      throw InputError(
          fmt::format("{} does not divide the {} samples; expected a divisor of them", title(), samples));
    found = {static_cast<int>(samples / count), loop.spread};
    if (found.together > 1 && !may_hold_samples(layer))
      throw InputError(
          fmt::format("{} asks for {} samples in a node, but all that it reads is constant, or "
                      "depends on its batch loop or its steps; expected '{}, all'",
                      title(), found.together, samples_loop));
  }
  return found;
}

bool shared_by_samples(const Layer& layer, int operand) {
  if (operand == 0 || !layer.operands[operand].constant) return false;
  if (layer.loop_index(batch_loop) >= 0) {
    const std::vector<std::string>& axes = layer.operands[operand].dimensions;
    return std::find(axes.begin(), axes.end(), batch_loop) == axes.end();
  }
  const std::vector<int> constants = constants_in_source_order(layer);
  return constants.size() + 1 < layer.operands.size() || operand == constants.back();
}

std::int64_t bits_for_all_samples(const Layer& layer) {
  std::int64_t bits = 0;
  for (int operand = 1; operand < static_cast<int>(layer.operands.size()); ++operand)
    if (shared_by_samples(layer, operand)) bits += layer.operand_bits(operand, Rules{});
  return bits;
}

bool shares_weights(const Layer& layer) {
  const std::vector<int> constants = constants_in_source_order(layer);
  return !constants.empty() && shared_by_samples(layer, constants.back());
}

bool may_hold_samples(const Layer& layer) {
  if (layer.sequential_loop() >= 0) return false;
  for (int operand = 1; operand < static_cast<int>(layer.operands.size()); ++operand)
    if (!shared_by_samples(layer, operand)) return true;
  return false;
}

std::shared_ptr<const Layer> with_samples(const Layer& layer, int samples) {
  // A loop that the layer lacks is given to all that is no constant.
  auto own = std::make_shared<Layer>(layer);
  for (int operand = 1; operand < static_cast<int>(layer.operands.size()); ++operand)
    own->operands[operand].constant = shared_by_samples(layer, operand);
  Workload alone;
  alone.layers.push_back(std::move(own));
  set_batch(alone, layer.loop_size(batch_loop) * samples);
  auto made = std::make_shared<Layer>(*alone.layers.front());
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand)
    made->operands[operand].constant = layer.operands[operand].constant;
  return made;
}

ComputationNodeGraph repeat_for_samples(const ComputationNodeGraph& one, int samples,
                                        const std::vector<SampleCut>& cuts) {
  std::int64_t nodes = 0;
  int least_together = samples;
  for (std::size_t layer = 0; layer < one.layers.size(); ++layer) {
    nodes += static_cast<std::int64_t>(one.layers[layer].node_count) * samples / cuts[layer].together;
    least_together = std::min(least_together, cuts[layer].together);
  }
  check_graph_bytes(nodes, static_cast<std::int64_t>(one.dependencies.size()) * samples / least_together,
                    fmt::format("'{}', {} samples,", one.name, samples));
  ComputationNodeGraph all;
  all.name = one.name;
  all.samples = samples;
  all.layers = one.layers;
  std::vector<int> tensor_of(one.tensors.size(), -1);  // where those of the latest sample went
  std::size_t next_tensor = 0;                         // tensors stand by layer
  for (std::size_t layer = 0; layer < one.layers.size(); ++layer) {
    const CutLayer& of_one = one.layers[layer];
    CutLayer& of_all = all.layers[layer];
    const int together = cuts[layer].together, repeats = samples / together;
    of_all.samples = together;
    of_all.first_node = static_cast<int>(all.nodes.size());
    of_all.node_count = of_one.node_count * repeats;
    for (SmallerPiece& smaller : of_all.smaller_pieces) smaller.node_count *= repeats;
    const bool shared = shares_weights(*of_one.layer) && !cuts[layer].spread;
    if (!shared) of_all.group_count *= repeats;
    const std::size_t first_tensor = next_tensor;
    while (next_tensor < one.tensors.size() && one.tensors[next_tensor].layer == static_cast<int>(layer))
      ++next_tensor;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const int shift = of_all.first_node + repeat * of_one.node_count - of_one.first_node;
      for (std::size_t tensor = first_tensor; tensor < next_tensor; ++tensor) {
        PieceTensor made = one.tensors[tensor];
        const bool constant = is_shared(one, made);
        if (constant && repeat > 0) continue;
        if (constant)
          made.base_priority *= repeats;
        else
          made.bits *= together;
        made.first_node += shift;
        tensor_of[tensor] = static_cast<int>(all.tensors.size());
        all.tensors.push_back(made);
      }
      for (int sub_id = 0; sub_id < of_one.node_count; ++sub_id) {
        ComputationNode node = one.nodes[of_one.first_node + sub_id];
        node.sub_id += repeat * of_one.node_count;
        node.produced_bits *= together;
        if (!shared) node.group += repeat * of_one.group_count;
        for (int& tensor : node.tensors)
          if (tensor >= 0) tensor = tensor_of[tensor];
        all.nodes.push_back(node);
      }
    }
  }
  for (const int layer : layers_in_order(one)) add_group_order(all, layer);
  for (const Dependency& dependency : one.dependencies) {
    if (dependency.operand < 0) continue;
    const int from_layer = one.nodes[dependency.from].layer, to_layer = one.nodes[dependency.to].layer;
    const CutLayer &from = one.layers[from_layer], &to = one.layers[to_layer];
    const int from_samples = cuts[from_layer].together, to_samples = cuts[to_layer].together;
    for (int sample = 0; sample < samples; sample += std::gcd(from_samples, to_samples)) {
      const int from_repeat = sample / from_samples, to_repeat = sample / to_samples;
      Dependency made = dependency;
      made.from += all.layers[from_layer].first_node - from.first_node + from_repeat * from.node_count;
      made.to += all.layers[to_layer].first_node - to.first_node + to_repeat * to.node_count;
      const int begin = std::max(from_repeat * from_samples, to_repeat * to_samples);
      const int end = std::min((from_repeat + 1) * from_samples, (to_repeat + 1) * to_samples);
      made.bits *= end - begin;
      if (begin == sample) all.dependencies.push_back(made);  // else it is there
    }
  }
  return all;
}

void check_samples(const Workload& workload, std::int64_t samples, bool repeats) {
  if (samples < 1) throw InputError(fmt::format("'samples' is {}; expected 1 or more", samples));
  if (samples == 1 && !repeats) return;
  const std::string reason = samples > 1 ? fmt::format("'samples' is {}", samples)
                                         : "a steady state runs the network again and again";
  for (const auto& layer : workload.layers) check_samples(*layer, reason);
}

void check_samples(const Layer& layer, const std::string& reason) {
  for (const LayerOperand& operand : layer.operands) {
    if (operand.offchip_elements == 0) continue;
    throw InputError(
        fmt::format("{}, but layer {} '{}' carries state from one sample to the next: a part of its "
                    "operand {} comes from "
                    "an earlier run of the network, as cached keys and values do. Samples must not depend "
                    "on each other",
                    reason, layer.id, layer.name, operand.name));
  }
}

}  // namespace zz::core
