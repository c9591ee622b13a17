#include "core/search/optimal/spatial_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/cost/cost_tables.hpp"
#include "core/search/loma/loop_factors.hpp"
#include "core/search/optimal/moved_once.hpp"

namespace zz::core {

/// What the figures of an operand follow from.
SpatialBounds::Key SpatialBounds::key_of(const MappingProblem& problem,
                                         const std::vector<RemainingLoop>& loops, int operand) const {
  const Layer& layer = *problem.layer;
  Key key = {operand};
  std::vector<double> factors;
  const auto append = [&](const SpatialMapping& mapping) {
    for (const auto& level : mapping.operands[static_cast<std::size_t>(operand)].levels) {
      factors.assign(layer.loops.size() + 1, 1);  // the last one: of all irrelevant loops
      for (const UnrolledLoop& unrolled : level) {
        const int loop = layer.loop_index(unrolled.dimension);
        const bool irrelevant = is_irrelevant(operand, loop);
        factors[irrelevant ? layer.loops.size() : static_cast<std::size_t>(loop)] *= unrolled.factor;
      }
      for (const double factor : factors) key.push_back(std::llround(factor * 1e9));
    }
  };
  append(*problem.fractional);
  if (objective_ != Objective::energy) append(*problem.integral);
  std::vector<std::int64_t> rest(layer.loops.size() + 1, 1);
  for (const RemainingLoop& loop : loops) {
    const bool irrelevant = is_irrelevant(operand, loop.dimension);
    rest[irrelevant ? layer.loops.size() : static_cast<std::size_t>(loop.dimension)] *= loop.size;
  }
  key.insert(key.end(), rest.begin(), rest.end());
  return key;
}

void SpatialBounds::prepare(const MappingProblem& problem, const CostTables& tables) {
  const Layer& layer = *problem.layer;
  for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand) {
    std::vector<bool>& row = irrelevant_.emplace_back();
    for (int loop = 0; loop < static_cast<int>(layer.loops.size()); ++loop)
      row.push_back(layer.relevancy(operand, loop) == Relevancy::irrelevant);
    window_share_.push_back(window_share(layer, operand));
  }
  units_energy_ = tables.imc ? 0 : tables.unit_energy * static_cast<double>(tables.mac_count);
  std::vector<double> widths;
  for (const PortTable& port : tables.ports) widths.push_back(port.bandwidth_max);
  latency_.emplace(widths, tables.cycles_per_operation, problem.options.loading_uses_spare_cycles);
}

SpatialBound SpatialBounds::bound(const MappingProblem& problem, OperandEnergy::Effort effort, bool timed) {
  const CostModelOptions& options = problem.options;
  std::optional<CostTables> tables;
  const auto make_tables = [&] {
    if (!tables)
      tables.emplace(*problem.accelerator, *problem.layer, *problem.fractional, *problem.integral);
  };
  if (!latency_) {
    make_tables();
    prepare(problem, *tables);
  }
  const std::vector<RemainingLoop> loops =
      remaining_loops(*problem.layer, *problem.fractional, options.zigzag_compat);
  std::vector<FactorTable> factors;
  std::vector<const Operand*> operands;
  auto& known_operands = known_[effort == OperandEnergy::Effort::quick && !timed ? 0 : 1];
  for (int operand = 0; operand < static_cast<int>(problem.layer->operands.size()); ++operand) {
    Key key = key_of(problem, loops, operand);
    auto known = known_operands.find(key);
    if (known == known_operands.end()) {
      make_tables();
      if (factors.empty()) factors = loop_factors(*problem.layer, loops, {}, 0, options.zigzag_compat);
      OperandPortions portions(*tables, loops, operand, factors, options.same_data_free, timed);
      const bool in_array = tables->imc && tables->imc->weight_operand == operand;
      Operand made{OperandEnergy(portions, window_share_[static_cast<std::size_t>(operand)], effort,
                                 in_array ? &*tables->imc : nullptr),
                   std::nullopt};
      if (timed) made.latency = operand_latency(portions, *tables, operand);
      known = known_operands.emplace(std::move(key), std::move(made)).first;
    }
    operands.push_back(&known->second);
  }
  SpatialBound bound;
  bound.energy = energy(loops, operands);
  if (timed) {
    double iterations = 1;
    for (const RemainingLoop& loop : loops) iterations *= static_cast<double>(loop.size);
    std::vector<const OperandLatency*> latencies;
    for (const Operand* operand : operands) latencies.push_back(&*operand->latency);
    bound.latency = latency_->of(iterations, latencies);
  }
  return bound;
}

SpatialBound SpatialBounds::of(const MappingProblem& problem) {
  const bool energy_decides = objective_ != Objective::latency;
  return bound(problem, energy_decides ? OperandEnergy::Effort::thorough : OperandEnergy::Effort::quick,
               objective_ != Objective::energy && !problem.options.zigzag_compat);
}

SpatialBound SpatialBounds::quick(const MappingProblem& problem) {
  return bound(problem, OperandEnergy::Effort::quick, false);
}

double SpatialBounds::energy(const std::vector<RemainingLoop>& loops,
                             const std::vector<const Operand*>& operands) const {
  double least = std::numeric_limits<double>::infinity();
  const auto with_innermost = [&](int dimension) {
    double sum = units_energy_;
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
      const OperandEnergy& own = operands[operand]->energy;
      const bool changes = dimension >= 0 && !is_irrelevant(static_cast<int>(operand), dimension);
      sum += changes ? own.changed[static_cast<std::size_t>(dimension)] : own.kept;
    }
    return sum;
  };
  for (const RemainingLoop& loop : loops) least = std::min(least, with_innermost(loop.dimension));
  return loops.empty() ? with_innermost(-1) : least;
}

double bound_of(const SpatialBound& bound, Objective objective) {
  switch (objective) {
    case Objective::energy:
      return bound.energy;
    case Objective::latency:
      return bound.latency;
    case Objective::edp:
      return bound.energy * bound.latency;
  }
  return 0;
}

}  // namespace zz::core
