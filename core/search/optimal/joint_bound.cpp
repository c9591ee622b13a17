#include "core/search/optimal/joint_bound.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/detail/best_first.hpp"
#include "core/search/optimal/detail/compulsory_bound.hpp"
#include "core/search/optimal/detail/home_table.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "core/search/spatial/spatial_space.hpp"

namespace zz::core {
namespace {

/// Bytes of a MappingProblem, about: it has a layer of its own, and the spatial mapping in two forms.
constexpr std::size_t bytes_of_problem = 4096;

/// A spatial mapping, as the problem of a search on the accelerator that it was first met with.
struct Met {
  SpatialUnrolling unrolling;
  std::optional<SpatialSpace::Choice> choice = {};  ///< nothing: of the generator
  std::optional<MappingProblem> problem = {};       ///< once needed
};

}  // namespace

struct JointBounds::Parts {
  Parts(const Layer& given, JointOptions how, std::shared_ptr<HomeTimes> at_home)
      : layer(given),
        options(std::move(how)),
        goal(options.objective),
        times(at_home ? std::move(at_home) : home_times(layer, options)),
        bounds(goal) {}

  void begin_with(const std::shared_ptr<const Accelerator>& accelerator);
  double bound_with(Met& met, const std::shared_ptr<const Accelerator>& accelerator, BoundEffort effort);
  double of(const std::shared_ptr<const Accelerator>& accelerator);

  const Layer& layer;
  JointOptions options;
  Goal goal;
  std::shared_ptr<HomeTimes> times;
  SpatialBounds bounds;
  std::shared_ptr<const Accelerator> first_accelerator;
  std::optional<SpatialSpace> space;  ///< of the first accelerator
  /// Mappings that the search begins with, whether or not the space has them.
  std::deque<Met> first;
  std::deque<Met> listed;    ///< of the space, as far as it was asked
  std::size_t problems = 0;  ///< that were needed
};

void JointBounds::Parts::begin_with(const std::shared_ptr<const Accelerator>& accelerator) {
  first_accelerator = accelerator;
  space.emplace(layer, *accelerator,
                SpatialSpaceOptions{options.mixed, options.factors, options.model.rules});
  const SpatialGeneratorOptions of_first{.mixed = options.mixed, .rules = options.model.rules};
  try {
    for (SpatialUnrolling& unrolling : generate_spatial_mappings(layer, *accelerator, of_first).mappings)
      first.push_back({std::move(unrolling)});
  } catch (const NoResult&) {
    return;  // only the space may have some
  }
}

double JointBounds::Parts::bound_with(Met& met, const std::shared_ptr<const Accelerator>& accelerator,
                                      BoundEffort effort) {
  if (!met.problem) {
    met.problem = unrolled_problem(layer, accelerator, met.unrolling, options.model);
    ++problems;
  }
  met.problem->accelerator = accelerator;
  return effort == BoundEffort::quick ? bound_of(bounds.quick(*met.problem), goal)
                                      : bounds.value(*met.problem);
}

double JointBounds::Parts::of(const std::shared_ptr<const Accelerator>& accelerator) {
  if (!space) begin_with(accelerator);
  const bool timed = options.objective == Objective::latency;
  const HomeTimes::Time at_home = timed ? times->on(*accelerator) : HomeTimes::Time{};
  const auto time_of = [&](const Met& met) { return at_home.of(met.unrolling).value_or(0); };
  BestFirst<Met*> open;
  for (Met& met : first) open.push({time_of(met), &met});
  std::optional<CompulsoryBound> compulsory;
  if (!space->prescribed()) compulsory.emplace(compulsory_bound(layer, *accelerator, options.model));
  std::size_t next = 0;  // of the listed ones
  const auto rest = [&] {
    const double units = next < listed.size() ? space->units(*listed[next].choice) : space->most();
    return compulsory ? bound_of(compulsory->by_units(units), goal) : infinite;
  };
  const auto list = [&] {
    if (next == listed.size()) {
      const std::optional<SpatialSpace::Choice> choice = space->next();
      if (!choice) return;
      listed.push_back({space->unrolling(*choice), choice});
    }
    Met& met = listed[next++];
    open.push({std::max(bound_of(compulsory->of(*space, *met.choice), goal), time_of(met)), &met});
  };
  const auto bound = [&](Met* met, BoundEffort effort) { return bound_with(*met, accelerator, effort); };
  return open.least_bound(options.objective, BoundEffort::thorough, rest, list, bound);
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
  return parts_->bounds.bytes() + parts_->listed.size() * sizeof(Met) + parts_->problems * bytes_of_problem;
}

double joint_bound(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                   const JointOptions& options) {
  return JointBounds(layer, options).of(accelerator);
}

}  // namespace zz::core
