#include "core/search/optimal/detail/spatial_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/cost/boundaries.hpp"
#include "core/cost/boundary_cost.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/cost/port_load.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/detail/array_stays.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/detail/traffic.hpp"
#include "core/search/temporal/loop_factors.hpp"

namespace zz::core {
namespace {
void lower(double& least, double value) { least = std::min(least, value); }

using Residency = OperandLatency::Residency;
using OnPort = OperandLatency::OnPort;
constexpr int ways = OperandLatency::ways;
using Transfers = OperandTraffic::Transfers;

class LatencyTables {
 public:
  LatencyTables(OperandTraffic& traffic, const CostTables& tables, int operand);
  OperandLatency result() { return std::move(result_); }

 private:
  /// A transfer that is waited for, or goes to or from the units.
  struct ServedTransfer {
    int port, boundary, direction;
  };
  /// Lower bounds of a boundary that is closed before all loops are placed.
  struct Boundary {
    bool closes = false;
    std::array<bool, ways> counts{};
    double waiting[ways];
    std::vector<OnPort> ports;
  };

  void find_transfers();
  Boundary blank(int boundary) const;
  void close(Boundary& boundary, int index, const Transfers& transfers) const;
  void add_repeated(Residency& residency, const Boundary& boundary) const;
  void add_once(Residency& residency, int closed, const Transfers& transfers) const;
  const TransferPort& port_of(const ServedTransfer& served) const;
  double cycles_of(const ServedTransfer& served, const Transfers& transfers) const;
  double traffic_of(const ServedTransfer& served, const Transfers& transfers) const;

