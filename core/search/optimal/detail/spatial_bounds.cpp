#include "core/search/optimal/detail/spatial_bounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/cost/cost_tables.hpp"
#include "core/cost/work_left.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/detail/array_stays.hpp"
#include "core/search/temporal/loop_factors.hpp"

namespace zz::core {
namespace {

/// Cost-to-go by closed boundaries (without boundary 0), by multiset.
using Rest = std::vector<PerLevel<double>>;

/// Energies of all boundaries, above the loops of the multiset and all irrelevant ones, or below all loops.
PerLevel<double> energies_at(OperandTraffic& traffic, std::size_t multiset, const CostModelOptions* ragged,
                             bool without_loops = false) {
  if (ragged == nullptr)
    return traffic.energies(without_loops ? traffic.without_loops(false) : traffic.at(multiset, false));
  PerLevel<double> energies{};
  for (int boundary = 0; boundary < traffic.levels(); ++boundary)
    energies[boundary] = crossing_energy(traffic.costs_at(multiset, boundary, *ragged, without_loops));
  return energies;
}

/// A dynamic program over the lattice that closes boundaries wherever there is room.
Rest thorough(OperandTraffic& traffic, const CostModelOptions* ragged) {
  traffic.prepare_all();
  const ExponentLattice& lattice = traffic.lattice();
  const int boundaries = traffic.levels();
  Rest rest(lattice.size());
  for (std::size_t multiset = lattice.size(); multiset-- > 0;) {
    const PerLevel<double> energies = energies_at(traffic, multiset, ragged);
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
                             const ImcLayerEnergy* imc, const CostModelOptions* ragged) {
  const ExponentLattice& lattice = traffic.lattice();
  const int boundaries = traffic.levels();
  const bool is_quick = effort != Effort::thorough;
  const Rest rest = is_quick ? quick(traffic, window_share) : thorough(traffic, ragged);
  const auto rest_at = [&](std::size_t multiset, int closed) {
    return rest[is_quick ? 0 : multiset][closed];
  };
  const auto of_array = [&](std::int64_t repeats) {
    return imc == nullptr ? 0 : imc->with_repeats(static_cast<double>(repeats)).total();
  };
  const double kept_at_units = energies_at(traffic, 0, ragged)[0];
  kept = kept_at_units + of_array(traffic.repeats()) + rest_at(0, 0);
  const PerLevel<double> every_time = energies_at(traffic, 0, ragged, true);
  changed.fill(infinite);
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    const std::size_t loop = lattice.stride(kind);
    double& least = changed[lattice.kinds()[kind].dimension];
    double paid = every_time[0] + of_array(1);
    for (int closed = 0; closed < boundaries; ++closed) {
      const bool fits = effort == Effort::any_tiles || traffic.fits(closed, loop);
      if (!is_quick || closed + 1 == boundaries || fits)
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
      // Those units take data that work in any round.
      double fullest = 1;
      for (const UnrolledLoop& unrolled : level)
        if (is_irrelevant(operand, layer.loop_index(unrolled.dimension)))
          fullest *= std::ceil(snapped(unrolled.factor));
      key.push_back(std::llround(fullest));
    }
  };
  append(*problem.fractional);
  if (goal_.needs_latency()) append(*problem.integral);
  std::vector<std::int64_t> rest(layer.loops.size() + 1, 1);
  for (const RemainingLoop& loop : loops) {
    const bool irrelevant = is_irrelevant(operand, loop.dimension);
    rest[irrelevant ? layer.loops.size() : static_cast<std::size_t>(loop.dimension)] *= loop.size;
  }
  key.insert(key.end(), rest.begin(), rest.end());
  if (problem.lengths.empty()) return key;
  // The rounds that the lengths stand for.
  std::fill(rest.begin(), rest.end(), 1);
  for (const RemainingLoop& loop :
       remaining_loops(*problem.layer, *problem.fractional, problem.options.rules)) {
    const bool irrelevant = is_irrelevant(operand, loop.dimension);
    rest[irrelevant ? layer.loops.size() : static_cast<std::size_t>(loop.dimension)] *= loop.size;
  }
  key.insert(key.end(), rest.begin(), rest.end());
  return key;
}

/// Equal for accelerators whose memories are the same to the operand.
std::int64_t SpatialBounds::number_of(const OperandTable& table, bool costs) {
  std::vector<double> seen;
  for (int level = 0; level < table.levels; ++level) {
    seen.push_back(table.size[level]);
    for (int direction = 0; direction < direction_count; ++direction) {
      const TransferPort& port = table.port[level][direction];
      seen.insert(seen.end(), {port.bandwidth_min, port.bandwidth_max, port.efficiency, port.request_bits,
                               port.request_cycles});
      if (costs) seen.push_back(table.energy[level][direction]);
    }
  }
  return numbers_.emplace(std::move(seen), static_cast<std::int64_t>(numbers_.size())).first->second;
}

void SpatialBounds::prepare(const MappingProblem& problem, const CostTables& tables) {
  const Layer& layer = *problem.layer;
  accelerator_ = problem.accelerator;
  seen_.clear();
  for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand) {
    const OperandTable& table = tables.operands[static_cast<std::size_t>(operand)];
    seen_.push_back({number_of(table, false), number_of(table, true)});
    if (static_cast<std::size_t>(operand) < irrelevant_.size()) continue;
    std::vector<bool>& row = irrelevant_.emplace_back();
    for (int loop = 0; loop < static_cast<int>(layer.loops.size()); ++loop)
      row.push_back(layer.relevancy(operand, loop) == Relevancy::irrelevant);
    window_share_.push_back(window_share(layer, operand, problem.options.rules));
  }
  units_energy_ = tables.imc ? 0 : tables.unit_energy * static_cast<double>(tables.mac_count);
  std::vector<double> widths;
  FurtherWaits waits;
  for (const PortTable& port : tables.ports) {
    widths.push_back(port.bandwidth);
    waits.overlaps.push_back(port.overlap);
    waits.line_cycles = std::max(waits.line_cycles, port.line_cycles);
  }
  for (const TileInterval& one : tables.tile_intervals)
    waits.tile_interval = std::max(waits.tile_interval, one.cycles);
  latency_.emplace(widths, tables.step, problem.options.rules, std::move(waits));
}

SpatialBound SpatialBounds::bound(const MappingProblem& problem, std::optional<Effort> effort, bool timed,
                                  Until until) {
  const CostModelOptions& options = problem.options;
  std::optional<CostTables> tables;
  const auto make_tables = [&] {
    if (!tables)
      tables.emplace(*problem.accelerator, *problem.layer, *problem.fractional, *problem.integral,
                     options.rules);
  };
  if (problem.accelerator != accelerator_) {
    make_tables();
    prepare(problem, *tables);
  }
  const std::vector<RemainingLoop> loops = searched_loops(problem);
  const CostModelOptions* const ragged = problem.lengths.empty() ? nullptr : &options;
  double made_rounds = 1;
  if (timed && !problem.accelerator->array.on_zero.empty())
    made_rounds = work_left(*problem.accelerator, *problem.layer, *problem.fractional).rounds;
  std::vector<FactorTable> factors;
  std::vector<const OperandEnergy*> energies;
  std::vector<const OperandLatency*> latencies;
  for (int operand = 0; operand < static_cast<int>(problem.layer->operands.size()); ++operand) {
    std::optional<OperandTraffic> made;
    const auto traffic = [&]() -> OperandTraffic& {
      if (factors.empty()) factors = loop_factors(*problem.layer, loops, {}, 0, options.rules);
      if (!made) made.emplace(*tables, loops, operand, factors, options.same_data_free, timed);
      return *made;
    };
    const auto& seen = seen_[static_cast<std::size_t>(operand)];
    Key key = key_of(problem, loops, operand);
    key.push_back(seen[0]);
    if (timed) {
      key.push_back(std::bit_cast<std::int64_t>(made_rounds));
      auto known = latencies_.find(key);
      if (known == latencies_.end()) {
        make_tables();
        known = latencies_.emplace(key, operand_latency(traffic(), *tables, operand, ragged)).first;
        bytes_ += key.size() * sizeof(Key::value_type) +
                  known->second.residencies.size() * tables->ports.size() * sizeof(OperandLatency::OnPort);
      }
      latencies.push_back(&known->second);
    }
    if (!effort) continue;
    if (timed) key.pop_back();
    key.back() = seen[1];
    auto& known_energies = energies_[static_cast<std::size_t>(*effort)];
    auto known = known_energies.find(key);
    if (known == known_energies.end()) {
      make_tables();
      const bool in_array = tables->imc && tables->imc->weight_operand == operand;
      OperandEnergy energy(traffic(), window_share_[static_cast<std::size_t>(operand)], *effort,
                           in_array ? &*tables->imc : nullptr, ragged);
      bytes_ += key.size() * sizeof(Key::value_type) + sizeof(OperandEnergy);
      known = known_energies.emplace(std::move(key), std::move(energy)).first;
    }
    energies.push_back(&known->second);
  }
  SpatialBound bound;
  if (effort) bound.energy = energy(loops, energies);
  if (timed) {
    double iterations = 1;
    for (const RemainingLoop& loop : remaining_loops(*problem.layer, *problem.fractional, options.rules))
      iterations *= static_cast<double>(loop.size);
    const bool keys = problem.accelerator->array.fold || problem.accelerator->array.instruction;
    if (keys) {
      make_tables();
      if (factors.empty()) factors = loop_factors(*problem.layer, loops, {}, 0, options.rules);
      iterations = least_array_cycles(*tables, factors);
    }
    latency_->set_made(made_rounds);
    bound.latency = latency_->of(iterations, latencies, keys, until);
    if (until == Until::off_loaded)
      bound.latency += static_cast<double>(drain_cycles(problem.accelerator->array, *problem.layer));
  }
  return bound;
}

SpatialBound SpatialBounds::of(const MappingProblem& problem) {
  if (!problem.refinements.operand_bounds) return {};
  return bound(problem, goal_.needs_energy() ? Effort::thorough : Effort::quick, bounds_latency(problem));
}

double SpatialBounds::value(const MappingProblem& problem) {
  if (!problem.refinements.operand_bounds) return bound_of({}, goal_);
  const auto effort = goal_.needs_energy() ? std::optional(Effort::thorough) : std::nullopt;
  return bound_of(bound(problem, effort, bounds_latency(problem)), goal_);
}

double SpatialBounds::until_finished(const MappingProblem& problem) {
  if (!problem.refinements.operand_bounds) return 0;
  return bound(problem, std::nullopt, bounds_latency(problem), Until::finished).latency;
}

SpatialBound SpatialBounds::quick(const MappingProblem& problem) {
  if (!problem.refinements.quick_bounds) return {};
  return bound(problem, Effort::quick, false);
}

double SpatialBounds::energy_of_any_tiles(const MappingProblem& problem) {
  if (!problem.refinements.quick_bounds || !problem.lengths.empty()) return 0;
  return bound(problem, Effort::any_tiles, false).energy;
}

double SpatialBounds::energy(const std::vector<RemainingLoop>& loops,
                             const std::vector<const OperandEnergy*>& operands) const {
  double least = infinite;
  const auto with_innermost = [&](int dimension) {
    double sum = units_energy_;
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
      const OperandEnergy& own = *operands[operand];
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
