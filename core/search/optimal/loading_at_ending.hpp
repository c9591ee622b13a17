#pragma once
#include <array>
#include <vector>

#include "core/search/optimal/one_time_loads.hpp"

namespace zz::core {

/// How hiding ends at a port: only its longest transfer is shortened, or, when more is free than that can
/// use, the longest ones are levelled down together (core/cost/balance.hpp).
enum class Hiding : std::uint8_t { either, longest_shortened, levelled };
using HidingAtPorts = std::vector<Hiding>;  ///< by port in LoadingAtEnding

/// Cycles of loading over links that are closed, which is repeated, for each operand; the output's are
/// individual.
struct RepeatedLoading {
  std::array<double, max_operands> individual{}, half_shared{}, shared{};
};

/// Which on-loading counts: that of both inputs together, or what one of them needs by itself.
enum class LoadingPath { both, first, second };

/// On-loading and off-loading together, for mappings that end alike: which transfers are made once, how
/// long they take, and how much of that is hidden in cycles that their ports have free during the
/// computation (core/cost/loading.hpp).
class LoadingAtEnding {
 public:
  /// `required_of_port`: for each port, where in the array given to least() its required bandwidth is; -1:
  /// nowhere, so that the least that is possible counts.
  LoadingAtEnding(const SearchProblem& problem, const PortLoads& loads, const OneTimeLoads& once,
                  const Ending& ending, const std::vector<int>& required_of_port);

  /// The least of stalls and loading together when at least `least_stalls` and at most `most_stalls` cycles
  /// are stalled. `required`: bits per cycle that repeated transfers need of a port. A lower bound, which
  /// is the figure itself where all classes are known and free cycles of at most one port matter. It bounds
  /// a figure that does not fall when any argument but most_stalls rises, nor when a class becomes known.
  double least(const RepeatedLoading& repeated, const double* required, const FirstClasses& first,
               double least_stalls, double most_stalls, const HidingAtPorts& hiding,
               LoadingPath path = LoadingPath::both) const;

  /// Decides where only one way is possible.
  void decide(HidingAtPorts& hiding, const FirstClasses& first, double least_stalls,
              double most_stalls) const;
  /// What cannot be hidden of some load depends on the operand's class.
  bool class_matters(int operand) const { return class_matters_[operand]; }
  /// ZigZag's way of hiding takes what is left of a short transfer from longer ones too, below zero: until
  /// it is known what the lowest memories hold, next to nothing can be said.
  bool needs_classes(const FirstClasses& first) const { return compat_ && !all_known(first); }
  /// ZigZag's way of hiding has no such order, and one transfer leaves no choice.
  bool has_choice(std::size_t port) const {
    return !compat_ && uses_spare_cycles_ && ports_[port].once.size() > 1;
  }
  bool two_inputs() const { return problem_.space.operands() == 3; }

 private:
  struct Once {
    int operand, link;
    bool above;  ///< the side of the link's upper memory
    double cycles;
    double least_floor, most_floor;  ///< cycles that cannot be hidden; the same when known
    bool slower_side = true;         ///< of its link, as long as nothing is hidden
  };
  struct Port {
    int port;
    double width;
    int required;               ///< index, or -1
    double least_required = 0;  ///< bits per cycle
    double most_required = 0;
    std::size_t longest = 0;  ///< of `once`
    bool matters = false;     ///< hiding may shorten what is waited for
    double longer = 0;        ///< ZigZag may lengthen transfers; so much it gains to shorten others
    double enough = 0;        ///< free cycles; with more of them nothing else is hidden
    std::vector<Once> once = {};
  };
  /// Ways to count on-loading; the latency is at least, and made of, some of them.
  enum Path { all_first, all_second, shared_first_all_second, all_first_shared_second, paths };
  struct PathOnPort {
    double cycles = 0, floor = 0;
    bool any = false;
  };
  using Times = std::array<std::array<std::array<double, 2>, max_memory_levels>, max_operands>;

  void note_what_matters();
  void choose_sides();
  bool counts(Path path, int operand, int link) const;
  bool all_known(const FirstClasses& first) const;
  double spare(const Port& port, const double* required, double stalls) const;
  double rate(const Port& port, const double* required) const;
  double free_per_stall(const double* required, double stalls) const;
  double without_classes(const RepeatedLoading& repeated, const double* required, double stalls,
                         const HidingAtPorts& hiding, LoadingPath path) const;
  double left_of(const Port& port, Path path, Hiding hiding, const PathOnPort& chosen, double spare) const;
  double with_classes(const RepeatedLoading& repeated, const double* required, const FirstClasses& first,
                      double stalls, const HidingAtPorts& hiding, LoadingPath path) const;
  void hide(const Port& port, const FirstClasses& first, double spare, Times& times) const;
  double least_over_ports(std::size_t index, const RepeatedLoading& repeated, const double* required,
                          const FirstClasses& first, double stalls, const HidingAtPorts& hiding,
                          LoadingPath path, Times& times) const;
  std::array<double, 8> thresholds(const Port& port, const FirstClasses& first, std::size_t& count) const;
  double loading(const RepeatedLoading& repeated, const Times& times, LoadingPath path) const;
  double floor_of(const Once& once, double width, const FirstClasses& first) const;

  const SearchProblem& problem_;
  const OneTimeLoads& once_;
  Ending ending_;
  bool compat_, uses_spare_cycles_;
  double busy_;
  std::vector<Port> ports_;
  std::array<bool, max_operands> class_matters_{};
  std::vector<std::array<PathOnPort, paths>> chosen_;  ///< by ports_
};

}  // namespace zz::core
