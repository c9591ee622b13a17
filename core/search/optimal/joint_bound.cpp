#include "core/search/optimal/joint_bound.hpp"

#include <algorithm>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "core/search/spatial/spatial_space.hpp"

namespace zz::core {
namespace {

/// A spatial mapping with its bound so far.
struct Bounded {
  double bound;
  bool thorough;
  SpatialSpace::Choice choice;
};

bool larger(const Bounded& a, const Bounded& b) { return a.bound > b.bound; }

}  // namespace

double joint_bound(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                   const JointOptions& options) {
  const Goal goal(options.objective);
  const SpatialSpaceOptions of_space{options.mixed, options.factors, options.model.rules};
  SpatialSpace space(layer, *accelerator, of_space);
  SpatialBounds bounds(goal);
  const auto thorough = [&](const SpatialUnrolling& unrolling) {
    try {
      return bound_of(bounds.of(unrolled_problem(layer, accelerator, unrolling, options.model)), goal);
    } catch (const NoResult&) {
      return infinite;
    }
  };
  // The search begins with these, whether or not the space has them.
  double least = infinite;
  try {
    const SpatialGeneratorOptions of_first{.mixed = options.mixed, .rules = options.model.rules};
    for (const SpatialUnrolling& unrolling :
         generate_spatial_mappings(layer, *accelerator, of_first).mappings)
      least = std::min(least, thorough(unrolling));
  } catch (const NoResult&) {
    return infinite;  // as the search finds nothing
  }
  if (space.prescribed()) return least;

  const CompulsoryBound compulsory = compulsory_bound(layer, *accelerator, options.model);
  std::vector<Bounded> open;  // a heap, the least bound in front
  const auto push = [&](Bounded one) {
    if (!(one.bound < least)) return;
    open.push_back(std::move(one));
    std::push_heap(open.begin(), open.end(), larger);
  };
  for (;;) {
    end_if_interrupted();
    const double units = space.most();
    const double rest = units == 0 ? infinite : bound_of(compulsory.by_units(units), goal);
    const double next = open.empty() ? infinite : open.front().bound;
    if (std::min(rest, next) >= least) return least;
    if (rest < next) {
      if (std::optional<SpatialSpace::Choice> choice = space.next()) {
        const double bound = bound_of(compulsory.of(space, *choice), goal);
        push({bound, false, std::move(*choice)});
      }
      continue;
    }
    std::pop_heap(open.begin(), open.end(), larger);
    Bounded one = std::move(open.back());
    open.pop_back();
    if (one.thorough) return one.bound;
    one.bound = std::max(one.bound, thorough(space.unrolling(one.choice)));
    one.thorough = true;
    push(std::move(one));
  }
}

}  // namespace zz::core
