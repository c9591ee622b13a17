#include "core/multicore/graph/split_into_nodes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/graph/detail/layer_connections.hpp"
#include "core/multicore/graph/graph_parts.hpp"

namespace zz::core {
namespace {

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

}  // namespace

ComputationNodeGraph split_into_nodes(const Workload& workload, const MultiCoreAccelerator& accelerator,
                                      const SplitOptions& options, std::vector<std::string>& warnings) {
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
    try {
      cut_layers.push_back(cut_layer(*layer, accelerator, options, of_each_loop));
      nodes += cut_layers.back().node_count;
    } catch (const InputError& problem) {
      for (const Diagnostic& part : problem.diagnostics())
        problems.error(part.mark, part.message, part.hint);
    }
  }
  if (nodes > most_computation_nodes) {
    const auto largest =
        std::max_element(cut_layers.begin(), cut_layers.end(),
                         [](const CutLayer& a, const CutLayer& b) { return a.node_count < b.node_count; });
    problems.error(
        {},
        fmt::format("'{}' would be cut into {} computation nodes, {} of them for layer {} '{}'; at most "
                    "{} are possible",
                    workload.name, nodes, largest->node_count, largest->layer->id, largest->layer->name,
                    most_computation_nodes),
        options.mode == 2 ? "in mode 2 every loop without a hint is cut: name those that stay whole, "
                            "as [C, all]"
                          : "cut fewer loops, or into fewer pieces");
  }
  problems.throw_if_errors();
  tell_enlarged(cut_layers, warnings);

  graph.nodes.reserve(nodes);
  for (CutLayer& layer : cut_layers) add_layer(graph, std::move(layer), options.rules);
  for (const std::int64_t id : order)
    if (const int layer = graph.layer_index(id); layer >= 0) add_group_order(graph, layer);
  connect_layers(workload, graph, options.rules, problems, warnings);
  problems.throw_if_errors();
  finish_graph(graph, options.rules);
  return graph;
}

}  // namespace zz::core
