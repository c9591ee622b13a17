#include "core/search/optimal/detail/residency_loading.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/cost/loading.hpp"
#include "core/search/optimal/detail/lipschitz_minimum.hpp"

namespace zz::core {
namespace {

constexpr std::size_t max_once = max_operands * direction_count;  ///< one-time transfers of a port

}  // namespace

ResidencyLoading::ResidencyLoading(const SearchProblem& problem, const PortLoads& loads,
                                   const OneTimeLoads& once, const FinalResidency& residency,
                                   const std::vector<int>& required_of_port)
    : problem_(problem),
      once_(once),
      residency_(residency),
      below_minimum_(problem.given.options.rules.loading_below_minimum),
      uses_spare_cycles_(!problem.given.options.rules.loading_on_top),
      busy_(loads.busy) {
  const std::size_t full = problem.space.lattice().full();
  for (int index = 0; index < static_cast<int>(problem.tables.ports.size()); ++index) {
    Port port{index, problem.tables.ports[index].bandwidth_max, required_of_port[index]};
    for (std::size_t i = 0; i < loads.loads.size(); ++i) {
      const TransferLoad& load = loads.loads[i];
      if (load.port != index || load.partial_sums_back) continue;
      if (!once.is_once(residency, load)) {
        port.least_required += once.least_bandwidth(i);
        port.most_required += once.most_bandwidth(i);
        continue;
      }
      if (load.cycles[full] == 0) continue;
      const int operand = load.operand;
      const bool whole = residency[operand] == 0;
      const double known = loads.lowest_bits[operand][full];
      const bool above =
          load.direction == Direction::read_to_low || load.direction == Direction::write_from_low;
      port.once.push_back({operand, load.boundary, above, load.cycles[full],
                           std::ceil((whole ? known : once.least_lowest_bits(operand)) / port.width),
                           std::ceil((whole ? known : once.most_lowest_bits(operand)) / port.width)});
      if (!whole) class_matters_[operand] = true;
    }
    if (!port.once.empty()) ports_.push_back(std::move(port));
  }
  for (Port& port : ports_) {
    for (std::size_t i = 1; i < port.once.size(); ++i)
      if (port.once[i].cycles > port.once[port.longest].cycles) port.longest = i;
    for (const Once& transfer : port.once) {
      port.longer += std::max(0.0, transfer.most_floor - transfer.cycles);
      port.enough += std::max(0.0, transfer.cycles - transfer.least_floor);
    }
    port.longer *= below_minimum_ ? static_cast<double>(port.once.size()) : 0;
    // A step that shortens one more transfer to its minimum shortens all longer ones as much.
    port.enough = port.enough * static_cast<double>(port.once.size()) + 1;
  }
  note_what_matters();
  choose_sides();
}

/// Hiding on one side of a boundary has no effect where the other side is never quicker.
void ResidencyLoading::note_what_matters() {
  for (Port& port : ports_) {
    for (const Once& transfer : port.once) {
      if (transfer.boundary == 0 ||
          once_.sharing(transfer.operand, transfer.boundary) == Sharing::forgotten)
        continue;
      double other_lowest = 0;
      for (const Port& beyond : ports_) {
        for (const Once& side : beyond.once) {
          if (side.operand != transfer.operand || side.boundary != transfer.boundary ||
              side.above == transfer.above)
            continue;
          if (!below_minimum_ || beyond.once.size() == 1)
            other_lowest = std::min(side.least_floor, side.cycles);
        }
      }
      const bool hideable = below_minimum_ || transfer.cycles > transfer.least_floor;
      port.matters = port.matters || (hideable && transfer.cycles >= other_lowest);
    }
  }
}

bool ResidencyLoading::counts(Path path, int operand, int boundary) const {
  const Sharing sharing = once_.sharing(operand, boundary);
  if (boundary == 0 || sharing == Sharing::forgotten) return false;
  if (operand == 0) return true;
  const bool shared = sharing == Sharing::shared;
  switch (path) {
    case all_first:
      return operand == 1;
    case all_second:
      return operand == 2;
    case shared_first_all_second:
      return operand == 2 || shared;
    case all_first_shared_second:
      return operand == 1 || shared;
    case paths:
      break;
  }
  return false;
}

/// A boundary takes as long as its slower side, so that any choice of sides gives a lower bound. Chooses
/// the side that takes longer when nothing is hidden.
void ResidencyLoading::choose_sides() {
  chosen_.assign(ports_.size(), {});
  for (std::size_t index = 0; index < ports_.size(); ++index) {
    for (Once& transfer : ports_[index].once) {
      bool& slower = transfer.slower_side;
      for (const Port& beyond : ports_) {
        for (const Once& side : beyond.once) {
          if (side.operand == transfer.operand && side.boundary == transfer.boundary &&
              side.above != transfer.above)
            slower = side.cycles != transfer.cycles ? transfer.cycles > side.cycles : transfer.above;
        }
      }
      if (!slower) continue;
      for (int path = 0; path < paths; ++path) {
        if (!counts(static_cast<Path>(path), transfer.operand, transfer.boundary)) continue;
        PathOnPort& entry = chosen_[index][path];
        entry.any = true;
        entry.cycles += transfer.cycles;
        entry.floor += std::min(transfer.cycles, transfer.least_floor);
      }
    }
  }
}

bool ResidencyLoading::all_known(const FillClasses& fill) const {
  for (int operand = 0; operand < problem_.space.operands(); ++operand)
    if (class_matters_[operand] && fill[operand] == 0) return false;
  return true;
}

/// The share of a port's cycles that is free.
double ResidencyLoading::rate(const Port& port, const double* required) const {
  const double bits =
      port.required < 0 ? port.least_required : std::max(port.least_required, required[port.required]);
  return uses_spare_cycles_ ? std::max(0.0, (port.width - bits) / port.width) : 0;
}

double ResidencyLoading::spare(const Port& port, const double* required, double stalls) const {
  return rate(port, required) * (busy_ + stalls);
}

/// Cycles of loading that one more stalled cycle can hide, on all ports together.
double ResidencyLoading::free_per_stall(const double* required, double stalls) const {
  double sum = 0;
  for (const Port& port : ports_) {
    if (!port.matters) continue;
    const double share = rate(port, required);
    if (share * (busy_ + stalls) < port.enough) sum += share;
  }
  return sum;
}

/// A lower bound of the sum of the chosen transfers of a port, whatever the fill classes.
double ResidencyLoading::left_of(const Port& port, Path path, Hiding hiding, const PathOnPort& chosen,
                                 double spare) const {
  const double left = chosen.cycles - spare - port.longer;
  const auto is_chosen = [&](const Once& once) {
    return once.slower_side && counts(path, once.operand, once.boundary);
  };
  if (below_minimum_ && port.once.size() > 1) {
    // Each step shortens one transfer to its minimum and all longer ones as much, even below theirs.
    double sum = 0;
    for (const Once& once : port.once) {
      if (!is_chosen(once)) continue;
      double most = 0;
      for (const Once& other : port.once)
        if (other.cycles <= once.cycles) most += std::max(0.0, other.cycles - other.least_floor);
      sum += once.cycles - std::min(most, spare + port.longer);
    }
    return std::max(left, sum);
  }
  double sum = std::max(left, chosen.floor);
  if (hiding == Hiding::longest_shortened) {
    const Once& longest = port.once[port.longest];
    const double hidden = std::max(0.0, std::min(spare, longest.cycles - longest.least_floor));
    sum = std::max(sum, chosen.cycles - (is_chosen(longest) ? hidden : 0));
  } else if (hiding == Hiding::levelled) {
    // The sum is least with low minima of the chosen transfers and high minima of the others, which then
    // leave more cycles to the chosen ones.
    std::array<OneTimeTransfer, max_once> transfers;
    for (std::size_t i = 0; i < port.once.size(); ++i) {
      const Once& once = port.once[i];
      transfers[i] = {once.cycles, is_chosen(once) ? once.least_floor : once.most_floor};
    }
    water_fill(std::span(transfers).first(port.once.size()), spare);
    double levelled = 0;
    for (std::size_t i = 0; i < port.once.size(); ++i)
      if (is_chosen(port.once[i])) levelled += transfers[i].cycles;
    sum = std::max(sum, levelled);
  }
  return sum;
}

double ResidencyLoading::without_classes(const RepeatedLoading& repeated, const double* required,
                                         double stalls, const HidingAtPorts& hiding,
                                         LoadingPath counted) const {
  const auto total = [&](Path path) {
    double sum = repeated.individual[0];
    for (int operand = 1; operand < problem_.space.operands(); ++operand) {
      const bool all = path == (operand == 1 ? all_first : all_second) ||
                       path == (operand == 1 ? all_first_shared_second : shared_first_all_second);
      if (all)
        sum += repeated.individual[operand] + repeated.half_shared[operand] + repeated.shared[operand];
      if (!all && path >= shared_first_all_second) sum += repeated.shared[operand];
    }
    for (std::size_t index = 0; index < ports_.size(); ++index) {
      const PathOnPort& entry = chosen_[index][path];
      if (!entry.any) continue;
      const Port& port = ports_[index];
      sum += left_of(port, path, hiding[index], entry, spare(port, required, stalls));
    }
    return sum;
  };
  if (!two_inputs() || counted == LoadingPath::first) return total(all_first);
  if (counted == LoadingPath::second) return total(all_second);
  return std::min(std::max(total(shared_first_all_second), total(all_first)),
                  std::max(total(all_first_shared_second), total(all_second)));
}

double ResidencyLoading::least(const RepeatedLoading& repeated, const double* required,
                               const FillClasses& fill, double least_stalls, double most_stalls,
                               const HidingAtPorts& hiding, LoadingPath path) const {
  const bool known = all_known(fill);
  // The loading jumps where hiding takes another form. At that very number of spare cycles rounding
  // decides, so that the next stalled cycle counts as a jump too.
  std::array<double, 16> jumps;
  std::size_t jump_count = 0;
  bool too_many = false;
  const auto jump_at = [&](double stalls) {
    for (const double each : {stalls, stalls + 1}) {
      if (each > most_stalls) return;
      if (jump_count < jumps.size())
        jumps[jump_count++] = each;
      else
        too_many = true;
    }
  };
  for (std::size_t index = 0; index < ports_.size(); ++index) {
    if (hiding[index] != Hiding::levelled) continue;
    // More cycles must be spare than the longest transfer can use.
    const Port& port = ports_[index];
    const Once& longest = port.once[port.longest];
    const double floor = known ? floor_of(longest, port.width, fill) : longest.most_floor;
    if (!(longest.cycles > floor)) continue;
    const double share = rate(port, required);
    if (!(share > 0)) return infinite;
    const double stalls = std::ceil((longest.cycles - floor) / share - busy_ - 1e-3);
    least_stalls = std::max(least_stalls, stalls);
    jump_at(stalls);
  }
  if (!(least_stalls <= most_stalls)) return infinite;
  const auto at = [&](double stalls) {
    return known ? with_classes(repeated, required, fill, stalls, hiding, path)
                 : without_classes(repeated, required, stalls, hiding, path);
  };
  for (std::size_t index = 0; known && index < ports_.size(); ++index) {
    if (hiding[index] != Hiding::either) continue;
    const Port& port = ports_[index];
    std::size_t count = 0;
    const auto turns = thresholds(port, fill, count);
    const double share = count > 0 ? rate(port, required) : 0;
    if (share <= 0) continue;
    for (std::size_t i = 0; i < count; ++i) {
      jump_at(std::floor(turns[i] / share - busy_) + 1);
    }
  }
  if (too_many) return least_stalls + at(most_stalls);
  std::sort(jumps.begin(), jumps.begin() + static_cast<std::ptrdiff_t>(jump_count));
  // Between jumps a stalled cycle saves at most free_per_stall() cycles of loading: at most the cycle
  // itself, unless several ports have something left to hide.
  double least = infinite;
  double from = least_stalls;
  for (std::size_t i = 0; i <= jump_count; ++i) {
    const double to = i < jump_count ? jumps[i] - 1 : most_stalls;
    if (to >= from) {
      const double rate = free_per_stall(required, from);
      least = std::min(least, rate <= 1 ? from + at(from) : lipschitz_minimum(from, to, rate, at));
    }
    if (i < jump_count) from = std::max(from, jumps[i]);
  }
  return least;
}

void ResidencyLoading::decide(HidingAtPorts& hiding, const FillClasses& fill, double least_stalls,
                              double most_stalls) const {
  hiding.resize(ports_.size(), Hiding::either);
  constexpr double margin = 1e-3;
  for (std::size_t index = 0; index < ports_.size(); ++index) {
    const Port& port = ports_[index];
    if (!has_choice(index) || hiding[index] != Hiding::either) continue;
    const Once& longest = port.once[port.longest];
    const auto free = [&](double required, double stalls) {
      return std::max(0.0, (port.width - required) / port.width * (busy_ + stalls));
    };
    const bool known = fill[longest.operand] != 0;
    const double floor = known ? floor_of(longest, port.width, fill) : 0;
    const double least_floor = known ? floor : longest.least_floor;
    const double most_floor = known ? floor : longest.most_floor;
    if (free(port.most_required, least_stalls) > longest.cycles - least_floor + margin)
      hiding[index] = Hiding::levelled;
    else if (free(port.least_required, most_stalls) < longest.cycles - most_floor - margin)
      hiding[index] = Hiding::longest_shortened;
  }
}

// With all fill classes known: the loading itself, by hiding as the cost model does (core/cost).
double ResidencyLoading::floor_of(const Once& once, double width, const FillClasses& fill) const {
  if (residency_[once.operand] == 0) return once.most_floor;
  return std::ceil(once_.lowest_bits(once.operand, fill[once.operand]) / width);
}

double ResidencyLoading::loading(const RepeatedLoading& repeated, const Times& times,
                                 LoadingPath path) const {
  std::array<InputLoading, max_operands> inputs;
  double sum = repeated.individual[0];
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    InputLoading& input = inputs[operand];
    input.individual = repeated.individual[operand];
    input.half_shared = repeated.half_shared[operand];
    input.shared = repeated.shared[operand];
    for (int boundary = residency_[operand] + 1; boundary < problem_.tables.operands[operand].levels;
         ++boundary) {
      const double cycles = std::max(times[operand][boundary][0], times[operand][boundary][1]);
      switch (once_.sharing(operand, boundary)) {
        case Sharing::individual:
          (operand == 0 ? sum : input.individual) += cycles;
          break;
        case Sharing::half_shared:
          input.half_shared += cycles;
          break;
        case Sharing::shared:
          input.shared += cycles;
          break;
        case Sharing::forgotten:
          break;
      }
    }
  }
  if (two_inputs() && path == LoadingPath::both) return sum + combined_onloading(inputs[1], inputs[2]);
  return sum + combined_onloading(inputs[path == LoadingPath::second ? 2 : 1]);
}

