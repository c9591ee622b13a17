#include "core/search/optimal/detail/residency.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "core/cost/boundary_cost.hpp"
#include "core/cost/loading.hpp"

namespace zz::core {
namespace {

bool are_sides_of_one_boundary(const OneTimeLoad& a, const OneTimeLoad& b) {
  return a.operand == b.operand && a.boundary == b.boundary && a.above != b.above;
}

}  // namespace

OneTimeLoads::OneTimeLoads(const SearchProblem& problem, const PortLoads& loads)
    : problem_(problem), loads_(loads) {
  const std::size_t full = problem.space.lattice().full();
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    const int levels = problem.tables.operands[operand].levels;
    std::vector<int> shared_sides(levels, 0);
    for (const TransferLoad& load : loads.loads) {
      if (load.operand == operand && waits_for(load) && problem.tables.ports[load.port].serves_both_inputs)
        ++shared_sides[load.boundary];
    }
    sharing_[operand].assign(levels, Sharing::individual);
    bool last = true;
    for (int boundary = levels; operand > 0 && boundary-- > 1;) {
      if (shared_sides[boundary] == 2) sharing_[operand][boundary] = Sharing::shared;
      if (shared_sides[boundary] != 1) continue;
      const bool forgotten = problem.given.options.rules.highest_half_shared_only && !last;
      sharing_[operand][boundary] = forgotten ? Sharing::forgotten : Sharing::half_shared;
      last = false;
    }
    if (problem.given.options.rules.shared_loading_forgotten && problem.space.operands() == 2) {
      for (Sharing& sharing : sharing_[operand])
        if (sharing != Sharing::individual) sharing = Sharing::forgotten;
    }
    classify(operand);
  }
  for (const TransferLoad& load : loads.loads) {
    double least = infinite;
    for (std::size_t multiset = 0; multiset <= full; ++multiset) {
      const bool closable = load.boundary == 0
                                ? problem.space.all_irrelevant(load.operand, multiset)
                                : problem.fit.may_fit(load.operand, load.boundary - 1, multiset);
      if (!closable || !problem.space.may_close(load.operand, multiset)) continue;
      least = std::min(least, load.bandwidth[multiset]);
    }
    least_bandwidth_.push_back(std::isfinite(least) ? least : 0);
  }
}

void OneTimeLoads::classify(int operand) {
  constexpr std::size_t most_classes = 500;
  const std::size_t full = problem_.space.lattice().full();
  std::vector<double> widths;
  for (const TransferLoad& load : loads_.loads) {
    if (load.operand == operand && !load.partial_sums_back)
      widths.push_back(problem_.tables.ports[load.port].bandwidth);
  }
  std::map<std::vector<double>, std::uint16_t> classes;
  least_lowest_bits_[operand] = infinite;
  class_of_[operand].assign(full + 1, 0);
  bits_[operand].assign(1, 0);
  all_classified_[operand] = true;
  std::vector<double> cycles(widths.size());
  for (std::size_t multiset = 0; multiset <= full; ++multiset) {
    if (!problem_.fit.may_fit(operand, 0, multiset)) continue;
    const double bits = loads_.lowest_bits[operand][multiset];
    least_lowest_bits_[operand] = std::min(least_lowest_bits_[operand], bits);
    most_lowest_bits_[operand] = std::max(most_lowest_bits_[operand], bits);
    for (std::size_t i = 0; i < widths.size(); ++i) cycles[i] = std::ceil(bits / widths[i]);
    const auto known = classes.find(cycles);
    if (known != classes.end()) {
      class_of_[operand][multiset] = known->second;
    } else if (classes.size() < most_classes) {
      class_of_[operand][multiset] = static_cast<std::uint16_t>(bits_[operand].size());
      classes.emplace(cycles, class_of_[operand][multiset]);
      bits_[operand].push_back(bits);
    } else {
      all_classified_[operand] = false;
    }
  }
}

bool OneTimeLoads::is_once(const FinalResidency& residency, const TransferLoad& load) const {
  if (load.partial_sums_back) return false;
  if (load.boundary > 0) return load.boundary > residency[load.operand];
  if (load.every_cycle) return loads_.total == 1;
  return residency[load.operand] == 0 && !problem_.space.changes_above(load.operand, 0);
}

