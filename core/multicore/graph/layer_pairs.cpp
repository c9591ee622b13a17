#include "core/multicore/graph/layer_pairs.hpp"

#include <algorithm>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/multicore/graph/detail/layer_connections.hpp"
#include "core/multicore/graph/detail/network_walk.hpp"

namespace zz::core {
namespace {

/// A graph of the layers alone, by ascending id.
ComputationNodeGraph layers_only(const Workload& workload) {
  ComputationNodeGraph graph;
  for (const auto& layer : workload.layers) graph.layers.emplace_back().layer = layer;
  std::sort(graph.layers.begin(), graph.layers.end(),
            [](const CutLayer& a, const CutLayer& b) { return a.layer->id < b.layer->id; });
  return graph;
}

}  // namespace

struct LayerPairs::Paths {
  explicit Paths(const Workload& workload) : layers(layers_only(workload)), walk(workload, layers) {}

  ComputationNodeGraph layers;
  NetworkWalk walk;
  std::vector<std::vector<LayerPath>> of_pair;  ///< between layers 0 and 1
};

LayerPairs::LayerPairs(const Workload& workload) {
  auto paths = std::make_unique<Paths>(workload);
  std::vector<std::string> told_with_the_graph;
  for (LayerPath& path : paths->walk.paths(Rules{}, told_with_the_graph)) {
    const Pair pair{path.producer, path.consumer};
    if (pairs_.empty() || pairs_.back().producer != pair.producer ||
        pairs_.back().consumer != pair.consumer) {
      pairs_.push_back(pair);
      paths->of_pair.emplace_back();
    }
    path.producer = 0;
    path.consumer = 1;
    paths->of_pair.back().push_back(std::move(path));
  }
  paths_ = std::move(paths);
}

LayerPairs::~LayerPairs() = default;

LayerPairs::LayerPairs(LayerPairs&&) noexcept = default;

void LayerPairs::connect(int pair, ComputationNodeGraph& both) const {
  Diagnostics problems;
  std::vector<std::string> told_with_the_graph;
  connect_paths(paths_->of_pair[pair], paths_->walk, both, problems, told_with_the_graph);
  problems.throw_if_errors();
}

}  // namespace zz::core
