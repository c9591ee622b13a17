#include "core/search/optimal/detail/one_time_ports.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/cost/boundary_cost.hpp"

namespace zz::core {
namespace {

bool are_sides_of_one_boundary(const OneTimeLoad& a, const OneTimeLoad& b) {
  return a.operand == b.operand && a.boundary == b.boundary && a.above != b.above;
}

}  // namespace

OneTimePorts::OneTimePorts(const SearchProblem& problem, const PortLoads& loads, const OneTimeLoads& once,
                           const FinalResidency& residency, const std::vector<int>& required_of_port)
    : once_(once),
      residency_(residency),
      operands_(problem.space.operands()),
      below_minimum_(problem.given.options.rules.loading_below_minimum),
      uses_spare_cycles_(!problem.given.options.rules.loading_on_top),
      busy_(loads.busy) {
  list(problem, loads, required_of_port);
  for (OneTimePort& port : ports_) {
    for (const OneTimeLoad& load : port.loads) {
      port.longer += std::max(0.0, load.most_floor - load.cycles);
      port.enough += std::max(0.0, load.cycles - load.least_floor);
    }
    port.longer *= below_minimum_ ? static_cast<double>(port.loads.size()) : 0;
    // A step that shortens one more transfer to its minimum shortens all longer ones as much.
    port.enough = port.enough * static_cast<double>(port.loads.size()) + 1;
  }
  note_what_matters();
  choose_sides();
}

void OneTimePorts::list(const SearchProblem& problem, const PortLoads& loads,
                        const std::vector<int>& required_of_port) {
  const std::size_t full = problem.space.lattice().full();
  for (int index = 0; index < static_cast<int>(problem.tables.ports.size()); ++index) {
    OneTimePort port{problem.tables.ports[index].bandwidth_max, required_of_port[index]};
    for (std::size_t i = 0; i < loads.loads.size(); ++i) {
      const TransferLoad& load = loads.loads[i];
      if (load.port != index || load.partial_sums_back) continue;
      if (!once_.is_once(residency_, load)) {
        port.least_required += once_.least_bandwidth(i);
        continue;
      }
      if (load.cycles[full] == 0) continue;
      const int operand = load.operand;
      const bool whole = residency_[operand] == 0;
      const double known = loads.lowest_bits[operand][full];
      const bool above = memory_at(load.boundary, load.direction) == load.boundary;
      port.loads.push_back({operand, load.boundary, above, load.cycles[full],
                            std::ceil((whole ? known : once_.least_lowest_bits(operand)) / port.width),
                            std::ceil((whole ? known : once_.most_lowest_bits(operand)) / port.width)});
      if (!whole) class_matters_[operand] = true;
    }
    if (!port.loads.empty()) ports_.push_back(std::move(port));
  }
}

/// Hiding on one side of a boundary has no effect where the other side is never quicker.
void OneTimePorts::note_what_matters() {
  for (OneTimePort& port : ports_) {
    for (const OneTimeLoad& load : port.loads) {
      if (load.boundary == 0 || once_.sharing(load.operand, load.boundary) == Sharing::forgotten) continue;
      double other_lowest = 0;
      for (const OneTimePort& beyond : ports_) {
        for (const OneTimeLoad& side : beyond.loads) {
          if (are_sides_of_one_boundary(side, load) && (!below_minimum_ || beyond.loads.size() == 1))
            other_lowest = std::min(side.least_floor, side.cycles);
        }
      }
      const bool hideable = below_minimum_ || load.cycles > load.least_floor;
      port.matters = port.matters || (hideable && load.cycles >= other_lowest);
    }
  }
}

/// Of two sides that take equally long, the upper one counts as the slower.
void OneTimePorts::choose_sides() {
  for (OneTimePort& port : ports_) {
    for (OneTimeLoad& load : port.loads) {
      for (const OneTimePort& beyond : ports_) {
        for (const OneTimeLoad& side : beyond.loads) {
          if (are_sides_of_one_boundary(side, load))
            load.slower_side = side.cycles != load.cycles ? load.cycles > side.cycles : load.above;
        }
      }
    }
  }
}

bool OneTimePorts::all_known(const FillClasses& fill) const {
  for (int operand = 0; operand < operands_; ++operand)
    if (class_matters_[operand] && fill[operand] == 0) return false;
  return true;
}

double OneTimePorts::floor_of(const OneTimeLoad& load, const OneTimePort& port,
                              const FillClasses& fill) const {
  if (residency_[load.operand] == 0) return load.most_floor;
  return std::ceil(once_.lowest_bits(load.operand, fill[load.operand]) / port.width);
}

double OneTimePorts::free_share(const OneTimePort& port, const double* required) const {
  const double bits =
      port.required < 0 ? port.least_required : std::max(port.least_required, required[port.required]);
  return uses_spare_cycles_ ? std::max(0.0, (port.width - bits) / port.width) : 0;
}

double OneTimePorts::free_per_stall(const double* required, double stalls) const {
  double sum = 0;
  for (const OneTimePort& port : ports_) {
    if (!port.matters) continue;
    const double share = free_share(port, required);
    if (share * (busy_ + stalls) < port.enough) sum += share;
  }
  return sum;
}

double OneTimePorts::stalls_beyond(double cycles, double free_share) const {
  return std::floor(cycles / free_share - busy_) + 1;
}

OneTimePorts::Transfers OneTimePorts::unhidden(const OneTimePort& port, const FillClasses& fill) const {
  Transfers transfers;
  for (std::size_t i = 0; i < port.loads.size(); ++i)
    transfers[i] = {port.loads[i].cycles, floor_of(port.loads[i], port, fill)};
  return transfers;
}

OneTimePorts::Transfers OneTimePorts::hide(const OneTimePort& port, const FillClasses& fill,
                                           double spare) const {
  Transfers transfers = unhidden(port, fill);
  if (uses_spare_cycles_) hide_transfers({transfers.data(), port.loads.size()}, spare, below_minimum_);
  return transfers;
}

OneTimePorts::Thresholds OneTimePorts::thresholds(const OneTimePort& port, const FillClasses& fill) const {
  Thresholds found;
  if (!below_minimum_ || port.loads.size() < 2 || !uses_spare_cycles_) return found;
  Transfers transfers = unhidden(port, fill);
  std::stable_sort(transfers.begin(), transfers.begin() + static_cast<std::ptrdiff_t>(port.loads.size()),
                   [](const OneTimeTransfer& a, const OneTimeTransfer& b) { return a.cycles > b.cycles; });
  double used = 0;
  for (std::size_t i = 0; i < port.loads.size(); ++i) {
    const double slack = transfers[i].cycles - transfers[i].minimum;
    if (slack < 0 && found.count < found.cycles.size()) found.cycles[found.count++] = std::max(0.0, used);
    used += slack * static_cast<double>(i + 1);
  }
  return found;
}

}  // namespace zz::core