void ResidencyLoading::hide(const Port& port, const FillClasses& fill, double spare, Times& times) const {
  std::array<OneTimeTransfer, max_once> transfers;
  for (std::size_t i = 0; i < port.once.size(); ++i)
    transfers[i] = {port.once[i].cycles, floor_of(port.once[i], port.width, fill)};
  if (uses_spare_cycles_) hide_transfers({transfers.data(), port.once.size()}, spare, below_minimum_);
  for (std::size_t i = 0; i < port.once.size(); ++i)
    times[port.once[i].operand][port.once[i].boundary][port.once[i].above ? 1 : 0] = transfers[i].cycles;
}

/// Numbers of spare cycles beyond which hiding takes another form, so that a transfer may take longer.
std::array<double, 8> ResidencyLoading::thresholds(const Port& port, const FillClasses& fill,
                                                   std::size_t& count) const {
  std::array<double, 8> found{};
  count = 0;
  if (port.once.size() < 2 || !uses_spare_cycles_) return found;
  std::array<OneTimeTransfer, max_once> transfers;
  for (std::size_t i = 0; i < port.once.size(); ++i)
    transfers[i] = {port.once[i].cycles, floor_of(port.once[i], port.width, fill)};
  std::stable_sort(transfers.begin(), transfers.begin() + static_cast<std::ptrdiff_t>(port.once.size()),
                   [](const OneTimeTransfer& a, const OneTimeTransfer& b) { return a.cycles > b.cycles; });
  double used = 0;
  for (std::size_t i = 0; i < port.once.size(); ++i) {
    const double slack = transfers[i].cycles - transfers[i].minimum;
    // ZigZag's steps go on to the end. Otherwise only the first one is ZigZag's.
    const bool turns = below_minimum_ ? slack < 0 : i == 1 && used > 0;
    if (turns && count < found.size()) found[count++] = std::max(0.0, used);
    used += slack * static_cast<double>(i + 1);
  }
  return found;
}