  OperandTraffic& traffic_;
  const CostTables& tables_;
  int operand_;
  std::vector<ServedTransfer> served_;
  std::vector<bool> is_shared_;  ///< by boundary
  OperandLatency result_;
};

LatencyTables::LatencyTables(OperandTraffic& traffic, const CostTables& tables, int operand)
    : traffic_(traffic), tables_(tables), operand_(operand) {
  traffic.prepare_all();
  find_transfers();
  const int levels = traffic.levels();
  std::vector<Boundary> boundaries;
  for (int boundary = 0; boundary < levels; ++boundary) boundaries.push_back(blank(boundary));
  const std::size_t full = traffic.lattice().full();
  for (std::size_t multiset = 0; multiset < full; ++multiset) {
    const Transfers& transfers = traffic.at(multiset, true);
    for (int boundary = 0; boundary < levels; ++boundary) {
      if (boundary == 0 ? multiset == 0 : traffic.fits(boundary - 1, multiset))
        close(boundaries[boundary], boundary, transfers);
    }
  }
  const Transfers& at_end = traffic.at(full, true);
  // The units of the output change what they use every cycle.
  if (full == 0 && traffic.total() > 1) close(boundaries[0], 0, at_end);
  result_.residencies.resize(levels);
  bool fits = true;
  for (int residency = levels; residency-- > 0;) {
    fits = fits && traffic.fits(residency, full);
    result_.residencies[residency].possible = fits;
  }
  for (int residency = 0; residency < levels; ++residency) {
    Residency& result = result_.residencies[residency];
    result.ports.resize(tables.ports.size());
    for (int boundary = 0; boundary <= residency; ++boundary) {
      if (boundaries[boundary].closes)
        add_repeated(result, boundaries[boundary]);
      else if (boundary > 0)
        result.possible = false;
    }
    add_once(result, residency, at_end);
  }
}

void LatencyTables::find_transfers() {
  const OperandTable& table = traffic_.table();
  std::vector<int> shared_sides(table.levels, 0);
  for (std::size_t port = 0; port < tables_.ports.size(); ++port) {
    for (const Service& service : tables_.ports[port].services) {
      if (service.operand != operand_) continue;
      const std::optional<int> boundary = boundary_of(tables_, service);
      // In some mappings no partial sums return.
      if (!boundary || returns_partial_sums(tables_, service)) continue;
      served_.push_back({static_cast<int>(port), *boundary, static_cast<int>(service.direction)});
      if (*boundary > 0 && !table.output && tables_.ports[port].serves_both_inputs)
        ++shared_sides[*boundary];
    }
  }
  for (const int sides : shared_sides) is_shared_.push_back(sides == 2);
}

LatencyTables::Boundary LatencyTables::blank(int boundary) const {
  Boundary blank;
  OnPort least;
  least.load = least.stalls = least.required = least.traffic = least.repeated = infinite;
  for (int way = 0; way < ways; ++way)
    least.load_and_waiting[way] = least.stalls_and_waiting[way] = blank.waiting[way] = infinite;
  blank.ports.assign(tables_.ports.size(), least);
  blank.counts = {false, is_shared_[boundary], boundary > 0};
  return blank;
}

/// Takes into account that the boundary may be closed where these transfers cross it.
void LatencyTables::close(Boundary& boundary, int index, const Transfers& transfers) const {
  boundary.closes = true;
  std::vector<OnPort> here(tables_.ports.size());
  double waiting = 0;
  for (const ServedTransfer& served : served_) {
    if (served.boundary != index) continue;
    const LevelTransfer& transfer = transfers[index][served.direction];
    if (transfer.count == 0) continue;
    const double cycles = cycles_of(served, transfers);
    const double repeats = static_cast<double>(transfer.count - 1);
    const auto period = static_cast<double>(scaled_cycles(transfer.period, tables_.cycles_per_operation));
    OnPort& port = here[served.port];
    const double traffic = traffic_of(served, transfers);
    port.traffic += traffic;
    port.repeated += traffic - traffic / static_cast<double>(transfer.count);
    port.load += cycles * repeats;
    port.stalls += std::max(0.0, cycles - period) * repeats;
    if (repeats > 0) port.required += port_demand(transfer, port_of(served), tables_.cycles_per_operation);
    waiting = std::max(waiting, cycles);
  }
  for (int way = 0; way < ways; ++way) lower(boundary.waiting[way], boundary.counts[way] ? waiting : 0);
  for (std::size_t i = 0; i < here.size(); ++i) {
    OnPort& least = boundary.ports[i];
    lower(least.traffic, here[i].traffic);
    lower(least.repeated, here[i].repeated);
    lower(least.load, here[i].load);
    lower(least.stalls, here[i].stalls);
    lower(least.required, here[i].required);
    for (int way = 0; way < ways; ++way) {
      const double waited = boundary.counts[way] ? waiting : 0;
      lower(least.load_and_waiting[way], here[i].load + waited);
      lower(least.stalls_and_waiting[way], here[i].stalls + waited);
    }
  }
}

void LatencyTables::add_repeated(Residency& residency, const Boundary& boundary) const {
  for (int way = 0; way < ways; ++way) residency.waiting[way] += boundary.waiting[way];
  for (std::size_t i = 0; i < residency.ports.size(); ++i) {
    OnPort& sum = residency.ports[i];
    const OnPort& more = boundary.ports[i];
    sum.traffic += more.traffic;
    sum.repeated += more.repeated;
    sum.load += more.load;
    sum.stalls += more.stalls;
    sum.required += more.required;
    for (int way = 0; way < ways; ++way) {
      sum.load_and_waiting[way] += more.load_and_waiting[way];
      sum.stalls_and_waiting[way] += more.stalls_and_waiting[way];
    }
  }
}

void LatencyTables::add_once(Residency& residency, int closed, const Transfers& transfers) const {
  const double first = traffic_.lowest_bits(closed == 0 ? traffic_.lattice().full() : 0);
  for (const ServedTransfer& served : served_) {
    if (served.boundary == 0 || served.boundary <= closed) continue;
    const double cycles = cycles_of(served, transfers);
    const double floor = std::min(cycles, std::ceil(first / tables_.ports[served.port].bandwidth_max));
    OnPort& port = residency.ports[served.port];
    port.traffic += traffic_of(served, transfers);
    for (const auto way : {OperandLatency::shared, OperandLatency::all}) {
      if (way == OperandLatency::shared && !is_shared_[served.boundary]) continue;
      port.once[way] += cycles;
      port.floor[way] += floor;
      ++port.transfers[way];
    }
  }
}

const TransferPort& LatencyTables::port_of(const ServedTransfer& served) const {
  return traffic_.table().port[memory_at(served.boundary, served.direction)][served.direction];
}

double LatencyTables::cycles_of(const ServedTransfer& served, const Transfers& transfers) const {
  return static_cast<double>(port_cycles(transfers[served.boundary][served.direction], port_of(served)));
}

/// Cycles of all portions, of which several may share one.
double LatencyTables::traffic_of(const ServedTransfer& served, const Transfers& transfers) const {
  const LevelTransfer& transfer = transfers[served.boundary][served.direction];
  return portion_cycles(transfer, port_of(served)) * static_cast<double>(transfer.count);
}

}  // namespace

OperandLatency operand_latency(OperandTraffic& traffic, const CostTables& tables, int operand) {
  return LatencyTables(traffic, tables, operand).result();
}

namespace {

constexpr auto none = OperandLatency::none;
constexpr auto shared = OperandLatency::shared;
constexpr auto all = OperandLatency::all;

}  // namespace

double LatencyBound::of(double iterations, const std::vector<const OperandLatency*>& operands,
                        bool at_any_pace) const {
  double least = infinite;
  Residencies residencies;
  const auto end = [&](const auto& next, std::size_t operand) -> void {
    if (operand == operands.size()) {
      least = std::min(least, at(residencies, iterations, at_any_pace));
      return;
    }
    for (const OperandLatency::Residency& residency : operands[operand]->residencies) {
      if (!residency.possible) continue;
      residencies.push_back(&residency);
      next(next, operand + 1);
      residencies.pop_back();
    }
  };
  end(end, 0);
  return least;
}

double LatencyBound::at(const Residencies& residencies, double iterations, bool at_any_pace) const {
  const double computation = iterations * cycles_per_operation_;
  const double busy = std::ceil(computation);
  const double windows = at_any_pace ? infinite : iterations * std::ceil(cycles_per_operation_);
  const auto sum = [&](const auto& of) {
    double total = 0;
    for (std::size_t operand = 0; operand < residencies.size(); ++operand)
      total += of(*residencies[operand], operand);
    return total;
  };
  double stalls = 0, unhidden = 0, busiest = std::ceil(waits_.line_cycles);
  for (std::size_t port = 0; port < widths_.size(); ++port) {
    const auto total = [&](double OperandLatency::OnPort::*figure) {
      return sum([&](const auto& residency, std::size_t) { return residency.ports[port].*figure; });
    };
    if (!at_any_pace)
      stalls = std::max(
          {stalls, total(&OperandLatency::OnPort::stalls), total(&OperandLatency::OnPort::load) - windows});
    if (port < waits_.overlaps.size() && waits_.overlaps[port] < 1)
      unhidden = std::max(unhidden, unhidden_cycles(waits_.overlaps[port], computation,
                                                    total(&OperandLatency::OnPort::repeated)));
    if (waits_for_ports_)
      busiest = std::max(busiest, whole_cycles(total(&OperandLatency::OnPort::traffic)));
  }
  stalls = std::max(stalls + unhidden, waits_.tile_interval - computation);
  const auto counted = [&](const Ways& ways) {
    const double waiting =
        sum([&](const auto& residency, std::size_t operand) { return residency.waiting[ways[operand]]; });
    double longest = stalls + waiting;
    for (std::size_t index = 0; index < widths_.size(); ++index) {
      const auto on_port = [&](const auto& figure) {
        return sum([&](const auto& residency, std::size_t operand) {
          return (residency.ports[index].*figure)[ways[operand]];
        });
      };
      const double together = std::max(on_port(&OperandLatency::OnPort::load_and_waiting) - windows,
                                       on_port(&OperandLatency::OnPort::stalls_and_waiting)) +
                              unhidden;
      const double once = on_port(&OperandLatency::OnPort::once);
      const double floor = on_port(&OperandLatency::OnPort::floor);
      if (at_any_pace) {
        longest = std::max(longest, waiting + floor);
        continue;
      }
      const double required =
          sum([&](const auto& residency, std::size_t) { return residency.ports[index].required; });
      const double needed =
          uses_spare_cycles_ ? std::min(1.0, widths_[index] > 0 ? required / widths_[index] : 1.0) : 1.0;
      // Stalls plus waiting are at least both of these. Loading that does not hide is added.
      const double least = std::max(stalls + waiting, together);
      longest = std::max(longest, least + floor);
      const double hidden_in_computation = (1 - needed) * busy;
      if (uses_spare_cycles_ && !hides_together_) {
        const double left = sum([&](const auto& residency, std::size_t operand) {
          const OperandLatency::OnPort& port = residency.ports[index];
          const OperandLatency::Counted way = ways[operand];
          return std::max(port.floor[way], port.once[way] - port.transfers[way] * hidden_in_computation);
        });
        longest = std::max(longest, waiting + left);
        continue;
      }
      longest = std::max({longest, stalls + waiting + once - hidden_in_computation - (1 - needed) * stalls,
                          needed * least + once - hidden_in_computation});
    }
    return longest;
  };
  double waited = counted({all, all, none});
  if (residencies.size() == 3) {
    waited = std::max({waited, counted({all, none, all}),
                       std::min(counted({all, shared, all}), counted({all, all, shared}))});
  }
  return std::max(computation + waited, busiest);
}

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
  return key;
}

