#include "core/search/optimal/detail/latency_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/cost/boundaries.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/cost/port_load.hpp"
#include "core/search/optimal/certificate.hpp"

namespace zz::core {
namespace {

void lower(double& least, double value) { least = std::min(least, value); }

using Residency = OperandLatency::Residency;
using OnPort = OperandLatency::OnPort;
constexpr int ways = OperandLatency::ways;
constexpr auto none = OperandLatency::none;
constexpr auto shared = OperandLatency::shared;
constexpr auto all = OperandLatency::all;

class LatencyTables {
 public:
  LatencyTables(OperandTraffic& traffic, const CostTables& tables, int operand,
                const CostModelOptions* ragged);
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

  /// A transfer over a boundary that is closed above the loops of a multiset and all irrelevant ones.
  struct Passing {
    PortionTimes times;
    double count = 0;    ///< portions; 0: nothing moves
    double traffic = 0;  ///< cycles of all portions, of which several may share one
    double demand = 0;   ///< port_demand(), of a transfer that comes back
  };

  void find_transfers();
  Boundary blank(int boundary) const;
  void close(Boundary& boundary, int index, std::size_t multiset);
  void add_repeated(Residency& residency, const Boundary& boundary) const;
  void add_once(Residency& residency, int closed);
  const TransferPort& port_of(const ServedTransfer& served) const;
  Passing passing(const ServedTransfer& served, std::size_t multiset);

