#pragma once
#include <memory>
#include <vector>

#include "core/search/optimal/link_costs.hpp"
#include "core/search/optimal/loading_at_ending.hpp"
#include "core/search/optimal/port_loads.hpp"

namespace zz::core {

/// A range of cycles for which mappings stall.
struct StallRange {
  double least = 0, most = 0;
};

/// The latency is at least `start` more than the sum of a family, which is that of a port, and counts the
/// loading of a path. Of one path, starts differ only by the windows of the ports.
struct LatencyOfFamily {
  std::size_t family;
  double start;
  LoadingPath path = LoadingPath::both;  ///< whose loading is in the sum
};

/// What the latency of a mapping is made of, as sums over links, in families:
///
/// * stalls of a port: what its transfers need beyond the cycles they are allowed, added up;
/// * load of a port: all cycles of its transfers after the first of each. A port cannot move more than fits
///   into computation and stalls together;
/// * loading of an operand over repeated links, by how it goes together with that of the other input;
/// * bandwidth that repeated transfers need of a port: what is loaded once cannot hide there;
/// * stalls or load of a port and loading of the output and one input together: small portions are soon
///   loaded and often repeated, so that what is to come is bounded better together than one by one.
///
/// and, where it is asked for what mappings stall at most (`StallsKnown::from_above`), negative but for the
/// second one:
///
/// * stalling: what transfers lack one by one, of all ports together;
/// * open windows of a port: transfers that may take their whole period, so that windows leave out no
/// cycle;
/// * crowding of a port: all cycles of its transfers that may not, which is more than it stalls while
///   windows leave cycles out;
/// * unloading of a port: its load, where that may be more than the cycles of the computation.
///
/// The latency is the computation, the stalls of the worst port, on-loading of the inputs and off-loading
/// of the output. What LatencyFigure makes of the sums is the latency itself, but for overlaps of windows
/// and for which operand of a shared memory gets the second buffer, which lengthen stalls.
class LatencyCosts : public SingleBufferCost {
 public:
  /// What sums say of how long a mapping stalls.
  enum class StallsKnown {
    from_below,
    from_above,  ///< too. Fewer labels undercut others, so that it is for parts where little stalling is
                 ///< none
  };

  /// With `energy`, family 0 is the energy.
  LatencyCosts(const SearchProblem& problem, const PortLoads& loads, const LinkCosts* energy,
               StallsKnown known = StallsKnown::from_below);

  /// What the families cost when mappings end like this.
  LinkCosts costs(const Ending& ending) const { return with_ending(costs_, ending); }
  /// No more than that, with or without second buffers.
  LinkCosts least_costs(const Ending& ending) const { return with_ending(least_costs_, ending); }
  /// No mapping with this ending has smaller sums than these.
  std::vector<double> least_sums(const Ending& ending) const;
  LoadingAtEnding loading(const Ending& ending) const;
  const OneTimeLoads& once() const { return once_; }

  /// Computation, stalls and loading of a mapping with these sums that stalls for so long; infinite when it
  /// stalls for longer. A lower bound, and does not fall when a sum rises.
  double latency(const LoadingAtEnding& loading, const double* sums, const FirstClasses& first,
                 const StallRange& stalls, const HidingAtPorts& hiding) const;

  /// Families that can make a mapping stall, for mappings that stall for a range of cycles.
  std::vector<LatencyOfFamily> latency_of_families(const LoadingAtEnding& loading, const StallRange& stalls,
                                                   const HidingAtPorts& hiding) const;

  /// The least that mappings with these sums stall.
  double least_stalls(const double* sums) const;
  /// The most; infinite where that is not known.
  double most_stalls(const double* sums) const;

  /// nullptr when it makes no difference.
  const SingleBufferCost* single_buffer() const { return runs_matter_ ? this : nullptr; }
  bool add(int operand, int link, std::size_t vector, std::int64_t run, double* paid) const override;
  bool surely_single(int operand, int level, std::size_t vector) const override;
  std::size_t stores() const override { return stores_; }
  int store(int operand, int level) const override { return store_[operand][level]; }
  double share(int operand, int level, std::size_t vector, std::int64_t replaced) const override;

 private:
  enum class Kind { stalls, load, waiting, required, together, stalling, open, crowding, unloading };
  struct Family {
    Kind kind;
    int port = -1;     ///< not of waiting and stalling
    int operand = -1;  ///< of waiting
    Sharing sharing = Sharing::individual;
    int of_port = -1;                      ///< family of a port that is in this sum, or -1
    LoadingPath path = LoadingPath::both;  ///< whose loading is
    /// Transfers of this port count; not asked of sums.
    bool is_of(int some_port) const { return port == some_port || kind == Kind::stalling; }
  };
  static constexpr std::size_t most_families = 28;
  void choose_families(StallsKnown known);
  void bound_stalls_from_above(const std::vector<int>& loaded);
  bool always_open(int port, const Ending& ending) const;
  void add_sums_of_families();
  double own_cost(const Family& family, const TransferLoad& load, std::size_t vector) const;
  double least_cost(const Family& family, const TransferLoad& load, std::size_t vector) const;
  LinkCosts with_ending(LinkCosts costs, const Ending& ending) const;
  bool closable(const TransferLoad& load, std::size_t vector) const;
  bool may_lack_second_buffer(int operand, int link, std::size_t vector) const;
  bool surely_double(int operand, int level, std::size_t vector) const;
  void find_stores();

  const SearchProblem& problem_;
  const PortLoads& loads_;
  OneTimeLoads once_;
  std::vector<Family> families_;
  std::vector<int> required_of_port_;  ///< by port: place among the required families, or -1
  std::size_t first_family_;           ///< 1 behind the energy
  std::size_t first_required_ = 0;
  bool stalls_known_from_above_ = false;
  LinkCosts costs_, least_costs_;  ///< without what depends on endings
  double energy_constant_ = 0;
  std::array<std::vector<std::vector<double>>, max_operands> energy_endings_;
  /// [operand][closed links][family]: least sums, each link by itself
  std::array<std::vector<std::vector<double>>, max_operands> least_;
  bool runs_matter_ = false;
  std::size_t stores_ = 0;
  std::array<std::vector<int>, max_operands> store_;      ///< by level; -1: nobody to share it with
  std::array<std::vector<double>, max_operands> others_;  ///< the most that they fill of it, by level
};

}  // namespace zz::core
