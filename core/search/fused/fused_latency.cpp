#include "core/search/fused/fused_latency.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "core/cost/cost_model.hpp"
#include "core/cost/latency.hpp"
#include "core/cost/port_load.hpp"

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

/// Number of phases that load each set of kept operands, one bit each: an input in the first iteration of
/// the shared loops that do not change it, the output goes in the last one.
std::array<double, 8> phases_by_loads(const FusedNetwork& network, int index, const FusedLayer& layer) {
  const Layer& of = *network.layers[index].layer;
  std::array<double, 8> counts{};
  const auto walk = [&](const auto& self, std::size_t depth, unsigned loads, double phases) -> void {
    if (depth == layer.shared.size()) {
      counts[loads] += phases;
      return;
    }
    const SharedLoop& loop = layer.shared[depth];
    const auto iterations = static_cast<double>(loop.iterations);
    enum { first, between, last };
    for (const int part : {first, between, last}) {
      const double times = part == between ? iterations - 2 : 1;
      if (times <= 0) continue;
      unsigned left = loads;
      for (int operand = 0; operand < static_cast<int>(of.operands.size()); ++operand) {
        const FusedOperand& kept = layer.operands[operand];
        if (kept.role != Role::kept || kept.depth > static_cast<int>(depth)) continue;
        const int dimension = network.axis_of(index, loop.axis)->dimension;
        if (of.relevancy(operand, dimension) != Relevancy::irrelevant) continue;
        if (part != (operand == 0 ? last : first)) left &= ~(1U << static_cast<unsigned>(operand));
      }
      self(self, depth + 1, left, phases * times);
    }
  };
  unsigned kept = 0;
  for (std::size_t operand = 0; operand < of.operands.size(); ++operand)
    if (layer.operands[operand].role == Role::kept) kept |= 1U << static_cast<unsigned>(operand);
  walk(walk, 0, kept, 1);
  return counts;
}

/// The layer as a phase sees it: what it does not load lies in the exchange memory as if it were exchanged.
MappingProblem seen_in_phase(const NetworkLayer& own, const FusedLayer& layer, unsigned loads) {
  std::vector<std::string> there;
  for (std::size_t operand = 0; operand < own.layer->operands.size(); ++operand) {
    const FusedOperand& of = layer.operands[operand];
    if (of.role == Role::exchanged || (of.role == Role::kept && (loads >> operand & 1U) == 0))
      there.push_back(own.problem.layer->memory_operand(static_cast<int>(operand)));
  }
  return unrolled_problem(*own.layer,
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
  for (auto shared = layer.shared.rbegin(); shared != layer.shared.rend(); ++shared)
    for (std::int64_t left = shared->iterations; left > 1;) left /= phase.size[--phase.loops];
  if (phase.loops == 0) phase.size[phase.loops++] = 1;
  for (auto* cuts : {&phase.stationary, &phase.allocated})
    for (auto& of : *cuts)
      for (auto& cut : of) cut = std::min(cut, static_cast<std::uint8_t>(phase.loops));
  return phase;
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
  const std::array<double, 8> phases = phases_by_loads(network, index, layer);
  const bool sums = sums_return(network, index, layer);
  const double count = std::accumulate(phases.begin(), phases.end(), 0.0);
  const CompactMapping phase = phase_of(layer);
  const CostModel nothing_loaded = model_of(seen_in_phase(own, layer, 0));
  const double usual = nothing_loaded.latency(phase).total();
  const double usual_loading = Passing(nothing_loaded, layer.mapping).loading();
  double promised = 0;
  for (unsigned loads = 0; loads < phases.size(); ++loads) {
    if (phases[loads] == 0) continue;
    const CostModel model = model_of(seen_in_phase(own, layer, loads));
    const double loading = Passing(model, layer.mapping).loading();
    if (sums)
      promised += phases[loads] * (evaluated.computation / count + loading);
    else if (loads_its_tile(network, index, layer, loads))
      promised += phases[loads] * model.latency(phase).total();
    else
      promised += phases[loads] * (usual + loading - usual_loading);
  }
  found.promised = std::max(found.promised, promised);
  return found;
}

}  // namespace zz::core
