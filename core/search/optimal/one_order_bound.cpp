#include "core/search/optimal/one_order_bound.hpp"

#include <optional>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/detail/best_first.hpp"
#include "core/search/optimal/detail/compulsory_bound.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/home_table.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "core/search/spatial/spatial_space.hpp"

namespace zz::core {
namespace {

struct Unrolled {
  SpatialUnrolling unrolling;
  std::optional<double> home;  ///< pJ of accesses to the home, where they are bounded apart
};

/// Bounds of the energy on one accelerator.
struct EnergiesOn {
  std::shared_ptr<const Accelerator> accelerator;
  CompulsoryBound compulsory;
  SpatialBounds bounds{Goal(Objective::energy)};

  double of(const MappingProblem& problem, BoundEffort effort) {
    if (effort == BoundEffort::quick) return bounds.quick(problem).energy;
    if (effort == BoundEffort::thorough) return bounds.of(problem).energy;
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
  SpatialSpace space(layer, *accelerator, {options.mixed, options.factors, model.rules});
  EnergiesOn all{accelerator, compulsory_bound(layer, *accelerator, model)};
  // Accesses to the home tell most of many spatial mappings from the best one.
  std::optional<HomeEnergy> home;
  if (!space.prescribed()) home = HomeEnergy::of(layer, accelerator, model);
  std::optional<EnergiesOn> others;
  if (home) others.emplace(EnergiesOn{home->others(), compulsory_bound(layer, *home->others(), model)});

  BestFirst<Unrolled> open;
  const auto unrolled = [&](const SpatialUnrolling& unrolling) {
    return Unrolled{unrolling, home ? home->of(unrolling) : std::nullopt};
  };
  // The search begins with these, whether or not the space has them.
  const SpatialGeneratorOptions of_first{.mixed = options.mixed, .rules = model.rules};
  try {
    for (const SpatialUnrolling& first : generate_spatial_mappings(layer, *accelerator, of_first).mappings)
      open.push({0, unrolled(first)});
  } catch (const NoResult&) {
    // Then only the space may have some.
  }
  const auto rest = [&] { return all.compulsory.by_units(space.most()).energy; };
  const auto list = [&] {
    const std::optional<SpatialSpace::Choice> choice = space.next();
    if (!choice) return;
    Unrolled one = unrolled(space.unrolling(*choice));
    const CompulsoryBound& compulsory = one.home ? others->compulsory : all.compulsory;
    open.push({one.home.value_or(0) + compulsory.of(space, *choice).energy, std::move(one)});
  };
  const auto bound = [&](const Unrolled& one, BoundEffort effort) {
    const bool apart = one.home && effort != BoundEffort::in_one_order;
    EnergiesOn& on = apart ? *others : all;
    return (apart ? *one.home : 0) +
           on.of(unrolled_problem(layer, on.accelerator, one.unrolling, model), effort);
  };
  return open.least_bound(Objective::energy, BoundEffort::in_one_order, rest, list, bound);
}

}  // namespace zz::core
