#include "core/multicore/graph/split.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/base/nearest_name.hpp"
#include "core/multicore/graph/dependencies.hpp"
#include "core/multicore/graph/detail/box_dependencies.hpp"
#include "core/multicore/graph/detail/piece_data.hpp"
#include "core/multicore/graph/samples.hpp"

namespace zz::core {

bool separates_groups(const CutLayer& cut_layer, const NodeLoop& outer, const Rules& rules) {
  const Layer& layer = *cut_layer.layer;
  const bool adds_up = is_irrelevant(layer, 0, outer.loop);
  if (!rules.partial_sums_unordered && adds_up) return false;
  if (cut_layer.constants.empty() || (outer.spread && !adds_up)) return true;
  return layer.relevancy(cut_layer.constants.back(), outer.loop) == Relevancy::relevant;
}

namespace {

/// Sets the groups of the nodes of a layer: nodes that cover the same part of the last constant operand
/// (Layer::source_order), usually the weights. In a layer without constants each node is a group, and
/// pieces of loops that are spread are in groups of their own.
///
/// Nodes that add up to the same outputs are in one group, so that partial sums stay on one core.
void set_groups(ComputationNodeGraph& graph, int layer, const Rules& rules) {
  CutLayer& cut_layer = graph.layers[layer];
  std::vector<std::int64_t> weights(cut_layer.outer_loops.size(), 0);
  std::int64_t groups = 1;
  // Groups in lockstep have numbers that follow each other, so that they get cores in turn.
  for (const bool lockstep : {true, false}) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const NodeLoop& outer = cut_layer.outer_loops[i];
      if (outer.lockstep != lockstep || !separates_groups(cut_layer, outer, rules)) continue;
      weights[i] = groups;
      groups *= outer.count;
    }
  }
  PieceCounters counters(cut_layer);
  for (int sub_id = 0; sub_id < cut_layer.node_count; ++sub_id, counters.advance()) {
    std::int64_t group = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) group += weights[i] * counters[static_cast<int>(i)];
    graph.nodes[cut_layer.first_node + sub_id].group = static_cast<int>(group);
  }
  cut_layer.group_count = static_cast<int>(groups);
}

/// Every loop that a hint names must be one of some layer; which layers lack it is no matter. Sequential
/// loops are told of: they stay whole.
void check_hints(const Workload& workload, const SplitOptions& options, Diagnostics& problems,
                 std::vector<std::string>& warnings) {
  std::set<std::string> names;
  std::map<std::string, const Layer*> sequential;
  std::set<std::int64_t> ids(workload.node_order.begin(), workload.node_order.end());
  for (const auto& layer : workload.layers) {
    ids.insert(layer->id);
    for (const LoopDimension& loop : layer->loops) names.insert(loop.name);
    if (const int steps = layer->sequential_loop(); steps >= 0)
      sequential.emplace(layer->loops[static_cast<std::size_t>(steps)].name, layer.get());
  }
  const std::vector<std::string> known(names.begin(), names.end());
  const auto check = [&](const std::vector<CutLoop>& loops, const std::string& whose) {
    for (const CutLoop& hint : loops) {
      if (hint.dimension == samples_loop && names.count(samples_loop) == 0) {
        if (options.samples == 1)
          problems.error({},
                         fmt::format("hint loops{} name {}, but there is one sample", whose, samples_loop),
                         "'samples' says how many there are");
        continue;
      }
      if (const auto steps = sequential.find(hint.dimension); steps != sequential.end())
        warnings.push_back(fmt::format(
            "hint loops{} name '{}', which is not cut in recurrent layers as layer {} '{}': each "
            "iteration needs the results of the one before",
            whose, hint.dimension, steps->second->id, steps->second->name));
      if (names.count(hint.dimension) != 0) continue;
      const std::string message =
          fmt::format("hint loops{} name '{}', which is no loop of any layer of '{}'", whose,
                      hint.dimension, workload.name);
      const std::string hint_text = suggestion(hint.dimension, known);
      if (options.rules.unknown_hint_loops_ignored)
        warnings.push_back(message + "; " + hint_text);
      else
        problems.error({}, message, hint_text);
    }
  };
  if (options.mode != split_by_layer) check(options.loops, "");
  if (options.mode != split_by_layer) return;
  for (const CutEntry& entry : options.cut_entries) {
    if (entry.layers.empty()) continue;
    check(entry.loops, fmt::format(" of the entry for layer {}{}", entry.layers.front(),
                                   entry.layers.size() > 1 ? ", ..." : ""));
    for (const std::int64_t id : entry.layers)
      if (ids.count(id) == 0)
        warnings.push_back(
            fmt::format("hint loops are given for layer {}, which '{}' lacks", id, workload.name));
  }
}

