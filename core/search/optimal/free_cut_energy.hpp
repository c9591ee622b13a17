#pragma once
#include <limits>

#include "core/search/optimal/link_costs.hpp"
#include "core/search/optimal/search_problem.hpp"

namespace zz::core {

/// Energies of the links as the costs of one family.
LinkCosts energy_costs(const SearchProblem& problem);

/// The mapping of least energy among all orders of all prime factors and all cuts that fit into the
/// memories. Not found when nothing fits, or when nothing has less energy than `cutoff`; the lower bound is
/// then no more than the cutoff.
Certificate find_least_energy(const SearchProblem& problem, const SearchLimits& limits,
                              double cutoff = std::numeric_limits<double>::infinity());

}  // namespace zz::core
