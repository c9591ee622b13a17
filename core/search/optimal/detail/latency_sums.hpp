#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/lagrangian_bound.hpp"
#include "core/search/optimal/detail/mapping_search.hpp"
#include "core/search/optimal/detail/residency.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/detail/traffic.hpp"

namespace zz::core {

/// Which memories have room for a second buffer of an operand (double buffering), by the rules of
/// the cost model (core/cost/latency.hpp). Without one, a transfer must be done before its data are used
/// again.
class SecondBuffers {
 public:
  SecondBuffers(const SearchProblem& problem, const PortLoads& loads);

  /// Memory `level` cannot hold two buffers of the operand, whatever the others hold.
  bool surely_single(int operand, int level, std::size_t multiset, bool sums) const;
  /// Whatever the others hold, all operands together fill at most half of the memory.
  bool surely_double(int operand, int level, std::size_t multiset, bool sums) const;
  /// Some mapping has no second buffer in the memory below the boundary.
  bool may_be_single(int operand, int boundary, std::size_t multiset) const;

  /// As SingleBufferPenalty says.
  std::size_t stores() const { return stores_; }
  int store(int operand, int level) const { return store_[operand][level]; }
  double share(int operand, int level, std::size_t multiset, bool sums, std::int64_t replaced) const;

 private:
  /// The share of the memory for all that the operand holds.
  double whole_share(int operand, int level, std::size_t multiset, bool sums) const;

  const SearchProblem& problem_;
  const PortLoads& loads_;
  std::size_t stores_ = 0;
  std::array<std::vector<int>, max_operands> store_;      ///< by level; -1: operands do not compete
  std::array<std::vector<double>, max_operands> others_;  ///< the most that others fill of it, by level
};

/// One of the sums over boundaries from which the latency of a mapping follows, and what it bounds.
struct LatencyTerm {
  enum class Kind {
    /// Port: cycles that its transfers need beyond those they are allowed. The units stall at least as
    /// long.
    stalls,
    /// Port: cycles of all its transfers but the first of each. They fit into computation and stalls
    /// together: the units stall at least for what is above the longest windows.
    load,
    /// Operand, by Sharing: cycles of its first portion over each boundary that is crossed repeatedly. On-
    /// and off-loading take at least as long.
    loading,
    /// Port: cycles for all that goes through it. The latency is no shorter.
    traffic,
    /// Stalls or load of a port plus loading of the output and one input: bounds stalls plus loading. Small
    /// portions are loaded soon and repeated often, so that the cost-to-go of the sum is tighter than the
    /// sum
    /// of costs-to-go.
    port_and_loading,
    /// Port with an overlap below 1: cycles for what passes more than once.
    repeated,
    /// Operand in a memory with a tile interval: its tiles there.
    tiles,
  };
  Kind kind;
  int port = -1;     ///< not of loading and tiles
  int operand = -1;  ///< of loading and tiles
  Sharing sharing = Sharing::individual;
  int of_port = -1;                      ///< index of the term of a port that is in this sum, or -1
  LoadingPath path = LoadingPath::both;  ///< whose loading is in this sum
  int boundary = -1;                     ///< of tiles
  double factor = 0;                     ///< of repeated: what does not hide; of tiles: cycles of each
};

/// Chooses the sums that a search adds up for the latency, and computes what a transfer adds to each.
/// Arrays of sums are indexed by term.
class LatencyTerms {
 public:
  using Kind = LatencyTerm::Kind;

  LatencyTerms(const SearchProblem& problem, const PortLoads& loads, const OneTimeLoads& once,
               const SecondBuffers& buffers);

  const std::vector<LatencyTerm>& all() const { return terms_; }
  std::size_t size() const { return terms_.size(); }
  const LatencyTerm& operator[](std::size_t term) const { return terms_[term]; }
  /// The term itself, or the one of the port that is in its sum.
  const LatencyTerm& port_term(const LatencyTerm& term) const {
    return term.kind == Kind::port_and_loading ? terms_[static_cast<std::size_t>(term.of_port)] : term;
  }
  /// The terms before these are independent; these (port_and_loading) are sums of some of them.
  std::size_t first_sum() const { return first_sum_; }

  /// Addition of a transfer to a term when its boundary closes at `multiset`, with a second buffer below
  /// it.
  double cost(const LatencyTerm& term, const TransferLoad& load, std::size_t multiset) const;
  /// Adds what a missing second buffer below the boundary changes, as SingleBufferPenalty::add().
  bool add_penalty(int operand, int boundary, std::size_t multiset, bool holds_sums, std::int64_t kept,
                   double* sums) const;
  /// The term counts waiting for transfers over the boundary.
  bool adds_loading(const LatencyTerm& term, int operand, int boundary) const;
  /// Start of a term in mappings with this residency: the traffic of one-time transfers.
  double at_first(const LatencyTerm& term, const FinalResidency& residency) const;

  /// Lower bounds for mappings with these sums: of the stalls of the port that falls behind most, of what
  /// ports do not hide, and of computation and stalls together by tile intervals.
  double least_stalls(const double* sums) const;
  double least_unhidden(const double* sums) const;
  double least_by_tiles(const double* sums) const;
  /// Second buffers make a difference.
  bool buffers_matter() const { return buffers_matter_; }

 private:
  // Limits for the numbers of sums. Leaving one out only loosens the bound, and each further one lets fewer
  // labels dominate others. A label holds max_label_numbers.
  static constexpr std::size_t most_traffics = 2;
  static constexpr std::size_t most_independent = 28;  ///< all but port_and_loading
  static constexpr std::size_t most_in_all = 56;

