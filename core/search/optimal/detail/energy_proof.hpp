#pragma once
#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {

/// The energy of a mapping as a cost of one component (pJ). The cost of a boundary depends on the multiset
/// of loops below it alone. It is infinite where partial sums would need a port that does not exist.
/// REQUIRES: boundary 0 of an input is read only at multisets of loops that are irrelevant to it. Boundary
/// 0 of the output costs the same at all multisets.
LabelCosts energy_costs(const SearchProblem& problem);

/// The mapping of least energy, over all orders of all prime factors and all cuts that fit into the
/// memories. Nothing is found when no mapping fits, or when none has less energy than `cutoff`; the lower
/// bound is then at most the cutoff.
Certificate find_least_energy(const SearchProblem& problem, const SearchLimits& limits,
                              double cutoff = infinite);

}  // namespace zz::core
