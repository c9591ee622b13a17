#include "core/search/optimal/unrolling_menu.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/detail/cost_relations.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/optimal/mapping_problem.hpp"
#include "core/search/spatial/spatial_space.hpp"

namespace zz::core {
namespace {

// In docs/limits.md.
constexpr std::size_t most_looked_at = 4096;

std::vector<std::int64_t> costs_of(const MappingProblem& problem) {
  // Loops of the same size are not alike: other layers share them.
  std::vector<int> same(problem.layer->loops.size());
  std::iota(same.begin(), same.end(), 0);
  return cost_key(problem, true, {same});
}

/// The positions in the list by rising bound on an accelerator; without those that do not fit there.
std::vector<std::size_t> by_bound(const std::vector<SpatialUnrolling>& listed, const Layer& layer,
                                  const std::shared_ptr<const Accelerator>& accelerator,
                                  const CostModelOptions& model) {
  const Goal goal(Objective::energy);
  SpatialBounds bounds(goal);
  std::vector<double> bound(listed.size(), infinite);
  std::vector<std::size_t> order;
  for (std::size_t at = 0; at < listed.size(); ++at) {
    try {
      bound[at] = bound_of(bounds.quick(unrolled_problem(layer, accelerator, listed[at], model)), goal);
      order.push_back(at);
    } catch (const NoResult&) {
      continue;
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bound[a] < bound[b]; });
  return order;
}

/// Of an unrolling that leaves more loops than can be ordered nothing is found.
bool can_be_searched(const MappingProblem& problem) {
  try {
    const SearchProblem searched(problem);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::vector<SpatialUnrolling> unrolling_menu(const Layer& layer, const SpatialUnrolling& own,
                                             const std::vector<std::shared_ptr<const Accelerator>>& seen,
                                             const JointOptions& options, std::size_t most) {
  const auto problem_of = [&](const SpatialUnrolling& unrolling) {
    return unrolled_problem(layer, seen.front(), unrolling, options.model);
  };
  std::set<std::vector<std::int64_t>> known = {costs_of(problem_of(own))};
  SpatialSpace space(layer, *seen.front(), {options.mixed, options.factors, options.model.rules});
  std::vector<SpatialUnrolling> listed;
  while (!space.prescribed() && listed.size() < most_looked_at) {
    const std::optional<SpatialSpace::Choice> choice = space.next();
    if (!choice) break;
    SpatialUnrolling unrolling = space.unrolling(*choice);
    if (known.insert(costs_of(problem_of(unrolling))).second) listed.push_back(std::move(unrolling));
  }
  std::vector<std::vector<std::size_t>> orders;
  for (const auto& accelerator : seen)
    orders.push_back(by_bound(listed, layer, accelerator, options.model));
  std::vector<SpatialUnrolling> menu;
  std::vector<bool> taken(listed.size(), false);
  std::vector<std::size_t> next(seen.size(), 0);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t turn = 0; turn < seen.size() && menu.size() < most; ++turn) {
      while (next[turn] < orders[turn].size() && taken[orders[turn][next[turn]]]) ++next[turn];
      if (next[turn] == orders[turn].size()) continue;
      const std::size_t at = orders[turn][next[turn]];
      taken[at] = more = true;
      if (can_be_searched(problem_of(listed[at]))) menu.push_back(listed[at]);
    }
  }
  return menu;
}

}  // namespace zz::core
