#include "core/search/fused/fused_latency.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <vector>

#include "core/cost/cost_model.hpp"
#include "core/cost/latency.hpp"
#include "core/cost/port_load.hpp"
#include "core/cost/tiles_below.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

using Role = FusedOperand::Role;

/// Data that pass each boundary of a mapping.
class Passing {
 public:
  Passing(const CostModel& model, const CompactMapping& mapping) : model_(model), mapping_(mapping) {
    for (const Boundaries::Boundary& at : model.boundaries().all())
      costs_.push_back(cost_of(model.tables(), model.options(), mapping, at.operand, at.level));
    for (const BoundaryCost& cost : costs_) by_number_.push_back(&cost);
  }

  /// Cycles of the port for all that passes it.
  double busiest_port() const {
    double busiest = 0;
    for (const Boundaries::Port& port : model_.boundaries().ports()) {
      double busy = 0;
      for (const Boundaries::PortUse& use : port.uses)
        if (!is_idle(use, by_number_)) busy += costs_[use.boundary].busy[use.direction];
      busiest = std::max(busiest, busy);
    }
    return busiest;
  }

  /// Cycles of loading and off-loading where none of it hides.
  double loading() const {
    CostModelOptions nothing_hides = model_.options();
    nothing_hides.rules.loading_on_top = nothing_hides.rules.faster_than_ports = true;
    const Latency latency =
        latency_of(model_.tables(), nothing_hides, model_.boundaries(), mapping_, by_number_);
    return latency.onloading + latency.offloading + latency.drain;
  }

 private:
  const CostModel& model_;
  const CompactMapping& mapping_;
  std::vector<BoundaryCost> costs_;
  std::vector<const BoundaryCost*> by_number_;
};

/// Phases that are alike.
struct PhaseKind {
  /// Kept operands that each loads, one bit each: an input in the first iteration of the shared loops that
  /// do not change it, the output goes in the last one.
  unsigned loads = 0;
  LastTiles last = 0;  ///< dimensions of which it has the last tile, where that is shorter

  auto operator<=>(const PhaseKind&) const = default;
};

/// The number of phases of each kind.
std::map<PhaseKind, double> phases_by_kind(const FusedNetwork& network, int index,
                                           const FusedLayer& layer) {
  const Layer& of = *network.layers[index].layer;
  std::map<PhaseKind, double> counts;
  const auto walk = [&](const auto& self, std::size_t depth, PhaseKind kind, double phases) -> void {
    if (depth == layer.shared.size()) {
      counts[kind] += phases;
      return;
    }
    const SharedLoop& loop = layer.shared[depth];
    const LayerAxis& axis = *network.axis_of(index, loop.axis);
    const auto iterations = static_cast<double>(loop.iterations);
    enum { first, between, last };
    for (const int part : {first, between, last}) {
      const double times = part == between ? iterations - 2 : 1;
      if (times <= 0) continue;
      PhaseKind left = kind;
      if (part == last && axis.is_ragged()) left.last |= LastTiles{1} << axis.dimension;
      for (int operand = 0; operand < static_cast<int>(of.operands.size()); ++operand) {
        const FusedOperand& kept = layer.operands[operand];
        if (kept.role != Role::kept || kept.depth > static_cast<int>(depth)) continue;
        if (of.relevancy(operand, axis.dimension) != Relevancy::irrelevant) continue;
        if (part != (operand == 0 ? last : first)) left.loads &= ~(1U << static_cast<unsigned>(operand));
      }
      self(self, depth + 1, left, phases * times);
    }
  };
  PhaseKind all;
  for (std::size_t operand = 0; operand < of.operands.size(); ++operand)
    if (layer.operands[operand].role == Role::kept) all.loads |= 1U << static_cast<unsigned>(operand);
  walk(walk, 0, all, 1);
  return counts;
}

/// The layer as a phase sees it: what it does not load lies in the exchange memory as if it were exchanged.
/// `of_tile`: the layer, or its last tile.
MappingProblem seen_in_phase(const NetworkLayer& own, const FusedLayer& layer, unsigned loads,
                             const Layer& of_tile) {
  std::vector<std::string> there;
  for (std::size_t operand = 0; operand < own.layer->operands.size(); ++operand) {
    const FusedOperand& of = layer.operands[operand];
    if (of.role == Role::exchanged || (of.role == Role::kept && (loads >> operand & 1U) == 0))
      there.push_back(own.problem.layer->memory_operand(static_cast<int>(operand)));
  }
  return unrolled_problem(of_tile,
                          std::make_shared<const Accelerator>(exchanging(
                              *own.problem.accelerator, own.memory(layer.exchange_memory), there)),
                          own.unrolling(), layer.problem.options);
}

