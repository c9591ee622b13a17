#include "core/search/optimal/detail/quick_bound.hpp"

#include <algorithm>
#include <cmath>

#include "core/cost/boundary_cost.hpp"
#include "core/search/optimal/detail/operand_traffic.hpp"
#include "core/search/temporal/loop_factors.hpp"

namespace zz::core {

CompulsoryCost compulsory_cost(const MappingProblem& problem) {
  const CostTables tables(*problem.accelerator, *problem.layer, *problem.fractional, *problem.integral,
                          problem.options.rules);
  const std::vector<RemainingLoop> loops =
      remaining_loops(*problem.layer, *problem.fractional, problem.options.rules);
  const std::vector<FactorTable> factors =
      loop_factors(*problem.layer, loops, {}, 0, problem.options.rules);
  CompulsoryCost once;
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    OperandTraffic traffic(tables, loops, operand, factors, problem.options.same_data_free, false);
    const std::size_t full = traffic.lattice().full();
    traffic.prepare({&full, 1});
    const OperandTraffic::Transfers& transfers = traffic.at(full, false);
    const OperandTable& table = tables.operands[operand];
    const double share = window_share(*problem.layer, operand, problem.options.rules);
    for (int boundary = 1; boundary < table.levels; ++boundary) {
      const double energy = traffic.energy(transfers, boundary).at_least(share);
      if (energy < infinite) once.energy[operand] += energy;
    }
    const bool whole_cycles = tables.cycles_per_operation == std::floor(tables.cycles_per_operation);
    if (operand == 0 || table.levels < 2 || !whole_cycles) continue;
    const int last = table.levels - 1;
    const double width = table.port[last][read_to_low].bandwidth_max;
    if (width == 0) continue;
    const LevelTransfer& downwards = transfers[last][read_to_low];
    const double bits = downwards.elements * downwards.precision;
    once.latency[operand] = std::max(0.0, std::floor(bits / width) - 1);
  }
  return once;
}

QuickBound::QuickBound(const Layer& layer, const Accelerator& accelerator, const CostModelOptions& model,
                       const CompulsoryCost& compulsory)
    : layer_(layer),
      model_(model),
      compulsory_(compulsory),
      operations_(static_cast<double>(layer.mac_count())) {
  energy_of_units_ = accelerator.array.imc ? 0 : accelerator.array.unit_energy * operations_;
  for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand) {
    for (const Memory& memory : accelerator.memories) {
      // The last one in the file is the topmost.
      if (memory.holds(layer.memory_operand(operand)))
        fed_by_one_memory_[operand] = accelerator.instances(memory) == 1;
    }
  }
}

SpatialBound QuickBound::by_units(double units) const {
  SpatialBound bound;
  bound.energy = energy_of_units_;
  if (!model_.rules.loading_below_minimum) bound.latency = operations_ / units;
  return bound;
}

SpatialBound QuickBound::of(const SpatialSpace& space, const SpatialSpace::Choice& choice) const {
  SpatialBound bound = by_units(space.units(choice));
  if (model_.rules.loading_below_minimum) return bound;
  const std::vector<LoopRounds> rounds = space.rounds(choice);
  bound.latency = 1;
  for (const LoopRounds& loop : rounds) bound.latency *= static_cast<double>(loop.rounds);
  for (int operand = 0; operand < static_cast<int>(layer_.operands.size()); ++operand) {
    double share = 1;
    for (int loop = 0; loop < static_cast<int>(rounds.size()); ++loop) {
      if (layer_.relevancy(operand, loop) != Relevancy::irrelevant) share *= rounds[loop].whole_share();
    }
    // Units may share a window; how they split it is not looked into here.
    for (const DimensionRelation& relation : layer_.relations) {
      if (layer_.has_relations(operand) && is_unrolled(relation.output_loop, rounds) &&
          is_unrolled(relation.filter_loop, rounds))
        share = 0;
    }
    bound.energy += share * compulsory_.energy[operand];
    if (fed_by_one_memory_[operand])
      bound.latency = std::max(bound.latency, share * compulsory_.latency[operand]);
  }
  return bound;
}

bool QuickBound::is_unrolled(const std::string& name, const std::vector<LoopRounds>& rounds) const {
  const int loop = layer_.loop_index(name);
  return loop >= 0 && rounds[loop].rounds < layer_.loops[loop].size;
}

}  // namespace zz::core
