#include "core/search/optimal/joint_bound.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "core/search/spatial/spatial_space.hpp"

namespace zz::core {
namespace {

/// A spatial mapping with its bound so far, by the effort that it took.
struct Bounded {
  enum Known { compulsory, quick, thorough };
  double bound;
  Known known;
  SpatialUnrolling unrolling;
};

bool larger(const Bounded& a, const Bounded& b) { return a.bound > b.bound; }

}  // namespace

double joint_bound(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                   const JointOptions& options) {
  const Goal goal(options.objective);
  const SpatialSpaceOptions of_space{options.mixed, options.factors, options.model.rules};
  SpatialSpace space(layer, *accelerator, of_space);
  SpatialBounds bounds(goal);
  const auto bound_with = [&](const SpatialUnrolling& unrolling, Bounded::Known known) {
    try {
      const MappingProblem problem = unrolled_problem(layer, accelerator, unrolling, options.model);
      return bound_of(known == Bounded::quick ? bounds.quick(problem) : bounds.of(problem), goal);
    } catch (const NoResult&) {
      return infinite;
    }
  };
  // Only the energy has a quick bound.
  const bool has_quick = options.objective == Objective::energy;
  std::vector<Bounded> open;  // a heap, the least bound in front
  const auto push = [&](Bounded one) {
    if (!(one.bound < infinite)) return;
    open.push_back(std::move(one));
    std::push_heap(open.begin(), open.end(), larger);
  };
  // The search begins with these, whether or not the space has them.
  try {
    const SpatialGeneratorOptions of_first{.mixed = options.mixed, .rules = options.model.rules};
    for (const SpatialUnrolling& unrolling :
         generate_spatial_mappings(layer, *accelerator, of_first).mappings)
      push({0, Bounded::compulsory, unrolling});
  } catch (const NoResult&) {
    return infinite;  // as the search finds nothing
  }

  const bool prescribed = space.prescribed();
  std::optional<CompulsoryBound> compulsory;
  if (!prescribed) compulsory.emplace(compulsory_bound(layer, *accelerator, options.model));
  for (;;) {
    end_if_interrupted();
    const double units = prescribed ? 0 : space.most();
    const double rest = units == 0 ? infinite : bound_of(compulsory->by_units(units), goal);
    const double next = open.empty() ? infinite : open.front().bound;
    if (rest == infinite && next == infinite) return infinite;
    if (rest < next) {
      if (std::optional<SpatialSpace::Choice> choice = space.next())
        push({bound_of(compulsory->of(space, *choice), goal), Bounded::compulsory,
              space.unrolling(*choice)});
      continue;
    }
    std::pop_heap(open.begin(), open.end(), larger);
    Bounded one = std::move(open.back());
    open.pop_back();
    if (one.known == Bounded::thorough) return one.bound;
    const bool quick = one.known == Bounded::compulsory && has_quick;
    one.known = quick ? Bounded::quick : Bounded::thorough;
    one.bound = std::max(one.bound, bound_with(one.unrolling, one.known));
    push(std::move(one));
  }
}

}  // namespace zz::core