  OperandTraffic& traffic_;
  const CostTables& tables_;
  int operand_;
  const CostModelOptions* ragged_;
  const OperandTraffic::Transfers* transfers_ = nullptr;  ///< those asked for last
  std::size_t transfers_at_ = 0;                          ///< their multiset
  std::vector<ServedTransfer> served_;
  std::vector<bool> is_shared_;  ///< by boundary
  OperandLatency result_;
};

LatencyTables::LatencyTables(OperandTraffic& traffic, const CostTables& tables, int operand,
                             const CostModelOptions* ragged)
    : traffic_(traffic), tables_(tables), operand_(operand), ragged_(ragged) {
  traffic.prepare_all();
  find_transfers();
  const int levels = traffic.levels();
  std::vector<Boundary> boundaries;
  for (int boundary = 0; boundary < levels; ++boundary) boundaries.push_back(blank(boundary));
  const std::size_t full = traffic.lattice().full();
  for (std::size_t multiset = 0; multiset < full; ++multiset) {
    for (int boundary = 0; boundary < levels; ++boundary) {
      if (boundary == 0 ? multiset == 0 : traffic.fits(boundary - 1, multiset))
        close(boundaries[boundary], boundary, multiset);
    }
  }
  // The units of the output change what they use every cycle.
  if (full == 0 && traffic.total() > 1) close(boundaries[0], 0, full);
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
    add_once(result, residency);
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
void LatencyTables::close(Boundary& boundary, int index, std::size_t multiset) {
  boundary.closes = true;
  std::vector<OnPort> here(tables_.ports.size());
  double waiting = 0;
  for (const ServedTransfer& served : served_) {
    if (served.boundary != index) continue;
    const Passing passes = passing(served, multiset);
    if (passes.count == 0) continue;
    OnPort& port = here[served.port];
    port.traffic += passes.traffic;
    port.repeated += passes.times.busy;
    port.load += passes.times.repeated;
    port.stalls += passes.times.stalls;
    port.required += passes.demand;
    waiting = std::max(waiting, passes.times.once);
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

void LatencyTables::add_once(Residency& residency, int closed) {
  const double first = traffic_.lowest_bits(closed == 0 ? traffic_.lattice().full() : 0);
  for (const ServedTransfer& served : served_) {
    if (served.boundary == 0 || served.boundary <= closed) continue;
    const Passing passes = passing(served, traffic_.lattice().full());
    const double cycles = passes.times.once;
    const double floor = std::min(cycles, std::ceil(first / tables_.ports[served.port].bandwidth));
    OnPort& port = residency.ports[served.port];
    port.traffic += passes.traffic;
    for (const auto way : {shared, all}) {
      if (way == shared && !is_shared_[served.boundary]) continue;
      port.once[way] += cycles;
      port.floor[way] += floor;
      ++port.transfers[way];
    }
  }
}

const TransferPort& LatencyTables::port_of(const ServedTransfer& served) const {
  return traffic_.table().port[memory_at(served.boundary, served.direction)][served.direction];
}

LatencyTables::Passing LatencyTables::passing(const ServedTransfer& served, std::size_t multiset) {
  Passing passes;
  if (ragged_ != nullptr) {
    const BoundaryCost cost = traffic_.costs_at(multiset, served.boundary, *ragged_);
    if (cost.cycles[served.direction] == 0) return passes;
    passes.count = static_cast<double>(cost.count);
    passes.times = portion_times(cost, tables_.step, operand_, served.direction, false);
    passes.traffic = cost.busy[served.direction];
    if (cost.count > 1) passes.demand = cost.demand[served.direction];
    return passes;
  }
  if (transfers_ == nullptr || transfers_at_ != multiset) {
    transfers_ = &traffic_.at(multiset, true);
    transfers_at_ = multiset;
  }
  const LevelTransfer& transfer = (*transfers_)[served.boundary][served.direction];
  passes.count = static_cast<double>(transfer.count);
  if (transfer.count == 0) return passes;
  const double cycles = transfer.passing * static_cast<double>(port_cycles(transfer, port_of(served)));
  const double period = static_cast<double>(tables_.period_of(transfer.period)) * tables_.step.made;
  const double repeats = passes.count - 1;
  passes.traffic = portion_cycles(transfer, port_of(served)) * passes.count;
  passes.times = {cycles, cycles * repeats, std::max(0.0, cycles - period) * repeats,
                  passes.traffic - passes.traffic / passes.count};
  if (repeats > 0) passes.demand = port_demand(transfer, port_of(served), tables_.step);
  return passes;
}

}  // namespace

OperandLatency operand_latency(OperandTraffic& traffic, const CostTables& tables, int operand,
                               const CostModelOptions* ragged) {
  return LatencyTables(traffic, tables, operand, ragged).result();
}

double LatencyBound::of(double iterations, const std::vector<const OperandLatency*>& operands,
                        bool at_any_pace, Until until) const {
  double least = infinite;
  Residencies residencies;
  const auto end = [&](const auto& next, std::size_t operand) -> void {
    if (operand == operands.size()) {
      least = std::min(least, at(residencies, iterations, at_any_pace, until));
      return;
    }
    for (const Residency& residency : operands[operand]->residencies) {
      if (!residency.possible) continue;
      residencies.push_back(&residency);
      next(next, operand + 1);
      residencies.pop_back();
    }
  };
  end(end, 0);
  return least;
}

double LatencyBound::at(const Residencies& residencies, double iterations, bool at_any_pace,
                        Until until) const {
  const double computation = at_any_pace ? iterations : iterations * step_.each();
  const double busy = std::ceil(at_any_pace ? iterations : iterations * step_.of_one());
  const double windows = at_any_pace ? infinite : step_.longest(iterations);
  const auto sum = [&](const auto& of) {
    double total = 0;
    for (std::size_t operand = 0; operand < residencies.size(); ++operand)
      total += of(*residencies[operand], operand);
    return total;
  };
  double stalls = 0, unhidden = 0, busiest = std::ceil(waits_.line_cycles);
  for (std::size_t port = 0; port < widths_.size(); ++port) {
    const auto total = [&](double OnPort::*figure) {
      return sum([&](const auto& residency, std::size_t) { return residency.ports[port].*figure; });
    };
    if (!at_any_pace) stalls = std::max({stalls, total(&OnPort::stalls), total(&OnPort::load) - windows});
    if (port < waits_.overlaps.size() && waits_.overlaps[port] < 1)
      unhidden =
          std::max(unhidden, unhidden_cycles(waits_.overlaps[port], computation, total(&OnPort::repeated)));
    if (waits_for_ports_) busiest = std::max(busiest, whole_cycles(total(&OnPort::traffic)));
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
      const double together =
          std::max(on_port(&OnPort::load_and_waiting) - windows, on_port(&OnPort::stalls_and_waiting)) +
          unhidden;
      const double once = on_port(&OnPort::once);
      const double floor = on_port(&OnPort::floor);
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
          const OnPort& port = residency.ports[index];
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
  const OperandLatency::Counted last = until == Until::finished ? none : all;
  double waited = counted({last, all, none});
  if (residencies.size() == 3) {
    waited = std::max({waited, counted({last, none, all}),
                       std::min(counted({last, shared, all}), counted({last, all, shared}))});
  }
  if (until == Until::finished) return computation + waited;
  return std::max(computation + waited, busiest);
}

}  // namespace zz::core
