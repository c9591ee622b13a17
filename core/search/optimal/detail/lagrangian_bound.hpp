#pragma once
#include <span>
#include <vector>

#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/residency.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {

/// The latency is at least `offset` plus a cost component: the stalls of a port and the loading of a path.
/// Offsets of components of one path differ only by the windows of their ports.
struct LatencyComponent {
  std::size_t component;
  double offset;
  LoadingPath path = LoadingPath::both;  ///< whose loading the component counts
};

/// A Lagrangian lower bound: every mapping has energy + multiplier * (latency - offset) >= least.
/// Units: multiplier pJ per cycle (positive), offset cycles, least pJ.
struct LagrangianLine {
  double multiplier = 1;
  double offset = 0;
  double least = 0;

  double latency_at(double energy) const { return offset + (least - energy) / multiplier; }
};

/// The least value of the goal at or above `energy`, `latency` and all lines.
///
/// Energy, latency and their product are concave along a line, so that the least value on the boundary of
/// that region is at one of its corners. Time: O(lines^2).
double least_above(std::span<const LagrangianLine> lines, const Goal& goal, double energy, double latency);

/// Lagrangian bounds from JointCostToGo (Everett, Generalized Lagrange multiplier method, Operations
/// Research 11, 1963; Fisher, The Lagrangian relaxation method, Management Science 27, 1981).
///
/// *Energy and latency.* One order rarely has both the least energy and the least latency. The least of
/// energy + multiplier * latency over all completions gives a line that energy and latency lie above. Any
/// multiplier gives a valid line. The energy per cycle of the optimum gives a tight one.
///
/// *Mixtures of ports.* Units wait for the slowest port. With stalls S, W cycles of loading and the stalls
/// a and b of two ports, S >= a and S >= b, so that S + W >= share * (a + W) + (1 - share) * (b + W) for
/// any share between 0 and 1. The right side is an additive cost. The order that is best for one port is
/// often bad for the other, so that this exceeds the least of each by itself.
class LagrangianBound {
 public:
  /// The weighted sums to tabulate: the energy (if component 0 is the energy), each latency component, and
  /// both together for each multiplier (pJ per cycle).
  static std::vector<WeightedSum> sums(const std::vector<LatencyComponent>& components, bool with_energy,
                                       const std::vector<double>& multipliers = {});
  /// Mixtures of the components of each path that are longest by `least`, lower bounds by component.
  static std::vector<WeightedSum> mixtures(const std::vector<LatencyComponent>& components,
                                           const std::vector<double>& least);

  LagrangianBound(const std::vector<WeightedSum>& sums, const std::vector<LatencyComponent>& latencies);

  /// Raises lower bounds of components to the lower bounds that the weighted sums (`joint`) imply. A
  /// mixture raises its first component, which is then valid for computing the latency only.
  void raise(double* components, const double* joint) const;
  /// A lower bound of the goal for mappings with at least this energy and latency.
  double least(const Goal& goal, double energy, double latency, const double* joint) const;

 private:
  std::vector<WeightedSum> sums_;
  /// By sum: the offset of its component; of a mixture, how much the offset of its first component differs
  /// from its own.
  std::vector<double> offsets_;
};

}  // namespace zz::core
