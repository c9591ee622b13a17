#include "core/multicore/search/detail/cut_moves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/multicore/graph/samples.hpp"

namespace zz::core {
namespace {

/// Reach of a small step between counts of one loop, as factors.
constexpr double small_step = 1.0;
constexpr double other_order = 0.4;

/// Numbers of the slots of groups.
class SlotNumbers {
 public:
  explicit SlotNumbers(const ScheduleProblem& problem) {
    const ComputationNodeGraph& graph = *problem.graph();
    if (graph.samples == 1) return;
    for (const CutLayer& layer : graph.layers) {
      const int repeats = graph.samples / layer.samples;
      const int last = layer.first_node + layer.node_count - layer.node_count / repeats;
      const bool own = graph.nodes[layer.first_node].group != graph.nodes[last].group;
      groups_of_sample_.push_back(own ? layer.group_count / repeats : layer.group_count);
    }
  }

  int of(const Gene& gene, int shift, std::size_t slots) const {
    const int count = static_cast<int>(slots);
    if (groups_of_sample_.empty() || shift == PartitionChoice::in_turn) return gene.group % count;
    const int groups = groups_of_sample_[gene.layer];
    return (gene.group % groups + gene.group / groups * shift) % count;
  }

 private:
  std::vector<int> groups_of_sample_;  ///< by layer
};

double log_count(const CutLoop& loop) { return std::log(static_cast<double>(loop.count.value_or(1))); }

}  // namespace

std::vector<int> cores_of(const PartitionChoice& choice, const ScheduleProblem& problem) {
  const SlotNumbers number(problem);
  std::vector<int> cores;
  cores.reserve(problem.genes().size());
  for (const Gene& gene : problem.genes()) {
    const int shift = choice.shifts.empty() ? PartitionChoice::in_turn : choice.shifts[gene.layer];
    const PartitionChoice::CoreSlots& slots = choice.cores[gene.layer];
    const int slot = slots[number.of(gene, shift, slots.size())];
    cores.push_back(gene.cores[slot % gene.cores.size()]);
  }
  return cores;
}

void set_slots(PartitionChoice& choice, const std::vector<int>& cores, const ScheduleProblem& problem) {
  const SlotNumbers number(problem);
  const std::vector<Gene>& genes = problem.genes();
  std::size_t count = PartitionChoice::fewest_slots;
  for (const Gene& gene : genes) count = std::max(count, gene.cores.size());
  choice.cores.assign(problem.graph()->layers.size(), PartitionChoice::CoreSlots(count, 0));
  choice.shifts.clear();
  if (problem.graph()->samples > 1)
    choice.shifts.assign(problem.graph()->layers.size(), PartitionChoice::in_turn);
  const auto candidate = [&](std::size_t gene) {
    const std::vector<int>& of_gene = genes[gene].cores;
    return static_cast<std::uint16_t>(std::find(of_gene.begin(), of_gene.end(), cores[gene]) -
                                      of_gene.begin());
  };
  for (std::size_t begin = 0, end = 0; begin < genes.size(); begin = end) {
    while (end < genes.size() && genes[end].layer == genes[begin].layer) ++end;
    const int layer = genes[begin].layer;
    // The shift by which most groups get their cores; without samples all are the same.
    const std::size_t shifts = choice.shifts.empty() ? 1 : count + 1;
    std::size_t most = 0;
    for (std::size_t back = 0; back < shifts && most < end - begin; ++back) {
      const std::uint16_t shift =
          back == 0 ? PartitionChoice::in_turn : static_cast<std::uint16_t>(count - back);
      PartitionChoice::CoreSlots slots(count, 0);
      for (std::size_t i = end; i-- > begin;) slots[number.of(genes[i], shift, count)] = candidate(i);
      std::size_t right = 0;
      for (std::size_t i = begin; i < end; ++i)
        right += slots[number.of(genes[i], shift, count)] == candidate(i);
      if (right <= most) continue;
      most = right;
      choice.cores[layer] = slots;
      if (!choice.shifts.empty()) choice.shifts[layer] = shift;
    }
  }
}

CutNeighbours::CutNeighbours(const std::vector<std::shared_ptr<const Layer>>& layers, const CutMenus& cuts,
                             const std::vector<LayerPairs::Pair>& pairs, int cores, int samples)
    : cuts_(cuts), layers_(layers), grids_(layers.size()) {
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

const std::vector<int>& CutNeighbours::near(int layer, int cut) const {
  std::optional<std::vector<int>>& near = near_[layer][cut];
  if (near) return *near;
  near.emplace();
  const std::vector<Cut>& of_layer = cuts_[layer];
  for (std::size_t other = 0; other < of_layer.size(); ++other)
    if (static_cast<int>(other) != cut && distance(of_layer[cut], of_layer[other]) <= small_step)
      near->push_back(static_cast<int>(other));
  return *near;
}

/// The factors between the counts of each loop, as logarithms.
double CutNeighbours::distance(const Cut& a, const Cut& b) const {
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

std::vector<int> CutNeighbours::sample_variants(int layer, int cut) const {
  const auto alone = [](Cut of_sample) {
    std::erase_if(of_sample, [](const CutLoop& loop) { return loop.dimension == samples_loop; });
    return of_sample;
  };
  const Cut wanted = alone(cuts_[layer][cut]);
  std::vector<int> variants;
  for (int other = 0; other < cuts(layer); ++other)
    if (cuts_[layer][other].size() <= wanted.size() + 1 && alone(cuts_[layer][other]) == wanted)
      variants.push_back(other);
  return variants;
}

int CutNeighbours::same_grid(int layer, int other, int cut) const {
  const Cut& wanted = cuts_[other][cut];
  for (const int grid : grids_[layer])
    if (std::equal(cuts_[layer][grid].begin(), cuts_[layer][grid].end(), wanted.begin(), wanted.end(),
                   [](const CutLoop& a, const CutLoop& b) {
                     return a.dimension == b.dimension && a.count == b.count;
                   }))
      return grid;
  return -1;
}

std::int64_t CutNeighbours::pieces(const Partition& partition) const {
  std::int64_t sum = 0;
  for (int layer = 0; layer < layers(); ++layer) sum += pieces_[layer][partition[layer]];
  return sum;
}

int CutNeighbours::like(int layer, const Cut& loops) const {
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
  for (std::size_t cut = 0; cut < cuts_[layer].size(); ++cut) {
    const double far = distance(own, cuts_[layer][cut]);
    if (far >= least) continue;
    least = far;
    best = static_cast<int>(cut);
  }
  return best;
}

int CutNeighbours::like(int layer, int other, int cut) const { return like(layer, cuts_[other][cut]); }

PartitionChoice::CoreSlots slots_in_turn(int first, int slots) {
  PartitionChoice::CoreSlots in_turn(slots);
  for (int i = 0; i < slots; ++i) in_turn[i] = static_cast<std::uint16_t>((first + i) % slots);
  return in_turn;
}

PartitionChoice::CoreSlots slots_alike(int core, int slots) {
  return PartitionChoice::CoreSlots(slots, static_cast<std::uint16_t>(core));
}

void CutMoves::try_cuts(PartitionChoice& choice) {
  const int layers = neighbours_.layers();
  const int layer = random_.below(layers);
  const double kind = random_.fraction();
  const auto step = [&](int which) {
    const std::vector<int>& near = neighbours_.near(which, choice.cuts[which]);
    if (!near.empty()) choice.cuts[which] = near[random_.below(static_cast<int>(near.size()))];
  };
  if (kind < 0.35) {
    step(layer);
  } else if (kind < 0.55) {
    choice.cuts[layer] = random_.below(neighbours_.cuts(layer));
  } else if (kind < 0.75) {
    // A run of neighbours is cut alike.
    const int cut = random_.below(2) == 0 ? choice.cuts[layer] : random_.below(neighbours_.cuts(layer));
    const int last = std::min(layers - 1, layer + random_.below(8));
    for (int i = layer; i <= last; ++i) choice.cuts[i] = neighbours_.like(i, layer, cut);
  } else if (kind < 0.85) {
    const int other = random_.below(layers);
    choice.cuts[layer] = neighbours_.like(layer, other, choice.cuts[other]);
  } else {
    step(layer);
    step(std::min(layers - 1, layer + 1));
  }
}

bool CutMoves::change_cuts(PartitionChoice& choice, int most_nodes) {
  const Partition before = choice.cuts;
  const std::int64_t most = std::max<std::int64_t>(most_nodes, neighbours_.pieces(before));
  for (int attempt = 0; attempt < 8; ++attempt) {
    try_cuts(choice);
    if (choice.cuts != before && neighbours_.pieces(choice.cuts) <= most) return true;
    choice.cuts = before;
  }
  return false;
}

PartitionChoice::CoreSlots CutMoves::random_slots() {
  const int count = neighbours_.slots(), core = random_.below(count);
  switch (random_.below(4)) {
    case 0:
      return slots_alike(core, count);
    case 1: {
      // Blocks of the groups.
      PartitionChoice::CoreSlots slots(count);
      const int block = 2 << random_.below(2);
      for (int i = 0; i < count; ++i) slots[i] = static_cast<std::uint16_t>((core + i / block) % count);
      return slots;
    }
    default:
      return slots_in_turn(core, count);
  }
}

void CutMoves::change_cores(PartitionChoice& choice) {
  const int layer = random_.below(neighbours_.layers());
  PartitionChoice::CoreSlots& slots = choice.cores[layer];
  const int count = static_cast<int>(slots.size()), slot = random_.below(count);
  const double kind = random_.fraction();
  if (kind < 0.3) {
    slots = random_slots();
  } else if (kind < 0.65) {
    // Most layers have few groups: the first slots matter most.
    const int one = random_.below(1 + slot);
    slots[one] = static_cast<std::uint16_t>(random_.below(count));
  } else if (kind < 0.85) {
    std::swap(slots[random_.below(1 + slot)], slots[slot]);
  } else {
    // Several neighbours move together.
    const PartitionChoice::CoreSlots all = random_slots();
    const int last = std::min(neighbours_.layers() - 1, layer + random_.below(6));
    for (int i = layer; i <= last; ++i) choice.cores[i] = all;
  }
}

void CutMoves::change_samples(PartitionChoice& choice, int samples) {
  if (random_.below(3) == 0) {
    const int now = choice.order.samples_at_once > 0 ? choice.order.samples_at_once : samples;
    const int next =
        random_.below(2) == 0 ? now + (random_.below(2) == 0 ? 1 : -1) : 1 + random_.below(samples);
    choice.order.samples_at_once = next >= samples ? 0 : std::max(1, next);
    return;
  }
  const int layers = neighbours_.layers(), layer = random_.below(layers);
  const int last = random_.below(2) == 0 ? layer : std::min(layers - 1, layer + random_.below(8));
  if (choice.shifts.empty()) choice.shifts.assign(layers, PartitionChoice::in_turn);
  const int shift = random_.below(3) == 0   ? 0
                    : random_.below(2) == 0 ? PartitionChoice::in_turn
                                            : 1 << random_.below(4);
  for (int i = layer; i <= last; ++i) {
    choice.shifts[i] = static_cast<std::uint16_t>(shift);
  }
}

bool CutMoves::change_sample_cuts(PartitionChoice& choice, int most_nodes) {
  const Partition before = choice.cuts;
  const int layers = neighbours_.layers(), layer = random_.below(layers);
  const int last = random_.below(2) == 0 ? layer : std::min(layers - 1, layer + random_.below(8));
  const double which = random_.fraction();
  for (int i = layer; i <= last; ++i) {
    const std::vector<int> variants = neighbours_.sample_variants(i, choice.cuts[i]);
    choice.cuts[i] = variants[static_cast<std::size_t>(which * static_cast<double>(variants.size()))];
  }
  const std::int64_t nodes = neighbours_.pieces(choice.cuts);
  if (choice.cuts != before && nodes <= std::max<std::int64_t>(most_nodes, neighbours_.pieces(before)))
    return true;
  choice.cuts = before;
  return false;
}

bool CutMoves::change_grids(PartitionChoice& choice, int most_nodes) {
  const int layers = neighbours_.layers(), layer = random_.below(layers);
  const std::vector<int>& grids = neighbours_.grids(layer);
  if (grids.empty()) return false;
  const PartitionChoice before = choice;
  const int grid = grids[random_.below(static_cast<int>(grids.size()))];
  const int last = std::min(layers - 1, layer + random_.below(8));
  for (int i = layer; i <= last; ++i) {
    const int same = neighbours_.same_grid(i, layer, grid);
    if (same < 0) continue;
    choice.cuts[i] = same;
    choice.cores[i] = slots_in_turn(0, neighbours_.slots());
    if (!choice.shifts.empty()) choice.shifts[i] = 0;
  }
  const std::int64_t most = std::max<std::int64_t>(most_nodes, neighbours_.pieces(before.cuts));
  if (choice.cuts != before.cuts && neighbours_.pieces(choice.cuts) <= most) return true;
  choice = before;
  return false;
}

bool CutMoves::change_segments(PartitionChoice& choice) {
  const int layers = neighbours_.layers();
  if (!neighbours_.in_order() || layers < 2) return false;
  std::vector<int>& segments = choice.order.segments;
  const std::vector<int> before = segments;
  const int kind = segments.empty() ? 0 : random_.below(4);
  const auto add = [&](int layer) {
    const auto place = std::lower_bound(segments.begin(), segments.end(), layer);
    if (place == segments.end() || *place != layer) segments.insert(place, layer);
  };
  const std::size_t which = segments.empty() ? 0 : random_.below(static_cast<int>(segments.size()));
  if (kind == 0) {
    add(1 + random_.below(layers - 1));
    return segments != before;
  }
  const int layer = segments[which];
  segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(which));
  if (kind > 1)
    add(std::clamp(layer + (random_.below(2) == 0 ? 1 : -1) * (1 + random_.below(3)), 1, layers - 1));
  return segments != before;
}

void CutMoves::change_resident(PartitionChoice& choice, const std::vector<int>& layers) {
  std::vector<int>& resident = choice.order.resident;
  const int layer = layers[random_.below(static_cast<int>(layers.size()))];
  const auto place = std::find(resident.begin(), resident.end(), layer);
  if (place == resident.end())
    resident.insert(resident.begin(), layer);
  else
    resident.erase(place);
}

void CutMoves::change_order(PartitionChoice& choice, bool layers) {
  ScheduleChoice& order = choice.order;
  const double kind = random_.fraction();
  if (layers && kind < 0.7) {
    const int count = neighbours_.layers();
    if (order.layer_offset.empty()) {
      for (int layer = 0; layer < count; ++layer) order.layer_offset.push_back(-layer);
      order.layer_slope.assign(count, -0.99);
    }
    const int layer = random_.below(count);
    const double step = 4 * (random_.fraction() + random_.fraction() + random_.fraction() - 1.5);
    if (random_.below(3) > 0)
      order.layer_offset[layer] += step;
    else
      order.layer_slope[layer] += 2 * step;
  } else if (kind < 0.8) {
    order.back_filling = !order.back_filling;
  } else {
    order.dispatch = static_cast<DispatchRule>(random_.below(3));
    order.weight = order.dispatch == DispatchRule::critical_path ? std::exp2(6 * random_.fraction() - 2)
                                                                 : ScheduleChoice{}.weight;
  }
}

}  // namespace zz::core