/// Equal for accelerators whose memories are the same to the operand.
std::int64_t SpatialBounds::number_of(const OperandTable& table, bool costs) {
  std::vector<double> seen;
  for (int level = 0; level < table.levels; ++level) {
    seen.push_back(table.size[level]);
    for (int direction = 0; direction < direction_count; ++direction) {
      const TransferPort& port = table.port[level][direction];
      seen.insert(seen.end(),
                  {port.bandwidth_min, port.bandwidth_max, port.request_bits, port.request_cycles});
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
    widths.push_back(port.bandwidth_max);
    waits.overlaps.push_back(port.overlap);
    waits.line_cycles = std::max(waits.line_cycles, port.line_cycles);
  }
  for (const TileInterval& one : tables.tile_intervals)
    waits.tile_interval = std::max(waits.tile_interval, one.cycles);
  latency_.emplace(widths, tables.cycles_per_operation, problem.options.rules, std::move(waits));
}

SpatialBound SpatialBounds::bound(const MappingProblem& problem, std::optional<Effort> effort, bool timed) {
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
  const std::vector<RemainingLoop> loops =
      remaining_loops(*problem.layer, *problem.fractional, options.rules);
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
      auto known = latencies_.find(key);
      if (known == latencies_.end()) {
        make_tables();
        known = latencies_.emplace(key, operand_latency(traffic(), *tables, operand)).first;
        bytes_ += key.size() * sizeof(Key::value_type) +
                  known->second.residencies.size() * tables->ports.size() * sizeof(OnPort);
      }
      latencies.push_back(&known->second);
    }
    if (!effort) continue;
    key.back() = seen[1];
    auto& known_energies = energies_[*effort == Effort::quick ? 0 : 1];
    auto known = known_energies.find(key);
    if (known == known_energies.end()) {
      make_tables();
      const bool in_array = tables->imc && tables->imc->weight_operand == operand;
      OperandEnergy energy(traffic(), window_share_[static_cast<std::size_t>(operand)], *effort,
                           in_array ? &*tables->imc : nullptr);
      bytes_ += key.size() * sizeof(Key::value_type) + sizeof(OperandEnergy);
      known = known_energies.emplace(std::move(key), std::move(energy)).first;
    }
    energies.push_back(&known->second);
  }
  SpatialBound bound;
  if (effort) bound.energy = energy(loops, energies);
  if (timed) {
    double iterations = 1;
    for (const RemainingLoop& loop : loops) iterations *= static_cast<double>(loop.size);
    const bool keys = problem.accelerator->array.fold || problem.accelerator->array.instruction;
    if (keys) {
      make_tables();
      if (factors.empty()) factors = loop_factors(*problem.layer, loops, {}, 0, options.rules);
      iterations = least_array_cycles(*tables, factors);
    }
    bound.latency = latency_->of(iterations, latencies, keys) +
                    static_cast<double>(drain_cycles(problem.accelerator->array, *problem.layer));
  }
  return bound;
}