  void choose_loading();
  void choose_traffic();
  void choose_ports();
  void choose_waits();
  void add_sums();
  bool closable(const TransferLoad& load, std::size_t multiset) const;
  bool serves_several(int port) const;

  const SearchProblem& problem_;
  const PortLoads& loads_;
  const OneTimeLoads& once_;
  const SecondBuffers& buffers_;
  std::vector<LatencyTerm> terms_;
  std::size_t first_sum_ = 0;
  bool buffers_matter_ = false;
};

/// The latency of mappings as a function of additive costs, the terms of LatencyTerms.
///
/// The latency is the computation, the stalls of the slowest port, on-loading of the inputs and off-loading
/// of the output. None of it is additive, but all of it follows from the terms. latency() is the latency
/// itself, except where windows overlap or operands compete for second buffers. Both lengthen stalls.
class LatencyCosts : public SingleBufferPenalty {
 public:
  /// With `energy` (energy_costs()), component 0 is the energy.
  LatencyCosts(const SearchProblem& problem, const PortLoads& loads, const LabelCosts* energy);

  /// The costs of mappings with this final residency.
  LabelCosts costs(const FinalResidency& residency) const;
  /// Lower bounds of the sums of all mappings with this residency, by component.
  std::vector<double> least_sums(const FinalResidency& residency) const;
  ResidencyLoading loading(const FinalResidency& residency) const;
  const OneTimeLoads& once() const { return once_; }
  /// Bytes of its tables.
  std::size_t memory_bytes() const;

  /// A lower bound of the latency of mappings with these sums that stall for at most so many cycles;
  /// infinite when they stall longer. Does not fall when a sum rises.
  double latency(const ResidencyLoading& loading, const double* sums, const FillClasses& fill,
                 double most_stalls) const;

  /// The components that can make a mapping stall, for mappings that stall for at most so many
  /// cycles.
  std::vector<LatencyComponent> latency_components(const ResidencyLoading& loading,
                                                   double most_stalls) const;

  /// A lower bound of the stalls of mappings with these sums.
  double least_stalls(const double* sums) const;

  /// nullptr when second buffers make no difference.
  const SingleBufferPenalty* single_buffer() const { return terms_.buffers_matter() ? this : nullptr; }
  bool add(int operand, int boundary, std::size_t multiset, bool sums, std::int64_t kept,
           double* paid) const override {
    return terms_.add_penalty(operand, boundary, multiset, sums, kept, paid + first_term_);
  }
  bool surely_single(int operand, int level, std::size_t multiset, bool sums) const override {
    return buffers_.surely_single(operand, level, multiset, sums);
  }
  std::size_t stores() const override { return buffers_.stores(); }
  int store(int operand, int level) const override { return buffers_.store(operand, level); }
  double share(int operand, int level, std::size_t multiset, bool sums,
               std::int64_t replaced) const override {
    return buffers_.share(operand, level, multiset, sums, replaced);
  }

 private:
  void tabulate(int operand, int boundary, const LabelCosts* energy, std::vector<double>& table) const;
  void note_least(int operand, int boundary, const std::vector<double>& table);

  const SearchProblem& problem_;
  const PortLoads& loads_;
  OneTimeLoads once_;
  SecondBuffers buffers_;
  LatencyTerms terms_;
  std::size_t first_term_;  ///< component of the first term: 1 behind the energy
  LabelCosts costs_;        ///< without the parts that depend on residencies
  double energy_constant_ = 0;
  std::array<std::vector<std::vector<double>>, max_operands> energy_residencies_;
  /// [operand][closed boundaries][component]: least sums, each boundary by itself
  std::array<std::vector<std::vector<double>>, max_operands> least_;
};

/// The goal's value of mappings with one final residency that stall for at most so many cycles.
class LatencyObjective : public LabelObjective {
 public:
  LatencyObjective(const LatencyCosts& costs, std::shared_ptr<const ResidencyLoading> loading,
                   double most_stalls, const Goal& goal, bool with_classes)
      : costs_(costs),
        loading_(std::move(loading)),
        most_stalls_(most_stalls),
        goal_(goal),
        with_classes_(with_classes) {}

  /// Sharpens bounds by JointCostToGo of these sums.
  void use_lagrangian(const std::vector<WeightedSum>& sums) {
    lagrangian_ =
        std::make_shared<const LagrangianBound>(sums, costs_.latency_components(*loading_, most_stalls_));
  }

  double of(const double* sums, const FillClasses& fill, const double* joint) const override {
    std::array<double, max_label_numbers> raised;
    std::copy_n(sums, raised.size(), raised.begin());
    lagrangian_->raise(raised.data(), joint);
    const double latency = costs_.latency(*loading_, raised.data(), fill, most_stalls_);
    return lagrangian_->least(goal_, raised[0], latency, joint);
  }
  double of(const double* sums, const FillClasses& fill) const override {
    if (goal_.needs_energy() && sums[0] > goal_.bound_of_energy()) return infinite;
    const double latency = costs_.latency(*loading_, sums, fill, most_stalls_);
    return goal_.of(goal_.needs_energy() ? sums[0] : 0, latency);
  }
  double first_limit() const override { return goal_.needs_energy() ? goal_.bound_of_energy() : infinite; }
  std::uint16_t fill_class(int operand, std::size_t multiset) const override {
    return with_classes_ ? costs_.once().fill_class(operand, multiset) : std::uint16_t{0};
  }

 private:
  const LatencyCosts& costs_;
  std::shared_ptr<const ResidencyLoading> loading_;
  double most_stalls_;
  Goal goal_;
  bool with_classes_;
  std::shared_ptr<const LagrangianBound> lagrangian_ = {};
};

}  // namespace zz::core
