#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cost/loading.hpp"
#include "core/search/optimal/detail/port_loads.hpp"

namespace zz::core {

/// A transfer that mappings with one final residency make once.
struct OneTimeLoad {
  int operand, boundary;
  bool above;  ///< on the side of the boundary's upper memory
  double cycles;
  double least_floor, most_floor;  ///< cycles that cannot be hidden; equal when known
  bool slower_side = true;         ///< of its boundary, as long as nothing is hidden
};

/// A port with its one-time transfers.
struct OneTimePort {
  double width;               ///< bits per cycle
  int required;               ///< index of the port in the array of required bandwidths; -1: not in it
  double least_required = 0;  ///< bits per cycle that repeated transfers need
  bool matters = false;       ///< hiding may shorten a wait of the units
  double longer = 0;  ///< cycles that loading_below_minimum may add to some transfers, to take from others
  double enough = 0;  ///< spare cycles beyond which nothing more is hidden
  std::vector<OneTimeLoad> loads = {};
};

/// The one-time transfers of mappings with one final residency, by port: how long they take, and how many
/// cycles are spare there to hide them (core/cost/loading.hpp).
class OneTimePorts {
 public:
  static constexpr std::size_t most_loads = max_operands * direction_count;  ///< of a port
  using Transfers = std::array<OneTimeTransfer, most_loads>;

  /// `required_of_port`: for each port the index of its bandwidth in the arrays `required`: bits per cycle
  /// that repeated transfers need of ports. -1: not in it; the least possible bandwidth counts.
  OneTimePorts(const SearchProblem& problem, const PortLoads& loads, const OneTimeLoads& once,
               const FinalResidency& residency, const std::vector<int>& required_of_port);

  const std::vector<OneTimePort>& all() const { return ports_; }
  std::size_t size() const { return ports_.size(); }
  const OneTimePort& operator[](std::size_t port) const { return ports_[port]; }
  const FinalResidency& residency() const { return residency_; }

  /// The operand's fill class decides how much of some transfer cannot be hidden.
  bool class_matters(int operand) const { return class_matters_[operand]; }
  bool all_known(const FillClasses& fill) const;
  /// Cycles of the transfer that cannot be hidden. REQUIRES: the fill class is known, where it matters.
  double floor_of(const OneTimeLoad& load, const OneTimePort& port, const FillClasses& fill) const;

  /// The share of a port's cycles that is free; 0 with Rules::loading_on_top.
  double free_share(const OneTimePort& port, const double* required) const;
  /// Cycles of a port that are free, when mappings stall for so many cycles.
  double spare(const OneTimePort& port, const double* required, double stalls) const {
    return free_share(port, required) * (busy_ + stalls);
  }
  /// Cycles of loading that one more stalled cycle can hide, on all ports together.
  double free_per_stall(const double* required, double stalls) const;
  /// The first whole number of stalled cycles with which more than so many cycles are spare.
  double stalls_beyond(double cycles, double free_share) const;

  /// Hides so many cycles as the cost model does. The first ones of the result are those of port.loads.
  Transfers hide(const OneTimePort& port, const FillClasses& fill, double spare) const;

  /// Numbers of spare cycles.
  struct Thresholds {
    std::array<double, 8> cycles{};
    std::size_t count = 0;
    std::span<const double> all() const { return {cycles.data(), count}; }
  };
  /// Beyond these, hiding takes another form, so that a transfer may take longer.
  Thresholds thresholds(const OneTimePort& port, const FillClasses& fill) const;

  bool below_minimum() const { return below_minimum_; }

 private:
  void list(const SearchProblem& problem, const PortLoads& loads, const std::vector<int>& required_of_port);
  void note_what_matters();
  void choose_sides();
  Transfers unhidden(const OneTimePort& port, const FillClasses& fill) const;

  const OneTimeLoads& once_;
  FinalResidency residency_;
  int operands_;
  bool below_minimum_;  ///< Rules::loading_below_minimum
  bool uses_spare_cycles_;
  double busy_;
  std::vector<OneTimePort> ports_;
  std::array<bool, max_operands> class_matters_{};
};

}  // namespace zz::core