SpatialBound SpatialBounds::of(const MappingProblem& problem) {
  return bound(problem, goal_.needs_energy() ? Effort::thorough : Effort::quick, bounds_latency(problem));
}

double SpatialBounds::value(const MappingProblem& problem) {
  const auto effort = goal_.needs_energy() ? std::optional(Effort::thorough) : std::nullopt;
  return bound_of(bound(problem, effort, bounds_latency(problem)), goal_);
}

SpatialBound SpatialBounds::quick(const MappingProblem& problem) {
  return bound(problem, Effort::quick, false);
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

namespace {

/// Cycles of the requests for all elements of a transfer, whatever tiles they come in: a request takes no
/// more than its bytes, and no more than the longest stretch, which is that of all elements.
double least_request_cycles(const LevelTransfer& transfer, const TransferPort& port) {
  if (port.request_cycles == 0) return 0;
  const double stretch_bits = transfer.stretch * transfer.precision;
  return transfer.elements * transfer.precision / std::min(port.request_bits, stretch_bits) *
         port.request_cycles;
}

/// What the ports of one memory take to pass on all data of an operand once, added to `ports`.
void add_topmost_transfers(const CostTables& tables, int operand,
                           const OperandTraffic::Transfers& transfers, const Rules& rules,
                           std::vector<std::array<double, max_operands>>& ports) {
  const int last = tables.operands[operand].levels - 1;
  for (std::size_t port = 0; port < tables.ports.size(); ++port) {
    const double width = tables.ports[port].bandwidth_max;
    if (width == 0) continue;
    for (const Service& service : tables.ports[port].services) {
      if (service.operand != operand || service.level != last || returns_partial_sums(tables, service))
        continue;
      if (boundary_of(tables, service) != std::optional<int>(last)) continue;
      const int direction = static_cast<int>(service.direction);
      const LevelTransfer& transfer = transfers[last][direction];
      const double cycles =
          std::max(transfer.elements * transfer.precision / width,
                   least_request_cycles(transfer, tables.operands[operand].port[last][direction]));
      if (!rules.faster_than_ports) {
        ports[port][operand] += cycles;
      } else if (operand > 0) {
        // Only the loading of inputs is waited for, each by itself and but for its first cycle.
        ports.emplace_back()[operand] = std::max(0.0, std::floor(cycles) - 1);
      }
    }
  }
}

}  // namespace

CompulsoryCost compulsory_cost(const MappingProblem& problem) {
  const Rules& rules = problem.options.rules;
  const CostTables tables(*problem.accelerator, *problem.layer, *problem.fractional, *problem.integral,
                          rules);
  const std::vector<RemainingLoop> loops = remaining_loops(*problem.layer, *problem.fractional, rules);
  const std::vector<FactorTable> factors = loop_factors(*problem.layer, loops, {}, 0, rules);
  const bool whole_cycles = tables.cycles_per_operation == std::floor(tables.cycles_per_operation);
  CompulsoryCost once;
  once.ports.resize(tables.ports.size());
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    OperandTraffic traffic(tables, loops, operand, factors, problem.options.same_data_free, false);
    const std::size_t full = traffic.lattice().full();
    traffic.prepare({&full, 1});
    const OperandTraffic::Transfers& transfers = traffic.at(full, false);
    const OperandTable& table = tables.operands[operand];
    const double share = window_share(*problem.layer, operand, rules);
    const Memory* topmost = nullptr;
    for (const Memory& memory : problem.accelerator->memories) {
      // The last one in the file is the topmost.
      if (memory.holds(problem.layer->memory_operand(operand))) topmost = &memory;
    }
    for (int boundary = 1; boundary < table.levels; ++boundary) {
      const double energy = traffic.energy(transfers, boundary).at_least(share);
      if (energy < infinite) once.energy[operand] += energy;
    }
    const bool feeds_all = topmost != nullptr && problem.accelerator->instances(*topmost) == 1;
    if (table.levels > 1 && feeds_all && (whole_cycles || !rules.faster_than_ports))
      add_topmost_transfers(tables, operand, transfers, rules, once.ports);
  }
  return once;
}

