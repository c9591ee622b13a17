#include "core/search/optimal/joint_bound.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/search/optimal/detail/compulsory_bound.hpp"
#include "core/search/optimal/detail/home_table.hpp"
#include "core/search/optimal/detail/known_unrollings.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/spatial/spatial_space.hpp"

namespace zz::core {
namespace {

/// Bytes of a MappingProblem, about: it has a layer of its own, and the spatial mapping in two forms.
constexpr std::size_t bytes_of_problem = 4096;

}  // namespace

struct JointBounds::Parts {
  Parts(const Layer& given, JointOptions how, std::shared_ptr<HomeTimes> at_home)
      : layer(given),
        options(std::move(how)),
        goal(options.objective),
        times(at_home ? std::move(at_home) : home_times(layer, options)),
        bounds(goal) {}

  double of(const std::shared_ptr<const Accelerator>& accelerator);

  const Layer& layer;
  JointOptions options;
  Goal goal;
  std::shared_ptr<HomeTimes> times;
  SpatialBounds bounds;
  std::shared_ptr<const Accelerator> first_accelerator;
  /// Those of the first accelerator, with problems on the one that they were bounded for last.
  std::optional<KnownUnrollings> unrollings;
  std::size_t problems = 0;  ///< that were needed
};

double JointBounds::Parts::of(const std::shared_ptr<const Accelerator>& accelerator) {
  if (!unrollings) {
    first_accelerator = accelerator;
    unrollings.emplace(layer, *accelerator, options);
  }
  const SpatialSpace& space = unrollings->space();
  const bool timed = options.objective == Objective::latency && options.refinements.home_table;
  const HomeTimes::Time at_home = timed ? times->on(*accelerator) : HomeTimes::Time{};
  std::optional<CompulsoryBound> compulsory;
  if (!space.prescribed())
    compulsory.emplace(compulsory_bound(layer, *accelerator, options.model, options.refinements));
  const auto by_units = [&](double units) {
    return compulsory ? bound_of(compulsory->by_units(units), goal) : infinite;
  };
  const auto at_first = [&](const KnownUnrollings::Met& met) {
    const double time = at_home.of(met.unrolling).value_or(0);
    return met.choice ? std::max(bound_of(compulsory->of(space, *met.choice), goal), time) : time;
  };
  const auto bound = [&](KnownUnrollings::Met& met, BoundEffort effort) {
    if (!met.problem) {
      met.problem = unrolled_problem(layer, accelerator, met.unrolling, options.model, options.refinements);
      ++problems;
    }
    met.problem->accelerator = accelerator;
    return effort == BoundEffort::quick ? bound_of(bounds.quick(*met.problem), goal)
                                        : bounds.value(*met.problem);
  };
  return unrollings->least_bound(options.objective, BoundEffort::thorough, by_units, at_first, bound);
}

std::shared_ptr<HomeTimes> home_times(const Layer& layer, const JointOptions& options) {
  return std::make_shared<HomeTimes>(layer, options.model);
}

JointBounds::JointBounds(const Layer& layer, const JointOptions& options, std::shared_ptr<HomeTimes> times)
    : parts_(std::make_unique<Parts>(layer, options, std::move(times))) {}
JointBounds::~JointBounds() = default;

double JointBounds::of(const std::shared_ptr<const Accelerator>& accelerator) {
  return parts_->of(accelerator);
}

std::size_t JointBounds::bytes() const {
  const std::size_t listed = parts_->unrollings ? parts_->unrollings->listed() : 0;
  return parts_->bounds.bytes() + listed * sizeof(KnownUnrollings::Met) +
         parts_->problems * bytes_of_problem;
}

double joint_bound(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                   const JointOptions& options) {
  return JointBounds(layer, options).of(accelerator);
}

}  // namespace zz::core
