#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cost/loading.hpp"
#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/traffic.hpp"

namespace zz::core {

/// The boundaries of each operand (without boundary 0) that are closed before all loops are placed.
/// Memories above these hold the whole tensor, which is loaded, or off-loaded, once.
using FinalResidency = std::array<int, max_operands>;

/// Relation of on-loading over a boundary of an input to that of the other input (InputLoading).
enum class Sharing {
  individual,
  half_shared,
  shared,
  forgotten,  ///< left out by highest_half_shared_only or shared_loading_forgotten (Rules)
};

/// Properties of one-time transfers that are the same for all residencies.
class OneTimeLoads {
 public:
  OneTimeLoads(const SearchProblem& problem, const PortLoads& loads);

  /// Always individual for the output.
  Sharing sharing(int operand, int boundary) const { return sharing_[operand][boundary]; }
  /// The units wait for the first, or the last, portion of this transfer.
  static bool waits_for(const TransferLoad& load) { return load.boundary > 0 && !load.partial_sums_back; }
  /// The transfer is made once.
  bool is_once(const FinalResidency& residency, const TransferLoad& load) const;
  /// The least bits per cycle that a repeated transfer needs of its port, by index of the load.
  double least_bandwidth(std::size_t load) const { return least_bandwidth_[load]; }

  /// Fill classes, from 1 on: sizes in the lowest memory that take the same cycles on every port are one
  /// class. 0: there are too many.
  std::uint16_t fill_class(int operand, std::size_t multiset) const { return class_of_[operand][multiset]; }
  double lowest_bits(int operand, std::uint16_t known_class) const { return bits_[operand][known_class]; }
  std::uint16_t classes(int operand) const { return static_cast<std::uint16_t>(bits_[operand].size() - 1); }
  bool all_classified(int operand) const { return all_classified_[operand]; }
  /// Bounds of the bits in the lowest memory.
  double least_lowest_bits(int operand) const { return least_lowest_bits_[operand]; }
  double most_lowest_bits(int operand) const { return most_lowest_bits_[operand]; }

 private:
  void classify(int operand);

  const SearchProblem& problem_;
  const PortLoads& loads_;
  std::array<std::vector<Sharing>, max_operands> sharing_;
  std::vector<double> least_bandwidth_;
  std::array<double, max_operands> least_lowest_bits_, most_lowest_bits_{};
  std::array<std::vector<std::uint16_t>, max_operands> class_of_;  ///< by multiset
  std::array<std::vector<double>, max_operands> bits_;             ///< by class
  std::array<bool, max_operands> all_classified_{};
};

/// A transfer that mappings with one final residency make once.
struct OneTimeLoad {
  int operand, boundary;
  bool above;  ///< on the side of the boundary's upper memory
  double cycles;
  double least_floor, most_floor;  ///< cycles that cannot be hidden; equal when known
  bool whole = false;              ///< nothing of it can be hidden: shared tiles
  bool slower_side = true;         ///< of its boundary, as long as nothing is hidden
};

/// A port with its one-time transfers.
struct OneTimePort {
  double width;               ///< bits per cycle
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

  OneTimePorts(const SearchProblem& problem, const PortLoads& loads, const OneTimeLoads& once,
               const FinalResidency& residency);

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
  double free_share(const OneTimePort& port) const;
  /// Cycles of the computation without stalls.
  double busy() const { return busy_; }
  /// Cycles, of so many, in which a port is free; of infinitely many all.
  double spare(const OneTimePort& port, double cycles) const {
    if (cycles < infinite) return free_share(port) * cycles;
    return uses_spare_cycles_ ? infinite : 0;
  }
  /// Cycles of loading that one more stalled cycle can hide, on all ports together.
  double free_per_stall(double stalls) const;
  /// The first whole number of stalled cycles with which more than so many cycles are spare.
  double stalls_beyond(double cycles, double free_share) const;

  /// Hides behind so many spare cycles as the cost model does. The first ones of the result are those of
  /// port.loads.
  Transfers hide(const OneTimePort& port, const FillClasses& fill, double spare) const;

