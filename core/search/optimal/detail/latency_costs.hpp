#pragma once
#include <array>
#include <memory>
#include <vector>

#include "core/search/optimal/detail/label_costs.hpp"
#include "core/search/optimal/detail/port_loads.hpp"
#include "core/search/optimal/detail/residency_loading.hpp"
#include "core/search/optimal/detail/second_buffers.hpp"

namespace zz::core {

/// A range of cycles for which mappings stall.
struct StallRange {
  double least = 0, most = 0;
};

/// The latency is at least `offset` plus a cost component: the stalls of a port and the loading of a path.
/// Offsets of components of one path differ only by the windows of their ports.
struct LatencyComponent {
  std::size_t component;
  double offset;
  LoadingPath path = LoadingPath::both;  ///< whose loading the component counts
};

/// The parts of a mapping's latency as additive costs.
///
/// The latency is the computation, the stalls of the slowest port, on-loading of the inputs and off-loading
/// of the output. None of it is additive, but all of it follows from these components:
///
/// * stalls of a port: cycles that its transfers need beyond those they are allowed;
/// * load of a port: cycles of all its transfers but the first of each. A port moves no more than fits into
///   computation and stalls together;
/// * loading of an operand over boundaries that are crossed repeatedly, by Sharing;
/// * bandwidth that repeated transfers need of a port: one-time loading cannot hide there;
/// * stalls or load of a port plus loading of the output and one input: small portions are loaded soon and
///   repeated often, so that the cost-to-go of the sum is tighter than the sum of costs-to-go;
///
/// and, with StallsKnown::from_above, upper bounds of stalls, negated but for the open windows:
///
/// * lacking cycles: what transfers of all ports lack one by one;
/// * load of a port, where it may exceed the cycles of the computation;
/// * open windows of a port: transfers that may take their whole period, so that windows leave out no
/// cycle;
/// * crowded cycles of a port: cycles of transfers that may not, more than it stalls where windows leave
///   cycles out.
///
/// latency() is the latency itself, except that windows may overlap and that operands compete for second
/// buffers, both of which lengthen stalls.
class LatencyCosts : public SingleBufferPenalty {
 public:
  enum class StallsKnown {
    from_below,
    from_above,  ///< too. Fewer labels dominate others, so that this pays only where mappings must stall.
  };

  /// With `energy` (energy_costs()), component 0 is the energy.
  LatencyCosts(const SearchProblem& problem, const PortLoads& loads, const LabelCosts* energy,
               StallsKnown known = StallsKnown::from_below);

  /// The costs of mappings with this final residency.
  LabelCosts costs(const FinalResidency& residency) const { return at_residency(costs_, residency); }
  /// Lower bounds of these with the penalties of missing second buffers.
  LabelCosts least_costs(const FinalResidency& residency) const {
    return at_residency(least_costs_, residency);
  }
  /// Lower bounds of the sums of all mappings with this residency, by component.
  std::vector<double> least_sums(const FinalResidency& residency) const;
  ResidencyLoading loading(const FinalResidency& residency) const;
  const OneTimeLoads& once() const { return once_; }

  /// A lower bound of the latency of mappings with these sums that stall within the range; infinite when
  /// they stall longer. Does not fall when a sum rises.
  double latency(const ResidencyLoading& loading, const double* sums, const FillClasses& fill,
                 const StallRange& stalls, const HidingAtPorts& hiding) const;

  /// The components that can make a mapping stall, for mappings that stall within the range.
  std::vector<LatencyComponent> latency_components(const ResidencyLoading& loading,
                                                   const StallRange& stalls,
                                                   const HidingAtPorts& hiding) const;

  /// Bounds of the stalls of mappings with these sums.
  double least_stalls(const double* sums) const;
  double most_stalls(const double* sums) const;  ///< infinite where not known

  /// nullptr when second buffers make no difference.
  const SingleBufferPenalty* single_buffer() const { return runs_matter_ ? this : nullptr; }
  bool add(int operand, int boundary, std::size_t multiset, std::int64_t run, double* paid) const override;
  bool surely_single(int operand, int level, std::size_t multiset) const override {
    return buffers_.surely_single(operand, level, multiset);
  }
  std::size_t stores() const override { return buffers_.stores(); }
  int store(int operand, int level) const override { return buffers_.store(operand, level); }
  double share(int operand, int level, std::size_t multiset, std::int64_t replaced) const override {
    return buffers_.share(operand, level, multiset, replaced);
  }

 private:
  enum class Kind {
    stalls,
    load,
    loading,
    bandwidth,
    port_and_loading,
    minus_lacking,
    minus_load,
    open_windows,
    minus_crowded
  };
  struct Component {
    Kind kind;
    int port = -1;     ///< not of loading and minus_lacking
    int operand = -1;  ///< of loading
    Sharing sharing = Sharing::individual;
    int of_port = -1;                      ///< component of a port that is in this sum, or -1
    LoadingPath path = LoadingPath::both;  ///< whose loading is in this sum
    /// Transfers of this port count; not asked of sums.
    bool counts_port(int some_port) const { return port == some_port || kind == Kind::minus_lacking; }
  };
  static constexpr std::size_t max_components = 28;  ///< without sums

  void choose_components(StallsKnown known);
  void bound_stalls_from_above(const std::vector<int>& loaded);
  void add_sums();
  void tabulate(int operand, int boundary, const LabelCosts* energy, std::vector<double>& table) const;
  bool adds_loading(const Component& component, int operand, int boundary) const;
  void note_least(int operand, int boundary, const std::vector<double>& table);
  bool always_open(int port, const FinalResidency& residency) const;
  double own_cost(const Component& component, const TransferLoad& load, std::size_t multiset) const;
  double most_penalty(const Component& component, const TransferLoad& load, std::size_t multiset) const;
  LabelCosts at_residency(LabelCosts costs, const FinalResidency& residency) const;
  bool closable(const TransferLoad& load, std::size_t multiset) const;

  const SearchProblem& problem_;
  const PortLoads& loads_;
  OneTimeLoads once_;
  SecondBuffers buffers_;
  std::vector<Component> components_;
  std::vector<int> bandwidth_of_port_;  ///< by port: index among the bandwidth components, or -1
  std::size_t first_component_;         ///< 1 behind the energy
  std::size_t first_bandwidth_ = 0;
  bool stalls_known_from_above_ = false;
  LabelCosts costs_, least_costs_;  ///< without what depends on residencies
  double energy_constant_ = 0;
  std::array<std::vector<std::vector<double>>, max_operands> energy_residencies_;
  /// [operand][closed boundaries][component]: least sums, each boundary by itself
  std::array<std::vector<std::vector<double>>, max_operands> least_;
  bool runs_matter_ = false;
};

}  // namespace zz::core
