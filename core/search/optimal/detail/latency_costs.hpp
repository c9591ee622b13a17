#pragma once
#include <array>
#include <memory>
#include <vector>

#include "core/search/optimal/detail/label_costs.hpp"
#include "core/search/optimal/detail/lagrangian_bound.hpp"
#include "core/search/optimal/detail/latency_terms.hpp"
#include "core/search/optimal/detail/port_loads.hpp"
#include "core/search/optimal/detail/residency_loading.hpp"
#include "core/search/optimal/detail/second_buffers.hpp"

namespace zz::core {

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

  /// A lower bound of the latency of mappings with these sums that stall for at most so many cycles; infinite
  /// when they stall longer. Does not fall when a sum rises.
  double latency(const ResidencyLoading& loading, const double* sums, const FillClasses& fill,
                 double most_stalls) const;

  /// The components that can make a mapping stall, for mappings that stall for at most so many
  /// cycles.
  std::vector<LatencyComponent> latency_components(const ResidencyLoading& loading,
                                                   double most_stalls) const;

  /// A lower bound of the stalls of mappings with these sums.
  double least_stalls(const double* sums) const { return terms_.least_stalls(sums + first_term_); }

  /// nullptr when second buffers make no difference.
  const SingleBufferPenalty* single_buffer() const { return terms_.buffers_matter() ? this : nullptr; }
  bool add(int operand, int boundary, std::size_t multiset, std::int64_t kept,
           double* paid) const override {
    return terms_.add_penalty(operand, boundary, multiset, kept, paid + first_term_);
  }
  bool surely_single(int operand, int level, std::size_t multiset) const override {
    return buffers_.surely_single(operand, level, multiset);
  }
  std::size_t stores() const override { return buffers_.stores(); }
  int store(int operand, int level) const override { return buffers_.store(operand, level); }
  double share(int operand, int level, std::size_t multiset, std::int64_t replaced) const override {
    return buffers_.share(operand, level, multiset, replaced);
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

}  // namespace zz::core
