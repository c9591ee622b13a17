#include "core/search/optimal/one_order_bound.hpp"

#include <optional>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/detail/compulsory_bound.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/home_table.hpp"
#include "core/search/optimal/detail/known_unrollings.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/spatial/spatial_space.hpp"

namespace zz::core {
namespace {

/// Bounds of the energy on one accelerator.
struct EnergiesOn {
  std::shared_ptr<const Accelerator> accelerator;
  CompulsoryBound compulsory;
  SpatialBounds bounds{Goal(Objective::energy)};

  double of(const MappingProblem& problem, BoundEffort effort) {
    if (effort == BoundEffort::quick) return bounds.quick(problem).energy;
    if (effort == BoundEffort::thorough) return bounds.of(problem).energy;
    if (!problem.refinements.one_order) return 0;
    try {
      return least_energy_in_one_order(problem);
    } catch (const InputError&) {
      return 0;  // no search can prove anything there
    }
  }
};

}  // namespace

double one_order_bound(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                       const JointOptions& options) {
  const CostModelOptions& model = options.model;
  const Refinements& refinements = options.refinements;
  KnownUnrollings unrollings(layer, *accelerator, options);
  const SpatialSpace& space = unrollings.space();
  EnergiesOn all{accelerator, compulsory_bound(layer, *accelerator, model, refinements)};
  // Accesses to the home tell most of many spatial mappings from the best one.
  std::optional<HomeEnergy> home;
  if (!space.prescribed() && refinements.home_table) home = HomeEnergy::of(layer, accelerator, model);
  std::optional<EnergiesOn> others;
  if (home)
    others.emplace(
        EnergiesOn{home->others(), compulsory_bound(layer, *home->others(), model, refinements)});
  const auto at_home = [&](const KnownUnrollings::Met& met) {
    return home ? home->of(met.unrolling) : std::nullopt;
  };
  const auto by_units = [&](double units) { return all.compulsory.by_units(units).energy; };
  const auto at_first = [&](const KnownUnrollings::Met& met) {
    if (!met.choice) return 0.0;
    const std::optional<double> apart = at_home(met);
    const CompulsoryBound& compulsory = apart ? others->compulsory : all.compulsory;
    return apart.value_or(0) + compulsory.of(space, *met.choice).energy;
  };
  const auto bound = [&](const KnownUnrollings::Met& met, BoundEffort effort) {
    const std::optional<double> apart = effort == BoundEffort::in_one_order ? std::nullopt : at_home(met);
    EnergiesOn& on = apart ? *others : all;
    return apart.value_or(0) +
           on.of(unrolled_problem(layer, on.accelerator, met.unrolling, model, refinements), effort);
  };
  return unrollings.least_bound(Objective::energy, BoundEffort::in_one_order, by_units, at_first, bound);
}

}  // namespace zz::core