/// Sums that one phase does not finish come back in a later one.
bool sums_return(const FusedNetwork& network, int index, const FusedLayer& layer) {
  if (layer.operands[0].role == Role::exchanged) return false;
  return std::any_of(layer.shared.begin(), layer.shared.end(), [&](const SharedLoop& loop) {
    const int dimension = network.axis_of(index, loop.axis)->dimension;
    return network.layers[index].layer->relevancy(0, dimension) == Relevancy::irrelevant;
  });
}

/// A phase needs all of the kept operands that it loads: no shared loop inside of where they are kept
/// changes them.
bool loads_its_tile(const FusedNetwork& network, int index, const FusedLayer& layer, unsigned loads) {
  const Layer& of = *network.layers[index].layer;
  for (int operand = 0; operand < static_cast<int>(of.operands.size()); ++operand) {
    if ((loads >> static_cast<unsigned>(operand) & 1U) == 0) continue;
    for (auto loop = static_cast<std::size_t>(layer.operands[operand].depth); loop < layer.shared.size();
         ++loop)
      if (of.relevancy(operand, network.axis_of(index, layer.shared[loop].axis)->dimension) !=
          Relevancy::irrelevant)
        return false;
  }
  return true;
}

/// The nest below the shared loops.
CompactMapping phase_of(const FusedLayer& layer) {
  CompactMapping phase = layer.mapping;
  for (const SharedLoop& shared : layer.shared)
    for (std::int64_t left = shared.iterations; left > 1;) left /= phase.size[--phase.loops];
  if (phase.loops == 0) phase.size[phase.loops++] = 1;
  for (auto* cuts : {&phase.stationary, &phase.allocated})
    for (auto& of : *cuts)
      for (auto& cut : of) cut = std::min(cut, static_cast<std::uint8_t>(phase.loops));
  return phase;
}

/// The layer where these dimensions have as many iterations as their last tiles. `phase`: phase_of().
Layer at_last_tiles(const FusedNetwork& network, int index, const FusedLayer& layer,
                    const CompactMapping& phase, LastTiles last) {
  Layer found = *network.layers[index].layer;
  name_block_loops(found);
  for (const SharedLoop& shared : layer.shared) {
    const LayerAxis& axis = *network.axis_of(index, shared.axis);
    if ((last >> axis.dimension & 1) == 0) continue;
    std::int64_t tile = axis.length / axis.left;
    for (int loop = 0; loop < phase.loops; ++loop)
      if (phase.dimension[loop] == axis.dimension) tile *= phase.size[loop];
    found.loops[axis.dimension].size = axis.size - (shared.iterations - 1) * tile;
  }
  return found;
}

}  // namespace

FusedLatency fused_latency(const FusedNetwork& network, int index, const FusedLayer& layer) {
  const NetworkLayer& own = network.layers[index];
  const CostModel model = model_of(layer.problem);
  const Latency evaluated = model.latency(layer.mapping);
  FusedLatency found;
  found.evaluated = found.promised = evaluated.total();
  found.hidden = std::max(evaluated.array, Passing(model, layer.mapping).busiest_port());
  if (layer.shared.empty()) return found;
  const std::map<PhaseKind, double> phases = phases_by_kind(network, index, layer);
  const bool sums = sums_return(network, index, layer);
  double count = 0;
  for (const auto& [kind, times] : phases) count += times;
  const CompactMapping phase = phase_of(layer);
  const CostModel nothing_loaded = model_of(seen_in_phase(own, layer, 0, *own.layer));
  const double usual_loading = Passing(nothing_loaded, layer.mapping).loading();
  double promised = 0;
  for (const auto& [kind, times] : phases) {
    const double loading =
        Passing(model_of(seen_in_phase(own, layer, kind.loads, *own.layer)), layer.mapping).loading();
    const Layer tile = at_last_tiles(network, index, layer, phase, kind.last);
    const auto alone = [&](unsigned loads) {
      return model_of(seen_in_phase(own, layer, loads, tile)).latency(phase).total();
    };
    if (sums)
      promised += times * (evaluated.computation / count + loading);
    else if (loads_its_tile(network, index, layer, kind.loads))
      promised += times * alone(kind.loads);
    else
      promised += times * (alone(0) + loading - usual_loading);
  }
  found.promised = std::max(found.promised, promised);
  return found;
}

}  // namespace zz::core
