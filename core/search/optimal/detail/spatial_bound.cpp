#include "core/search/optimal/detail/spatial_bound.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/cost/boundary_cost.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/search/optimal/detail/quick_bound.hpp"
#include "core/search/temporal/loop_factors.hpp"

namespace zz::core {
namespace {
/// Cost-to-go by closed boundaries (without boundary 0), by multiset.
using Rest = std::vector<PerLevel<double>>;

/// A dynamic program over the lattice that closes boundaries wherever there is room.
Rest thorough(OperandTraffic& traffic) {
  traffic.prepare_all();
  const ExponentLattice& lattice = traffic.lattice();
  const int boundaries = traffic.levels();
  Rest rest(lattice.size());
  for (std::size_t multiset = lattice.size(); multiset-- > 0;) {
    const PerLevel<double> energies = traffic.energies(traffic.at(multiset, false));
    PerLevel<double>& here = rest[multiset];
    double above = 0;
    for (int closed = boundaries; closed-- > 0;) {
      double& least = here[closed] = infinite;
      if (multiset == lattice.full()) {
        if (!traffic.fits(closed, multiset)) above = infinite;
        least = above;
        above += energies[closed];
        continue;
      }
      for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
        if (lattice.has_more(multiset, kind))
          least = std::min(least, rest[multiset + lattice.stride(kind)][closed]);
      }
      if (closed + 1 < boundaries && traffic.fits(closed, multiset))
        least = std::min(least, here[closed + 1] + energies[closed + 1]);
    }
  }
  return rest;
}

/// Compulsory traffic, the same for all multisets: all data cross each boundary once, less the shares that
/// whole factors, overcounted windows and the rounding of accesses may take away.
Rest quick(OperandTraffic& traffic, double window_share) {
  const ExponentLattice& lattice = traffic.lattice();
  std::vector<std::size_t> needed = {0, lattice.full()};
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) needed.push_back(lattice.stride(kind));
  traffic.prepare(needed);
  const OperandTable& table = traffic.table();
  double share = window_share;
  for (const UnrolledFactor& loop : traffic.unrolling().loops.all()) {
    if (table.relevancy[loop.dimension] != Relevancy::irrelevant)
      share *= std::floor(loop.factor) / loop.factor;
  }
  const OperandTraffic::Transfers& transfers = traffic.at(lattice.full(), false);
  PerLevel<double> rest{};
  for (int boundary = table.levels - 1; boundary > 0; --boundary) {
    rest[boundary - 1] = rest[boundary] + traffic.energy(transfers, boundary).at_least(share);
  }
  return {rest};
}

}  // namespace

double window_share(const Layer& layer, int operand, const Rules& rules) {
  if (!layer.has_relations(operand) || !rules.overcounted_window_positions) return 1;
  double share = 1;
  for (const Window& window : windows_of(layer, rules)) {
    const auto size = [&](int loop) { return loop < 0 ? std::int64_t{1} : layer.loops[loop].size; };
    const std::int64_t outputs = size(window.output_loop);
    const std::int64_t filters = size(window.filter_loop);
    share *= std::min(1.0, static_cast<double>(std::max(outputs, filters)) /
                               static_cast<double>(window.positions.count(outputs, filters)));
  }
  return share;
}

