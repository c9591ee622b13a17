#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/search/optimal/detail/port_loads.hpp"

namespace zz::core {

/// How hiding ends at a port: only its longest one-time transfer is shortened, or, when more cycles are
/// spare than that one can use, the longest ones are levelled down together (core/cost/loading.hpp).
enum class Hiding : std::uint8_t { either, longest_shortened, levelled };
using HidingAtPorts = std::vector<Hiding>;  ///< by port of ResidencyLoading

/// Cycles of repeated loading, over closed boundaries, of each operand. That of the output is individual.
struct RepeatedLoading {
  std::array<double, max_operands> individual{}, half_shared{}, shared{};
};

/// Which on-loading counts: of both inputs together, or of one by itself.
enum class LoadingPath { both, first, second };

/// On-loading plus off-loading of mappings with one final residency: which transfers are made once, how
/// long they take, and how much of that hides in spare cycles of their ports (core/cost/loading.hpp).
class ResidencyLoading {
 public:
  /// `required_of_port`: for each port the index of its bandwidth in the array given to least(). -1: not in
  /// it; the least possible bandwidth counts.
  ResidencyLoading(const SearchProblem& problem, const PortLoads& loads, const OneTimeLoads& once,
                   const FinalResidency& residency, const std::vector<int>& required_of_port);

  /// A lower bound of stalls plus loading, for mappings that stall for `least_stalls` to `most_stalls`
  /// cycles. `required`: bits per cycle that repeated transfers need of ports. Exact where all fill classes
  /// are known and spare cycles of at most one port matter. What it bounds does not fall when any argument
  /// but most_stalls rises, nor when a class becomes known.
  double least(const RepeatedLoading& repeated, const double* required, const FillClasses& fill,
               double least_stalls, double most_stalls, const HidingAtPorts& hiding,
               LoadingPath path = LoadingPath::both) const;

  /// Decides `hiding` where only one way is possible.
  void decide(HidingAtPorts& hiding, const FillClasses& fill, double least_stalls,
              double most_stalls) const;
  /// The operand's fill class decides how much of some transfer cannot be hidden.
  bool class_matters(int operand) const { return class_matters_[operand]; }
  /// With loading_below_minimum, what is left of a short transfer is taken from longer ones, even below
  /// zero. Until the fill classes are known, the bound is then hardly better than nothing.
  bool needs_classes(const FillClasses& fill) const { return below_minimum_ && !all_known(fill); }
  /// Both ways of hiding are possible at the port. With loading_below_minimum there is only one.
  bool has_choice(std::size_t port) const {
    return !below_minimum_ && uses_spare_cycles_ && ports_[port].once.size() > 1;
  }
  bool two_inputs() const { return problem_.space.operands() == 3; }

 private:
  struct Once {
    int operand, boundary;
    bool above;  ///< on the side of the boundary's upper memory
    double cycles;
    double least_floor, most_floor;  ///< cycles that cannot be hidden; equal when known
    bool slower_side = true;         ///< of its boundary, as long as nothing is hidden
  };
  struct Port {
    int port;
    double width;                                  ///< bits per cycle
    int required;                                  ///< index, or -1
    double least_required = 0, most_required = 0;  ///< bits per cycle
    std::size_t longest = 0;                       ///< of `once`
    bool matters = false;                          ///< hiding may shorten what is waited for
    double longer =
        0;  ///< cycles that loading_below_minimum may add to some transfers, to take from others
    double enough = 0;  ///< spare cycles beyond which nothing more is hidden
    std::vector<Once> once = {};
  };
  /// Ways to count on-loading. The latency is a maximum and minimum over these.
  enum Path { all_first, all_second, shared_first_all_second, all_first_shared_second, paths };
  struct PathOnPort {
    double cycles = 0, floor = 0;
    bool any = false;
  };
  /// [operand][boundary][side]
  using Times = std::array<std::array<std::array<double, 2>, max_memory_levels>, max_operands>;

  void note_what_matters();
  void choose_sides();
  bool counts(Path path, int operand, int boundary) const;
  bool all_known(const FillClasses& fill) const;
  double spare(const Port& port, const double* required, double stalls) const;
  double rate(const Port& port, const double* required) const;
  double free_per_stall(const double* required, double stalls) const;
  double without_classes(const RepeatedLoading& repeated, const double* required, double stalls,
                         const HidingAtPorts& hiding, LoadingPath path) const;
  double left_of(const Port& port, Path path, Hiding hiding, const PathOnPort& chosen, double spare) const;
  // With all fill classes known: the loading itself, by hiding as the cost model does.
  double with_classes(const RepeatedLoading& repeated, const double* required, const FillClasses& fill,
                      double stalls, const HidingAtPorts& hiding, LoadingPath path) const;
  void hide(const Port& port, const FillClasses& fill, double spare, Times& times) const;
  double least_over_ports(std::size_t index, const RepeatedLoading& repeated, const double* required,
                          const FillClasses& fill, double stalls, const HidingAtPorts& hiding,
                          LoadingPath path, Times& times) const;
  std::array<double, 8> thresholds(const Port& port, const FillClasses& fill, std::size_t& count) const;
  double loading(const RepeatedLoading& repeated, const Times& times, LoadingPath path) const;
  double floor_of(const Once& once, double width, const FillClasses& fill) const;

  const SearchProblem& problem_;
  const OneTimeLoads& once_;
  FinalResidency residency_;
  bool below_minimum_;  ///< Rules::loading_below_minimum
  bool uses_spare_cycles_;
  double busy_;
  std::vector<Port> ports_;
  std::array<bool, max_operands> class_matters_{};
  std::vector<std::array<PathOnPort, paths>> chosen_;  ///< by ports_
};

}  // namespace zz::core
