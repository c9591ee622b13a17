#include "core/multicore/search/detail/plan_space.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/multicore/graph/samples.hpp"

namespace zz::core {
namespace {

/// Reach of a small step between counts of one loop, as factors.
constexpr double small_step = 1.0;
constexpr double other_order = 0.4;

double log_count(const CutLoop& loop) { return std::log(static_cast<double>(loop.count.value_or(1))); }

/// The genes of a graph, with the work of their nodes and the constants that these read.
std::vector<PlanGene> genes_of(const ScheduleProblem& problem) {
  const ComputationNodeGraph& graph = *problem.graph();
  struct Group {
    int nodes = 0;
    std::set<int> constants;
  };
  std::map<std::pair<int, int>, Group> groups;  // by layer and group
  for (const ComputationNode& node : graph.nodes) {
    Group& group = groups[{node.layer, node.group}];
    ++group.nodes;
    for (const int operand : graph.layers[node.layer].constants)
      if (node.tensors[operand] >= 0) group.constants.insert(node.tensors[operand]);
  }
  std::vector<PlanGene> genes;
  for (const Gene& gene : problem.genes()) {
    double runtime = -1;
    for (const CoreCost& cost : problem.costs()->layers[gene.layer].on)
      if (runtime < 0 || cost.runtime < runtime) runtime = cost.runtime;
    const Group& group = groups[{gene.layer, gene.group}];
    double bits = 0;
    for (const int tensor : group.constants) bits += static_cast<double>(graph.tensors[tensor].bits);
    PlanGene& entry = genes.emplace_back();
    static_cast<Gene&>(entry) = gene;
    entry.work = std::max(0.0, runtime) * group.nodes;
    entry.bits = bits;
  }
  return genes;
}

}  // namespace

bool same_loops(const Cut& a, const Cut& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const CutLoop& one, const CutLoop& other) {
    return one.dimension == other.dimension && one.count == other.count;
  });
}

PlanSpace::PlanSpace(int layers, std::vector<PlanGene> genes, bool orders)
    : layer_count_(layers), orders_(orders), genes_(std::move(genes)) {}

PlanSpace::PlanSpace(const ScheduleProblem& problem, bool orders)
    : PlanSpace(static_cast<int>(problem.graph()->layers.size()), genes_of(problem), orders) {}

double PlanSpace::allocations() const {
  double product = 1;
  for (const PlanGene& gene : genes_) product *= static_cast<double>(gene.cores.size());
  return product;
}

PlanSpace::PlanSpace(const std::vector<std::shared_ptr<const Layer>>& layers, const CutMenus& cuts,
                     const std::vector<LayerPairs::Pair>& pairs, int cores, int samples)
    : layer_count_(static_cast<int>(layers.size())),
      cuts_(&cuts),
      layers_(layers),
      grids_(layers.size()),
      samples_(samples) {
  for (const auto& layer : layers)
    slots_ = std::max(slots_, static_cast<int>(layer->mapping.core_allocation.size()));
  for (const LayerPairs::Pair& pair : pairs) in_order_ = in_order_ && pair.producer < pair.consumer;
  for (std::size_t layer = 0; cores > 1 && samples > 1 && layer < cuts.size(); ++layer)
    for (std::size_t cut = 0; cut < cuts[layer].size(); ++cut)
      if (is_grid(cuts[layer][cut], *layers[layer], cores)) grids_[layer].push_back(static_cast<int>(cut));
  for (std::size_t layer = 0; layer < cuts.size(); ++layer) {
    const std::vector<Cut>& of_layer = cuts[layer];
    pieces_.emplace_back();
    near_.emplace_back(of_layer.size());
    for (const Cut& cut : of_layer) {
      const std::int64_t of_sample = core::pieces(cut, *layers[layer]);
      pieces_.back().push_back(of_sample * (samples / sample_cut(cut, *layers[layer], samples).together));
    }
  }
}

const std::vector<int>& PlanSpace::near(int layer, int cut) const {
  std::optional<std::vector<int>>& near = near_[layer][cut];
  if (near) return *near;
  near.emplace();
  const std::vector<Cut>& of_layer = (*cuts_)[layer];
  for (std::size_t other = 0; other < of_layer.size(); ++other)
    if (static_cast<int>(other) != cut && distance(of_layer[cut], of_layer[other]) <= small_step)
      near->push_back(static_cast<int>(other));
  return *near;
}

/// The factors between the counts of each loop, as logarithms.
double PlanSpace::distance(const Cut& a, const Cut& b) const {
  double sum = 0;
  const auto far = [&](const Cut& from, const Cut& to, bool both) {
    for (const CutLoop& loop : from) {
      const auto same = std::find_if(
          to.begin(), to.end(), [&](const CutLoop& other) { return other.dimension == loop.dimension; });
      if (same == to.end())
        sum += log_count(loop);
      else if (both)
        sum += std::abs(log_count(loop) - log_count(*same));
    }
  };
  far(a, b, true);
  far(b, a, false);
  if (a.size() == 2 && b.size() == 2 && a[0].dimension == b[1].dimension) sum += other_order;
  return sum;
}

std::vector<int> PlanSpace::sample_variants(int layer, int cut) const {
  const auto alone = [](Cut of_sample) {
    std::erase_if(of_sample, [](const CutLoop& loop) { return loop.dimension == samples_loop; });
    return of_sample;
  };
  const Cut wanted = alone((*cuts_)[layer][cut]);
  std::vector<int> variants;
  for (int other = 0; other < cuts(layer); ++other)
    if ((*cuts_)[layer][other].size() <= wanted.size() + 1 && alone((*cuts_)[layer][other]) == wanted)
      variants.push_back(other);
  return variants;
}

int PlanSpace::same_grid(int layer, int other, int cut) const {
  const Cut& wanted = (*cuts_)[other][cut];
  for (const int grid : grids_[layer])
    if (same_loops((*cuts_)[layer][grid], wanted)) return grid;
  return -1;
}

std::int64_t PlanSpace::pieces(const Partition& partition) const {
  std::int64_t sum = 0;
  for (int layer = 0; layer < layers(); ++layer) sum += pieces_[layer][partition[layer]];
  return sum;
}

int PlanSpace::like(int layer, const Cut& loops) const {
  // A copy is not spread: the neighbour's weights may be many more. Over five seeds ResNet-18 took 1.5 %
  // more cycles when copies were.
  Cut own;
  for (const CutLoop& loop : loops) {
    if (loop.dimension == samples_loop) own.push_back({loop.dimension, loop.count});
    const std::int64_t size = layers_[layer]->loop_size(loop.dimension);
    if (size > 1) own.push_back({loop.dimension, std::min(loop.count.value_or(size), size)});
  }
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t cut = 0; cut < (*cuts_)[layer].size(); ++cut) {
    const double far = distance(own, (*cuts_)[layer][cut]);
    if (far >= least) continue;
    least = far;
    best = static_cast<int>(cut);
  }
  return best;
}

int PlanSpace::like(int layer, int other, int cut) const { return like(layer, (*cuts_)[other][cut]); }

}  // namespace zz::core
