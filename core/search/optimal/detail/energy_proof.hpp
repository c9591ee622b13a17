#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/detail/traffic.hpp"

namespace zz::core {

/// The energy of a mapping as a cost of one component (pJ). The cost of a boundary depends on the multiset
/// of loops below it alone. It is infinite where partial sums would need a port that does not exist.
/// REQUIRES: boundary 0 of an input is read only at multisets of loops that are irrelevant to it. Boundary
/// 0 of the output costs the same at all multisets.
LabelCosts energy_costs(const SearchProblem& problem);

/// Traffic of an operand, by multisets of all loops of a problem, as the cost model counts it.
struct MultisetTraffic {
  MultisetTraffic(const SearchProblem& problem, int operand);

  OperandTraffic traffic;               ///< of all its multisets
  std::vector<std::uint32_t> relevant;  ///< by multiset: its loops that are relevant to the operand
  std::vector<std::int64_t> repeats;    ///< the iterations of the others

  /// Outputs that cross above it are partial sums.
  bool is_partial(std::size_t multiset) const {
    return traffic.table().output && repeats[multiset] < traffic.repeats();
  }
  /// Portions that cross above it.
  std::int64_t count(std::size_t multiset) const {
    const std::int64_t period = traffic.period(relevant[multiset]) / traffic.repeats() * repeats[multiset];
    return traffic.total() / period;
  }
};

/// With the costs of boundaries that no loop closes: all above are paid at the full multiset. One
/// component.
LabelCosts with_residencies(const SearchProblem& problem, LabelCosts::Boundaries boundaries);

/// The least costs in one loop order for all operands, without the constant part. Below the best mapping
/// only as far as operands share memories (JointCostToGo).
JointCostToGo least_in_one_order(const SearchProblem& problem, const LabelCosts& costs);

/// A lower bound of the energy of all temporal mappings (pJ), which takes a few milliseconds: what
/// least_in_one_order() has for no loops. Infinite: no mapping fits. 0 where its table would be large.
/// Throws as SearchProblem.
double least_energy_in_one_order(const MappingProblem& given);

/// The mapping of least energy, over all orders of all prime factors and all cuts that fit into the
/// memories. Nothing is found when no mapping fits, or when none has less energy than `cutoff`; the lower
/// bound is then at most the cutoff.
Certificate find_least_energy(const SearchProblem& problem, const SearchLimits& limits,
                              double cutoff = infinite);

}  // namespace zz::core