OneTimePorts::OneTimePorts(const SearchProblem& problem, const PortLoads& loads, const OneTimeLoads& once,
                           const FinalResidency& residency)
    : once_(once),
      residency_(residency),
      operands_(problem.space.operands()),
      at_every_port_(problem.given.options.rules.stalls_hide_at_every_port),
      below_minimum_(at_every_port_ && problem.given.options.rules.loading_below_minimum),
      uses_spare_cycles_(!problem.given.options.rules.loading_on_top),
      busy_(loads.busy),
      average_pace_(loads.average_pace) {
  list(problem, loads);
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

void OneTimePorts::list(const SearchProblem& problem, const PortLoads& loads) {
  const std::size_t full = problem.space.lattice().full();
  for (int index = 0; index < static_cast<int>(problem.tables.ports.size()); ++index) {
    OneTimePort port{problem.tables.ports[index].bandwidth};
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
      const Boundaries& boundaries = problem.model.boundaries();
      if ((boundaries.tiles() >> boundaries.number(operand, load.boundary) & 1) != 0) {
        const double all = load.cycles[full];
        port.loads.push_back({operand, load.boundary, above, all, all, all, true});
        continue;
      }
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

/// The upper of two sides that take equally long counts as the slower.
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
  if (load.whole || residency_[load.operand] == 0) return load.most_floor;
  return std::ceil(once_.lowest_bits(load.operand, fill[load.operand]) / port.width);
}

double OneTimePorts::free_share(const OneTimePort& port) const {
  return uses_spare_cycles_ ? std::max(0.0, (port.width - port.least_required / average_pace_) / port.width)
                            : 0;
}

double OneTimePorts::free_per_stall(double stalls) const {
  double sum = 0;
  for (const OneTimePort& port : ports_) {
    if (!port.matters) continue;
    const double share = free_share(port);
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
  if (uses_spare_cycles_) hide({transfers.data(), port.loads.size()}, spare);
  return transfers;
}

void OneTimePorts::hide(std::span<OneTimeTransfer> transfers, double spare) const {
  if (at_every_port_) {
    hide_transfers(transfers, spare, below_minimum_);
  } else {
    for (OneTimeTransfer& transfer : transfers) transfer.cycles = cycles_left(transfer, spare);
  }
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

ResidencyLoading::ResidencyLoading(const SearchProblem& problem, const PortLoads& loads,
                                   const OneTimeLoads& once, const FinalResidency& residency)
    : problem_(problem), once_(once), ports_(problem, loads, once, residency) {
  choose_transfers();
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
void ResidencyLoading::choose_transfers() {
  chosen_.assign(ports_.size(), {});
  for (std::size_t index = 0; index < ports_.size(); ++index) {
    for (const OneTimeLoad& load : ports_[index].loads) {
      if (!load.slower_side) continue;
      for (int path = 0; path < paths; ++path) {
        if (!counts(static_cast<Path>(path), load.operand, load.boundary)) continue;
        PathOnPort& entry = chosen_[index][path];
        entry.any = true;
        entry.cycles += load.cycles;
      }
    }
  }
}

/// The loading jumps where hiding takes another form. At that very number of spare cycles rounding decides,
/// so that the next stalled cycle counts as a jump too.
class ResidencyLoading::Jumps {
 public:
  explicit Jumps(double most_stalls) : most_stalls_(most_stalls) {}

  void add(double stalls) {
    for (const double each : {stalls, stalls + 1}) {
      if (each > most_stalls_) return;
      if (count_ < jumps_.size())
        jumps_[count_++] = each;
      else
        too_many_ = true;
    }
  }
  bool too_many() const { return too_many_; }
  std::span<const double> rising() {
    std::sort(jumps_.begin(), jumps_.begin() + static_cast<std::ptrdiff_t>(count_));
    return {jumps_.data(), count_};
  }

 private:
  double most_stalls_;
  std::array<double, 16> jumps_;
  std::size_t count_ = 0;
  bool too_many_ = false;
};

double ResidencyLoading::least(const RepeatedLoading& repeated, const FillClasses& fill,
                               double least_stalls, double most_stalls, LoadingPath path) const {
  const bool known = ports_.all_known(fill);
  Jumps jumps(most_stalls);
  if (!(least_stalls <= most_stalls)) return infinite;
  const auto behind = [&](double cycles) {
    return known ? with_classes(repeated, fill, cycles, path) : without_classes(repeated, cycles, path);
  };
  if (!ports_.stalls_hide_at_every_port()) {
    const double left = behind(ports_.busy());
    return least_stalls > 0 ? std::max(left, least_stalls + behind(infinite)) : left;
  }
  const auto at = [&](double stalls) { return behind(ports_.busy() + stalls); };
  for (std::size_t index = 0; known && index < ports_.size(); ++index) {
    const OneTimePort& port = ports_[index];
    const OneTimePorts::Thresholds thresholds = ports_.thresholds(port, fill);
    const double share = thresholds.count > 0 ? ports_.free_share(port) : 0;
    if (share <= 0) continue;
    for (const double threshold : thresholds.all()) jumps.add(ports_.stalls_beyond(threshold, share));
  }
  if (jumps.too_many()) return least_stalls + at(most_stalls);
  // Between jumps a stalled cycle saves at most free_per_stall() cycles of loading: at most the cycle
  // itself, so that the shortest stalls are best, unless several ports have something left to hide. Then
  // the shortest stalls plus the loading left with the longest ones are a bound.
  double least = infinite;
  double from = least_stalls;
  const auto search_up_to = [&](double to) {
    if (!(to >= from)) return;
    least = std::min(least, from + at(ports_.free_per_stall(from) <= 1 ? from : to));
  };
  for (const double jump : jumps.rising()) {
    search_up_to(jump - 1);
    from = std::max(from, jump);
  }
  search_up_to(most_stalls);
  return least;
}

/// A lower bound of the sum of the chosen transfers of a port, whatever the fill classes.
double ResidencyLoading::left_of(const OneTimePort& port, Path path, const PathOnPort& chosen,
                                 double spare) const {
  const auto is_chosen = [&](const OneTimeLoad& load) {
    return load.slower_side && counts(path, load.operand, load.boundary);
  };
  if (ports_.below_minimum() && port.loads.size() > 1) {
    // Each step shortens one transfer to its minimum and all longer ones as much, even below theirs.
    double sum = 0;
    for (const OneTimeLoad& load : port.loads) {
      if (!is_chosen(load)) continue;
      double most = 0;
      for (const OneTimeLoad& other : port.loads)
        if (other.cycles <= load.cycles) most += std::max(0.0, other.cycles - other.least_floor);
      sum += load.cycles - std::min(most, spare + port.longer);
    }
    return std::max(chosen.cycles - spare - port.longer, sum);
  }
  // The sum is least with low minima of the chosen transfers and high minima of the others, which then
  // leave more cycles to the chosen ones.
  OneTimePorts::Transfers transfers;
  for (std::size_t i = 0; i < port.loads.size(); ++i) {
    const OneTimeLoad& load = port.loads[i];
    transfers[i] = {load.cycles, is_chosen(load) ? load.least_floor : load.most_floor};
  }
  ports_.hide(std::span(transfers).first(port.loads.size()), spare);
  double sum = 0;
  for (std::size_t i = 0; i < port.loads.size(); ++i)
    if (is_chosen(port.loads[i])) sum += transfers[i].cycles;
  return sum;
}

double ResidencyLoading::without_classes(const RepeatedLoading& repeated, double cycles,
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
      const OneTimePort& port = ports_[index];
      sum += left_of(port, path, entry, ports_.spare(port, cycles));
    }
    return sum;
  };
  if (!two_inputs() || counted == LoadingPath::first) return total(all_first);
  if (counted == LoadingPath::second) return total(all_second);
  return std::min(std::max(total(shared_first_all_second), total(all_first)),
                  std::max(total(all_first_shared_second), total(all_second)));
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
    for (int boundary = ports_.residency()[operand] + 1;
         boundary < problem_.tables.operands[operand].levels; ++boundary) {
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

void ResidencyLoading::hide(const OneTimePort& port, const FillClasses& fill, double spare,
                            Times& times) const {
  const OneTimePorts::Transfers hidden = ports_.hide(port, fill, spare);
  for (std::size_t i = 0; i < port.loads.size(); ++i) {
    const OneTimeLoad& load = port.loads[i];
    times[load.operand][load.boundary][load.above ? 1 : 0] = hidden[i].cycles;
  }
}

double ResidencyLoading::least_over_ports(std::size_t index, const RepeatedLoading& repeated,
                                          const FillClasses& fill, double cycles, LoadingPath path,
                                          Times& times) const {
  if (index == ports_.size()) return loading(repeated, times, path);
  const OneTimePort& port = ports_[index];
  const double most = ports_.spare(port, cycles);
  hide(port, fill, most, times);
  double least = least_over_ports(index + 1, repeated, fill, cycles, path, times);
  const OneTimePorts::Thresholds thresholds = ports_.thresholds(port, fill);
  for (const double threshold : thresholds.all()) {
    if (!(threshold < most)) continue;
    hide(port, fill, threshold * (1 - 1e-12), times);
    least = std::min(least, least_over_ports(index + 1, repeated, fill, cycles, path, times));
  }
  return least;
}

double ResidencyLoading::with_classes(const RepeatedLoading& repeated, const FillClasses& fill,
                                      double cycles, LoadingPath path) const {
  Times times{};
  return least_over_ports(0, repeated, fill, cycles, path, times);
}

}  // namespace zz::core