double ResidencyLoading::least_over_ports(std::size_t index, const RepeatedLoading& repeated,
                                          const double* required, const FillClasses& fill, double stalls,
                                          const HidingAtPorts& hiding, LoadingPath path,
                                          Times& times) const {
  if (index == ports_.size()) return loading(repeated, times, path);
  const Port& port = ports_[index];
  double most = spare(port, required, stalls);
  if (hiding[index] == Hiding::longest_shortened) {
    const Once& longest = port.once[port.longest];
    most =
        std::min(most, std::max(0.0, longest.cycles - floor_of(longest, port.width, fill)) * (1 - 1e-12));
  }
  hide(port, fill, most, times);
  double least = least_over_ports(index + 1, repeated, required, fill, stalls, hiding, path, times);
  if (hiding[index] != Hiding::either) return least;
  std::size_t count = 0;
  const auto turns = thresholds(port, fill, count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!(turns[i] < most)) continue;
    hide(port, fill, turns[i] * (1 - 1e-12), times);
    least =
        std::min(least, least_over_ports(index + 1, repeated, required, fill, stalls, hiding, path, times));
  }
  return least;
}

double ResidencyLoading::with_classes(const RepeatedLoading& repeated, const double* required,
                                      const FillClasses& fill, double stalls, const HidingAtPorts& hiding,
                                      LoadingPath path) const {
  Times times{};
  return least_over_ports(0, repeated, required, fill, stalls, hiding, path, times);
}

}  // namespace zz::core
