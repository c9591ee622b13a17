#pragma once
#include <array>
#include <vector>

#include "core/search/optimal/detail/one_time_ports.hpp"

namespace zz::core {

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
  /// `required_of_port`: as OneTimePorts.
  ResidencyLoading(const SearchProblem& problem, const PortLoads& loads, const OneTimeLoads& once,
                   const FinalResidency& residency, const std::vector<int>& required_of_port);

  /// A lower bound of stalls plus loading, for mappings that stall for `least_stalls` to `most_stalls`
  /// cycles. `required`: bits per cycle that repeated transfers need of ports. Exact where all fill classes
  /// are known and spare cycles of at most one port matter. Stalls plus loading do not fall when any
  /// argument but most_stalls rises, nor when a class becomes known.
  double least(const RepeatedLoading& repeated, const double* required, const FillClasses& fill,
               double least_stalls, double most_stalls, LoadingPath path = LoadingPath::both) const;

  /// The one-time transfers of these mappings.
  const OneTimePorts& ports() const { return ports_; }

 private:
  /// Ways to count on-loading. The latency is a maximum and minimum over these.
  enum Path { all_first, all_second, shared_first_all_second, all_first_shared_second, paths };
  /// Of the transfers of a port that count.
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
  // Whatever the fill classes: a lower bound.
  double without_classes(const RepeatedLoading& repeated, const double* required, double stalls,
                         LoadingPath path) const;
  double left_of(const OneTimePort& port, Path path, const PathOnPort& chosen, double spare) const;
  // With all fill classes known: the loading itself, by hiding as the cost model does.
  double with_classes(const RepeatedLoading& repeated, const double* required, const FillClasses& fill,
                      double stalls, LoadingPath path) const;
  double least_over_ports(std::size_t index, const RepeatedLoading& repeated, const double* required,
                          const FillClasses& fill, double stalls, LoadingPath path, Times& times) const;
  void hide(const OneTimePort& port, const FillClasses& fill, double spare, Times& times) const;
  double loading(const RepeatedLoading& repeated, const Times& times, LoadingPath path) const;

  const SearchProblem& problem_;
  const OneTimeLoads& once_;
  OneTimePorts ports_;
  std::vector<std::array<PathOnPort, paths>> chosen_;  ///< by port
};

}  // namespace zz::core