CompulsoryBound::CompulsoryBound(const Layer& layer, const Accelerator& accelerator,
                                 const CostModelOptions& model, CompulsoryCost compulsory)
    : layer_(layer),
      model_(model),
      compulsory_(std::move(compulsory)),
      operations_(static_cast<double>(layer.mac_count())) {
  energy_of_units_ = accelerator.array.imc ? 0 : accelerator.array.unit_energy * operations_;
  least_shares_.fill(model.rules.data_in_whole_units ? 0 : 1);
}

SpatialBound CompulsoryBound::by_units(double units) const {
  return bound(operations_ / units, least_shares_);
}

SpatialBound CompulsoryBound::of(const SpatialSpace& space, const SpatialSpace::Choice& choice) const {
  if (model_.rules.loading_below_minimum) return by_units(space.units(choice));
  const std::vector<LoopRounds> rounds = space.rounds(choice);
  double iterations = 1;
  for (const LoopRounds& loop : rounds) iterations *= static_cast<double>(loop.rounds);
  return bound(iterations, model_.rules.data_in_whole_units ? whole_shares(rounds) : least_shares_);
}

CompulsoryBound::Shares CompulsoryBound::whole_shares(const std::vector<LoopRounds>& rounds) const {
  const auto is_unrolled = [&](const std::string& name) {
    const int loop = layer_.loop_index(name);
    return loop >= 0 && rounds[loop].rounds < layer_.loops[loop].size;
  };
  Shares shares;
  for (int operand = 0; operand < static_cast<int>(layer_.operands.size()); ++operand) {
    double& share = shares[operand] = 1;
    for (int loop = 0; loop < static_cast<int>(rounds.size()); ++loop) {
      if (layer_.relevancy(operand, loop) != Relevancy::irrelevant) share *= rounds[loop].whole_share();
    }
    // Units may share a window; how they split it is not looked into here.
    for (const DimensionRelation& relation : layer_.relations) {
      if (layer_.has_relations(operand) && is_unrolled(relation.output_loop) &&
          is_unrolled(relation.filter_loop))
        share = 0;
    }
  }
  return shares;
}

SpatialBound CompulsoryBound::bound(double computation, const Shares& shares) const {
  SpatialBound bound{energy_of_units_, 0};
  for (std::size_t operand = 0; operand < shares.size(); ++operand)
    bound.energy += shares[operand] * compulsory_.energy[operand];
  if (model_.rules.loading_below_minimum) return bound;
  bound.latency = computation;
  for (const auto& port : compulsory_.ports) {
    const double cycles = std::inner_product(port.begin(), port.end(), shares.begin(), 0.0);
    bound.latency = std::max(bound.latency, whole_cycles(cycles));
  }
  return bound;
}

CompulsoryBound compulsory_bound(const Layer& layer, const Accelerator& accelerator,
                                 const CostModelOptions& model) {
  SpatialUnrolling nothing;
  for (const ArrayDimension& dimension : accelerator.array.dimensions)
    nothing.dimensions.push_back({dimension.name, {}});
  const auto compulsory = [&] {
    return compulsory_cost(
        unrolled_problem(layer, std::make_shared<const Accelerator>(accelerator), nothing, model));
  };
  return {layer, accelerator, model, accelerator.array.imc ? CompulsoryCost{} : compulsory()};
}

}  // namespace zz::core
