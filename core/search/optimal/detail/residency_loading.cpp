#include "core/search/optimal/detail/residency_loading.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/cost/loading.hpp"

namespace zz::core {

ResidencyLoading::ResidencyLoading(const SearchProblem& problem, const PortLoads& loads,
                                   const OneTimeLoads& once, const FinalResidency& residency,
                                   const std::vector<int>& required_of_port)
    : problem_(problem), once_(once), ports_(problem, loads, once, residency, required_of_port) {
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

double ResidencyLoading::least(const RepeatedLoading& repeated, const double* required,
                               const FillClasses& fill, double least_stalls, double most_stalls,
                               LoadingPath path) const {
  const bool known = ports_.all_known(fill);
  Jumps jumps(most_stalls);
  if (!(least_stalls <= most_stalls)) return infinite;
  const auto at = [&](double stalls) {
    return known ? with_classes(repeated, required, fill, stalls, path)
                 : without_classes(repeated, required, stalls, path);
  };
  for (std::size_t index = 0; known && index < ports_.size(); ++index) {
    const OneTimePort& port = ports_[index];
    const OneTimePorts::Thresholds thresholds = ports_.thresholds(port, fill);
    const double share = thresholds.count > 0 ? ports_.free_share(port, required) : 0;
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
    least = std::min(least, from + at(ports_.free_per_stall(required, from) <= 1 ? from : to));
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
  hide_transfers(std::span(transfers).first(port.loads.size()), spare, false);
  double sum = 0;
  for (std::size_t i = 0; i < port.loads.size(); ++i)
    if (is_chosen(port.loads[i])) sum += transfers[i].cycles;
  return sum;
}

double ResidencyLoading::without_classes(const RepeatedLoading& repeated, const double* required,
                                         double stalls, LoadingPath counted) const {
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
      sum += left_of(port, path, entry, ports_.spare(port, required, stalls));
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
                                          const double* required, const FillClasses& fill, double stalls,
                                          LoadingPath path, Times& times) const {
  if (index == ports_.size()) return loading(repeated, times, path);
  const OneTimePort& port = ports_[index];
  const double most = ports_.spare(port, required, stalls);
  hide(port, fill, most, times);
  double least = least_over_ports(index + 1, repeated, required, fill, stalls, path, times);
  const OneTimePorts::Thresholds thresholds = ports_.thresholds(port, fill);
  for (const double threshold : thresholds.all()) {
    if (!(threshold < most)) continue;
    hide(port, fill, threshold * (1 - 1e-12), times);
    least = std::min(least, least_over_ports(index + 1, repeated, required, fill, stalls, path, times));
  }
  return least;
}

double ResidencyLoading::with_classes(const RepeatedLoading& repeated, const double* required,
                                      const FillClasses& fill, double stalls, LoadingPath path) const {
  Times times{};
  return least_over_ports(0, repeated, required, fill, stalls, path, times);
}

}  // namespace zz::core