/// With several samples the network is that of one: a batch of its own stays whole.
void check_own_batch(const CutLayer& cut_layer, const SplitOptions& options) {
  if (options.samples == 1) return;
  const Layer& layer = *cut_layer.layer;
  for (const NodeLoop& outer : cut_layer.outer_loops) {
    const LoopDimension& loop = layer.loops[outer.loop];
    if (outer.count == 1 || loop.name != batch_loop) continue;
    throw InputError(std::vector<Diagnostic>{
        {Severity::error,
         {},
         fmt::format(
             "layer {} '{}': 'samples' is {}, where the network is that of one sample, but it has a "
             "batch loop {} of {} iterations of its own, and hint_loops cut that, too",
             layer.id, layer.name, options.samples, loop.name, loop.size),
         "give the network a batch of 1, or leave out its batch loop from hint_loops"}});
  }
}

/// One sentence about all loops that were enlarged, with the one that was enlarged most.
void tell_enlarged(const std::vector<CutLayer>& layers, std::vector<std::string>& warnings) {
  int loops = 0;
  double most = 1;
  std::string example;
  for (const CutLayer& cut_layer : layers) {
    for (std::size_t loop = 0; loop < cut_layer.loop_sizes.size(); ++loop) {
      const LoopDimension& taken = cut_layer.layer->loops[loop];
      const double factor =
          static_cast<double>(taken.size) / static_cast<double>(cut_layer.loop_sizes[loop]);
      if (factor <= 1) continue;
      ++loops;
      if (factor <= most) continue;
      most = factor;
      example =
          fmt::format("loop {} of layer {} '{}', {} iterations, as {}", taken.name, cut_layer.layer->id,
                      cut_layer.layer->name, cut_layer.loop_sizes[loop], taken.size);
    }
  }
  if (loops == 0) return;
  warnings.push_back(fmt::format("{} {} taken as larger, so that all pieces are equal{}: {}", loops,
                                 loops == 1 ? "loop is" : "loops are", loops == 1 ? "" : "; by the most",
                                 example));
}

/// By layer.
std::vector<SampleCut> sample_cuts(const ComputationNodeGraph& graph, const SplitOptions& options) {
  std::vector<SampleCut> cuts;
  for (const CutLayer& cut_layer : graph.layers) {
    const Layer& layer = *cut_layer.layer;
    cuts.push_back(sample_cut(options.mode == split_by_layer ? cut_of(layer, options) : options.loops,
                              layer, options.samples));
  }
  return cuts;
}

}  // namespace

CutLayer cut_layer(const Layer& layer, const MultiCoreAccelerator& accelerator, const SplitOptions& options,
                   std::vector<std::string>& warnings) {
  if (layer.operands.size() > most_operands)
    throw InputError(fmt::format("layer {} '{}' has {} operands, expected at most {}", layer.id, layer.name,
                                 layer.operands.size(), most_operands));
  if (layer.operands.empty())
    throw InputError(fmt::format("layer {} '{}' has no output", layer.id, layer.name));
  Layer whole = layer;
  std::vector<std::int64_t> sizes;
  for (const LoopDimension& loop : layer.loops) sizes.push_back(loop.size);
  std::vector<NodeLoop> loops = outer_loops(whole, accelerator, options, warnings);
  return cut_layer(std::move(whole), std::move(loops), std::move(sizes));
}

void add_layer(ComputationNodeGraph& graph, CutLayer cut, const Rules& rules) {
  check_graph_bytes(static_cast<std::int64_t>(graph.nodes.size()) + cut.node_count, 0,
                    fmt::format("layer {} '{}'", cut.layer->id, cut.layer->name));
  const int layer_index = static_cast<int>(graph.layers.size());
  graph.layers.push_back(std::move(cut));
  CutLayer& cut_layer = graph.layers.back();
  cut_layer.first_node = static_cast<int>(graph.nodes.size());
  std::vector<std::int64_t> sizes;
  for (const LoopDimension& loop : cut_layer.layer->loops) sizes.push_back(loop.size);
  const std::vector<bool> finishing =
      finishing_nodes(cut_layer, rules.padding_is_data ? sizes : cut_layer.loop_sizes);
  const std::vector<int> shapes = node_shapes(cut_layer);
  graph.nodes.resize(graph.nodes.size() + cut_layer.node_count);
  for (int sub_id = 0; sub_id < cut_layer.node_count; ++sub_id) {
    ComputationNode& node = graph.nodes[cut_layer.first_node + sub_id];
    node.layer = layer_index;
    node.sub_id = sub_id;
    node.shape = shapes[sub_id];
    node.final_output = finishing[sub_id];
  }
  set_groups(graph, layer_index, rules);
  add_piece_tensors(graph, layer_index, rules);

  const Layer& layer = *cut_layer.layer;
  const std::int64_t precision =
      layer.final_output_precision > 0 ? layer.final_output_precision : layer.operands[0].precision;
  const std::int64_t bits_with_padding = cut_layer.piece->operand_elements(0, rules) * precision;
  for (int n = cut_layer.first_node; n < cut_layer.first_node + cut_layer.node_count; ++n) {
    ComputationNode& node = graph.nodes[n];
    node.produced_bits = rules.padding_is_data ? bits_with_padding : graph.tensors[node.tensors[0]].bits;
  }
}