  /// Numbers of spare cycles.
  struct Thresholds {
    std::array<double, 8> cycles{};
    std::size_t count = 0;
    std::span<const double> all() const { return {cycles.data(), count}; }
  };
  /// Beyond these, hiding takes another form, so that a transfer may take longer.
  Thresholds thresholds(const OneTimePort& port, const FillClasses& fill) const;

  /// Hides these transfers of one port as the cost model does.
  void hide(std::span<OneTimeTransfer> transfers, double spare) const;

  bool below_minimum() const { return below_minimum_; }
  bool stalls_hide_at_every_port() const { return at_every_port_; }  ///< the rule

 private:
  void list(const SearchProblem& problem, const PortLoads& loads);
  void note_what_matters();
  void choose_sides();
  Transfers unhidden(const OneTimePort& port, const FillClasses& fill) const;

  const OneTimeLoads& once_;
  FinalResidency residency_;
  int operands_;
  bool at_every_port_;  ///< Rules::stalls_hide_at_every_port
  bool below_minimum_;  ///< Rules::loading_below_minimum, which is of that rule's way to hide
  bool uses_spare_cycles_;
  double busy_, average_pace_;
  std::vector<OneTimePort> ports_;
  std::array<bool, max_operands> class_matters_{};
};

/// Cycles of repeated loading, over closed boundaries, of each operand. That of the output is individual.
struct RepeatedLoading {
  std::array<double, max_operands> individual{}, half_shared{}, shared{};
};

/// Which on-loading counts: of both inputs together, or of one by itself.
enum class LoadingPath { both, first, second };

/// On-loading plus off-loading of mappings with one final residency. Part of it hides in spare cycles of
/// ports (core/cost/loading.hpp).
class ResidencyLoading {
 public:
  ResidencyLoading(const SearchProblem& problem, const PortLoads& loads, const OneTimeLoads& once,
                   const FinalResidency& residency);

  /// A lower bound of stalls plus loading, for mappings that stall for `least_stalls` to `most_stalls`
  /// cycles. Repeated transfers leave the more cycles of a port spare the fewer bits they need: they count
  /// with the least. Exact where they need no more, all fill classes are known and, with
  /// Rules::stalls_hide_at_every_port, spare cycles of at most one port matter. Stalls plus loading do not
  /// fall when any argument but most_stalls rises, nor when a class becomes known.
  double least(const RepeatedLoading& repeated, const FillClasses& fill, double least_stalls,
               double most_stalls, LoadingPath path = LoadingPath::both) const;

  /// The one-time transfers of these mappings.
  const OneTimePorts& ports() const { return ports_; }

 private:
  /// Ways to count on-loading. The latency is a maximum and minimum over these.
  enum Path { all_first, all_second, shared_first_all_second, all_first_shared_second, paths };
  /// The transfers of a port that count.
  struct PathOnPort {
    double cycles = 0;
    bool any = false;
  };
  /// [operand][boundary][side]
  using Times = std::array<std::array<std::array<double, 2>, max_memory_levels>, max_operands>;
  /// Numbers of stalled cycles at which the loading may rise.
  class Jumps;

  bool two_inputs() const { return problem_.space.operands() == 3; }
  bool counts(Path path, int operand, int boundary) const;
  void choose_transfers();
  // The loading that is left when so many cycles of the computation hide some of it.
  // Whatever the fill classes: a lower bound.
  double without_classes(const RepeatedLoading& repeated, double cycles, LoadingPath path) const;
  double left_of(const OneTimePort& port, Path path, const PathOnPort& chosen, double spare) const;
  // With all fill classes known: the loading itself, by hiding as the cost model does.
  double with_classes(const RepeatedLoading& repeated, const FillClasses& fill, double cycles,
                      LoadingPath path) const;
  double least_over_ports(std::size_t index, const RepeatedLoading& repeated, const FillClasses& fill,
                          double cycles, LoadingPath path, Times& times) const;
  void hide(const OneTimePort& port, const FillClasses& fill, double spare, Times& times) const;
  double loading(const RepeatedLoading& repeated, const Times& times, LoadingPath path) const;

  const SearchProblem& problem_;
  const OneTimeLoads& once_;
  OneTimePorts ports_;
  std::vector<std::array<PathOnPort, paths>> chosen_;  ///< by port
};

}  // namespace zz::core
