#include "core/multicore/cuts/partition_graph.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "core/multicore/graph/samples.hpp"
#include "core/multicore/graph/split.hpp"

namespace zz::core {
namespace {

/// 24 bytes each, and 150 with tensors and groups. Beyond them everything is made anew.
constexpr std::size_t most_kept_dependencies = 800'000, most_kept_nodes = 100'000;

/// Appends a graph of one layer, but for its order within groups.
void append(ComputationNodeGraph& graph, const ComputationNodeGraph& part) {
  const int layer = static_cast<int>(graph.layers.size());
  const int first_node = static_cast<int>(graph.nodes.size());
  const int first_tensor = static_cast<int>(graph.tensors.size());
  graph.layers.push_back(part.layers.front());
  graph.layers.back().first_node = first_node;
  for (ComputationNode node : part.nodes) {
    node.layer = layer;
    for (int& tensor : node.tensors)
      if (tensor >= 0) tensor += first_tensor;
    graph.nodes.push_back(node);
  }
  for (PieceTensor tensor : part.tensors) {
    tensor.layer = layer;
    tensor.first_node += first_node;
    graph.tensors.push_back(tensor);
  }
}

std::string text_of(const Cut& cut, const SampleCut* samples) {
  std::string text;
  for (const CutLoop& loop : cut)
    if (loop.dimension != samples_loop)
      text +=
          fmt::format("{} {} {};", loop.dimension, loop.count.value_or(0), loop.spread + 2 * loop.lockstep);
  if (samples != nullptr) text += fmt::format("{}", samples->together);
  return text;
}

/// By layer: the first one that is the same but for its name and place.
std::vector<int> first_layers_alike(const std::vector<std::shared_ptr<const Layer>>& layers,
                                    const CutMenus& cuts) {
  std::vector<std::pair<Layer, int>> distinct;
  std::vector<int> first;
  for (int layer = 0; layer < static_cast<int>(layers.size()); ++layer) {
    Layer work = without_identity(*layers[layer]);
    work.mapping.core_allocation = layers[layer]->mapping.core_allocation;
    const auto known = std::find_if(distinct.begin(), distinct.end(), [&](const auto& entry) {
      return entry.first == work && cuts[entry.second] == cuts[layer];
    });
    first.push_back(known != distinct.end() ? known->second : layer);
    if (known == distinct.end()) distinct.emplace_back(std::move(work), layer);
  }
  return first;
}

/// By cut: the first one with the same loops, and as many samples in a node where these are given.
std::vector<int> first_cuts_alike(const std::vector<Cut>& cuts, const std::vector<SampleCut>& samples,
                                  bool by_samples) {
  std::unordered_map<std::string, int> known;
  std::vector<int> first;
  for (std::size_t cut = 0; cut < cuts.size(); ++cut)
    first.push_back(
        known.emplace(text_of(cuts[cut], by_samples ? &samples[cut] : nullptr), static_cast<int>(cut))
            .first->second);
  return first;
}

}  // namespace

PartitionGraphs::PartitionGraphs(const Workload& workload,
                                 std::shared_ptr<const MultiCoreAccelerator> accelerator, CutMenus cuts,
                                 int samples)
    : workload_(workload),
      accelerator_(std::move(accelerator)),
      cuts_(std::move(cuts)),
      layers_(layers_by_id(workload)),
      first_alike_(first_layers_alike(layers_, cuts_)),
      connections_(workload) {
  for (const auto& layer : workload.layers_in_order()) {
    for (std::size_t i = 0; i < layers_.size(); ++i)
      if (layers_[i]->id == layer->id) topological_.push_back(static_cast<int>(i));
  }
  for (std::size_t layer = 0; layer < cuts_.size(); ++layer) {
    const std::vector<Cut>& of_layer = cuts_[layer];
    kept_layers_.emplace_back(of_layer.size());
    std::vector<SampleCut>& sample_cuts = sample_cuts_.emplace_back();
    for (const Cut& cut : of_layer) sample_cuts.push_back(sample_cut(cut, *layers_[layer], samples));
    cuts_of_nodes_.push_back(first_cuts_alike(of_layer, sample_cuts, true));
    cuts_of_sample_.push_back(first_cuts_alike(of_layer, sample_cuts, false));
  }
  kept_connections_.resize(pairs().size());
}

CutLayer PartitionGraphs::cut_layer_of(int layer, int cut) const {
  SplitOptions options;
  options.loops = cuts_[layer][cut];
  std::vector<std::string> warnings;
  return core::cut_layer(*layers_[layer], *accelerator_, options, warnings);
}

std::shared_ptr<const ComputationNodeGraph> PartitionGraphs::layer(int layer, int cut) {
  cut = cuts_of_sample_[layer][cut];
  {
    const std::lock_guard lock(mutex_);
    if (const auto& kept = kept_layers_[layer][cut]) return kept;
  }
  auto part = std::make_shared<ComputationNodeGraph>();
  add_layer(*part, cut_layer_of(layer, cut), Rules{});
  add_group_order(*part, 0);
  part->index();
  const std::lock_guard lock(mutex_);
  kept_nodes_ += part->nodes.size();
  if (kept_nodes_ > most_kept_nodes) {
    for (auto& of_layer : kept_layers_) of_layer.assign(of_layer.size(), nullptr);
    kept_nodes_ = part->nodes.size();
  }
  return kept_layers_[layer][cut] = std::move(part);
}

std::shared_ptr<const ComputationNodeGraph> PartitionGraphs::node_samples(int layer, int cut) {
  auto one = this->layer(layer, cut);
  const int together = samples_together(layer, cut);
  if (together == 1) return one;
  auto all =
      std::make_shared<ComputationNodeGraph>(repeat_for_samples(*one, together, {{together, false}}));
  all->index();
  return all;
}

std::shared_ptr<const PartitionGraphs::Connection> PartitionGraphs::connection(int pair,
                                                                               const Partition& partition) {
  const auto [producer, consumer] = pairs()[pair];
  const std::size_t index = cuts_of_sample_[producer][partition[producer]] * cuts_[consumer].size() +
                            cuts_of_sample_[consumer][partition[consumer]];
  {
    const std::lock_guard lock(mutex_);
    const auto kept = kept_connections_[pair].find(index);
    if (kept != kept_connections_[pair].end()) return kept->second;
  }
  ComputationNodeGraph both;
  append(both, *layer(producer, partition[producer]));
  append(both, *layer(consumer, partition[consumer]));
  connections_.connect(pair, both);
  const int second = both.layers[1].first_node;
  for (Dependency& dependency : both.dependencies) dependency.to -= second;
  both.dependencies.shrink_to_fit();
  auto made = std::make_shared<const Connection>(std::move(both.dependencies));
  const std::lock_guard lock(mutex_);
  kept_dependencies_ += made->size();
  if (kept_dependencies_ > most_kept_dependencies) {
    for (auto& of_pair : kept_connections_) of_pair.clear();
    kept_dependencies_ = made->size();
  }
  return kept_connections_[pair][index] = std::move(made);
}

std::shared_ptr<const ComputationNodeGraph> PartitionGraphs::graph(const Partition& partition,
                                                                   int samples) {
  std::vector<std::shared_ptr<const ComputationNodeGraph>> parts;
  std::size_t nodes = 0, tensors = 0, dependencies = 0;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    parts.push_back(layer(static_cast<int>(i), partition[i]));
    nodes += parts.back()->nodes.size();
    tensors += parts.back()->tensors.size();
    dependencies += parts.back()->dependencies.size();
  }
  std::vector<std::shared_ptr<const Connection>> between;
  for (std::size_t pair = 0; pair < pairs().size(); ++pair) {
    between.push_back(connection(static_cast<int>(pair), partition));
    dependencies += between.back()->size();
  }
  auto graph = std::make_shared<ComputationNodeGraph>();
  graph->name = workload_.name;
  graph->layers.reserve(parts.size());
  graph->nodes.reserve(nodes);
  graph->tensors.reserve(tensors);
  graph->dependencies.reserve(dependencies);
  graph->node_order.reserve(nodes);
  for (const auto& part : parts) append(*graph, *part);
  for (const int layer : topological_) {
    const int first = graph->layers[layer].first_node;
    for (const int node : parts[layer]->node_order) graph->node_order.push_back(first + node);
    for (Dependency dependency : parts[layer]->dependencies) {
      dependency.from += first;
      dependency.to += first;
      graph->dependencies.push_back(dependency);
    }
  }
  for (std::size_t pair = 0; pair < between.size(); ++pair) {
    const int producer = graph->layers[pairs()[pair].producer].first_node;
    const int consumer = graph->layers[pairs()[pair].consumer].first_node;
    for (Dependency dependency : *between[pair]) {
      dependency.from += producer;
      dependency.to += consumer;
      graph->dependencies.push_back(dependency);
    }
  }
  if (samples > 1) {
    std::vector<SampleCut> of_layers;
    for (std::size_t i = 0; i < layers_.size(); ++i) of_layers.push_back(sample_cuts_[i][partition[i]]);
    *graph = repeat_for_samples(*graph, samples, of_layers);
  }
  finish_graph(*graph, Rules{});
  return graph;
}

}  // namespace zz::core