void add_group_order(ComputationNodeGraph& graph, int layer) {
  const CutLayer& cut_layer = graph.layers[layer];
  std::vector<int> next(cut_layer.group_count + 1, 0);
  for (int sub_id = 0; sub_id < cut_layer.node_count; ++sub_id)
    ++next[graph.nodes[cut_layer.first_node + sub_id].group + 1];
  for (int group = 0; group < cut_layer.group_count; ++group) next[group + 1] += next[group];
  std::vector<int> by_group(cut_layer.node_count);
  for (int node = cut_layer.first_node; node < cut_layer.first_node + cut_layer.node_count; ++node)
    by_group[next[graph.nodes[node].group]++] = node;
  for (std::size_t i = 0; i < by_group.size(); ++i) {
    if (i > 0 && graph.nodes[by_group[i - 1]].group == graph.nodes[by_group[i]].group)
      graph.dependencies.push_back({by_group[i - 1], by_group[i], -1, 0});
    graph.node_order.push_back(by_group[i]);
  }
}

void finish_graph(ComputationNodeGraph& graph, const Rules& rules) {
  graph.index();
  set_output_priorities(graph, rules);
}

ComputationNodeGraph split_into_nodes(const Workload& workload, const MultiCoreAccelerator& accelerator,
                                      const SplitOptions& options, std::vector<std::string>& warnings) {
  check_samples(workload, options.samples);
  Diagnostics problems;
  check_hints(workload, options, problems, warnings);
  const std::vector<std::int64_t> order = workload.topological_order();

  ComputationNodeGraph graph;
  graph.name = workload.name;
  std::vector<std::shared_ptr<const Layer>> layers = workload.layers;
  std::sort(layers.begin(), layers.end(), [](const auto& a, const auto& b) { return a->id < b->id; });
  std::vector<CutLayer> cut_layers;
  std::vector<std::string> of_each_loop;  // tell_enlarged() sums them up
  std::int64_t nodes = 0;
  for (const auto& layer : layers) {
    end_if_interrupted();
    try {
      cut_layers.push_back(cut_layer(*layer, accelerator, options, of_each_loop));
      nodes += cut_layers.back().node_count;
      check_own_batch(cut_layers.back(), options);
    } catch (const InputError& problem) {
      for (const Diagnostic& part : problem.diagnostics())
        problems.error(part.mark, part.message, part.hint);
    }
  }
  try {
    check_graph_bytes(nodes, 0, fmt::format("'{}'", workload.name));
  } catch (const InputError& problem) {
    const auto largest =
        std::max_element(cut_layers.begin(), cut_layers.end(),
                         [](const CutLayer& a, const CutLayer& b) { return a.node_count < b.node_count; });
    const Diagnostic& why = problem.diagnostics().front();
    problems.error({},
                   fmt::format("{}; {} of the nodes are for layer {} '{}'", why.message,
                               largest->node_count, largest->layer->id, largest->layer->name),
                   options.mode == 2 ? "in mode 2 every loop without a hint is cut: name those that stay "
                                       "whole, as [C, all]"
                                     : why.hint);
  }
  problems.throw_if_errors();
  tell_enlarged(cut_layers, warnings);

  graph.nodes.reserve(nodes);
  for (CutLayer& layer : cut_layers) {
    end_if_interrupted();
    add_layer(graph, std::move(layer), options.rules);
  }
  for (const std::int64_t id : order)
    if (const int layer = graph.layer_index(id); layer >= 0) add_group_order(graph, layer);
  connect_layers(workload, graph, options.rules, problems, warnings);
  problems.throw_if_errors();
  if (options.samples > 1) graph = repeat_for_samples(graph, options.samples, sample_cuts(graph, options));
  finish_graph(graph, options.rules);
  return graph;
}

}  // namespace zz::core