OperandEnergy::OperandEnergy(OperandTraffic& traffic, double window_share, Effort effort,
                             const ImcLayerEnergy* imc) {
  const ExponentLattice& lattice = traffic.lattice();
  const int boundaries = traffic.levels();
  const bool is_quick = effort == Effort::quick;
  const Rest rest = is_quick ? quick(traffic, window_share) : thorough(traffic);
  const auto rest_at = [&](std::size_t multiset, int closed) {
    return rest[is_quick ? 0 : multiset][closed];
  };
  const auto of_array = [&](std::int64_t repeats) {
    return imc == nullptr ? 0 : imc->with_repeats(static_cast<double>(repeats)).total();
  };
  const double kept_at_units = traffic.energies(traffic.at(0, false))[0];
  kept = kept_at_units + of_array(traffic.repeats()) + rest_at(0, 0);
  const PerLevel<double> every_time = traffic.energies(traffic.without_loops(false));
  changed.fill(infinite);
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    const std::size_t loop = lattice.stride(kind);
    double& least = changed[lattice.kinds()[kind].dimension];
    double paid = every_time[0] + of_array(1);
    for (int closed = 0; closed < boundaries; ++closed) {
      if (!is_quick || closed + 1 == boundaries || traffic.fits(closed, loop))
        least = std::min(least, paid + rest_at(loop, closed));
      if (closed + 1 == boundaries || !traffic.fits(closed, 0)) break;
      paid += every_time[closed + 1];
    }
  }
}

/// Equal for problems in which the operand costs the same.
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
    window_share_.push_back(window_share(layer, operand, problem.options.rules));
  }
  units_energy_ = tables.imc ? 0 : tables.unit_energy * static_cast<double>(tables.mac_count);
  std::vector<double> widths;
  for (const PortTable& port : tables.ports) widths.push_back(port.bandwidth_max);
  latency_.emplace(widths, tables.cycles_per_operation, problem.options.rules);
}

SpatialBound SpatialBounds::bound(const MappingProblem& problem, OperandEnergy::Effort effort, bool timed) {
  const CostModelOptions& options = problem.options;
  std::optional<CostTables> tables;
  const auto make_tables = [&] {
    if (!tables)
      tables.emplace(*problem.accelerator, *problem.layer, *problem.fractional, *problem.integral,
                     options.rules);
  };
  if (!latency_) {
    make_tables();
    prepare(problem, *tables);
  }
  const std::vector<RemainingLoop> loops =
      remaining_loops(*problem.layer, *problem.fractional, options.rules);
  std::vector<FactorTable> factors;
  std::vector<const Operand*> operands;
  auto& known_operands = known_[effort == OperandEnergy::Effort::quick && !timed ? 0 : 1];
  for (int operand = 0; operand < static_cast<int>(problem.layer->operands.size()); ++operand) {
    Key key = key_of(problem, loops, operand);
    auto known = known_operands.find(key);
    if (known == known_operands.end()) {
      make_tables();
      if (factors.empty()) factors = loop_factors(*problem.layer, loops, {}, 0, options.rules);
      OperandTraffic traffic(*tables, loops, operand, factors, options.same_data_free, timed);
      const bool in_array = tables->imc && tables->imc->weight_operand == operand;
      Operand made{OperandEnergy(traffic, window_share_[static_cast<std::size_t>(operand)], effort,
                                 in_array ? &*tables->imc : nullptr),
                   std::nullopt};
      if (timed) made.latency = operand_latency(traffic, *tables, operand);
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
    bound.latency = latency_->of(iterations, latencies) +
                    static_cast<double>(drain_cycles(problem.accelerator->array, *problem.layer));
  }
  return bound;
}

SpatialBound SpatialBounds::of(const MappingProblem& problem) {
  const bool energy_decides = objective_ != Objective::latency;
  return bound(problem, energy_decides ? OperandEnergy::Effort::thorough : OperandEnergy::Effort::quick,
               objective_ != Objective::energy && !problem.options.rules.loading_below_minimum &&
                   !problem.options.rules.shared_loading_forgotten);
}

SpatialBound SpatialBounds::quick(const MappingProblem& problem) {
  return bound(problem, OperandEnergy::Effort::quick, false);
}

double SpatialBounds::energy(const std::vector<RemainingLoop>& loops,
                             const std::vector<const Operand*>& operands) const {
  double least = infinite;
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

double bound_of(const SpatialBound& bound, const Goal& goal) {
  return goal.of(bound.energy, bound.latency);
}

}  // namespace zz::core
