#include "core/search/optimal/joint_bound.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/search/optimal/detail/compulsory_bound.hpp"
#include "core/search/optimal/detail/home_table.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "core/search/spatial/spatial_space.hpp"

namespace zz::core {
namespace {

/// Of a MappingProblem, about: it has a layer of its own, and the spatial mapping in two forms.
constexpr std::size_t bytes_of_problem = 4096;

/// A spatial mapping, as the problem of a search on the accelerator that it was first met with.
struct Met {
  SpatialUnrolling unrolling;
  std::optional<SpatialSpace::Choice> choice = {};  ///< nothing: of the generator
  std::optional<MappingProblem> problem = {};       ///< once needed
};

/// A spatial mapping with its bound so far, by the effort that it took.
struct Bounded {
  enum Known { compulsory, quick, thorough };
  double bound;
  Known known;
  Met* met;
};

bool larger(const Bounded& a, const Bounded& b) { return a.bound > b.bound; }

}  // namespace

struct JointBounds::Parts {
  Parts(const Layer& given, JointOptions how, std::shared_ptr<HomeTimes> at_home)
      : layer(given),
        options(std::move(how)),
        goal(options.objective),
        times(at_home ? std::move(at_home) : home_times(layer, options)),
        bounds(goal) {}

  void begin_with(const std::shared_ptr<const Accelerator>& accelerator);
  double bound_with(Met& met, const std::shared_ptr<const Accelerator>& accelerator, bool quick);
  double of(const std::shared_ptr<const Accelerator>& accelerator);

  const Layer& layer;
  JointOptions options;
  Goal goal;
  std::shared_ptr<HomeTimes> times;
  SpatialBounds bounds;
  std::shared_ptr<const Accelerator> first_accelerator;
  std::optional<SpatialSpace> space;  ///< of the first accelerator
  /// What the search begins with, whether or not the space has it.
  std::deque<Met> first;
  std::deque<Met> listed;    ///< of the space, as far as it was asked
  std::vector<double> most;  ///< SpatialSpace::most() before each of these, and after the last one
  std::size_t problems = 0;  ///< that were needed
};

void JointBounds::Parts::begin_with(const std::shared_ptr<const Accelerator>& accelerator) {
  const SpatialGeneratorOptions of_first{.mixed = options.mixed, .rules = options.model.rules};
  for (SpatialUnrolling& unrolling : generate_spatial_mappings(layer, *accelerator, of_first).mappings)
    first.push_back({std::move(unrolling)});
  const SpatialSpaceOptions of_space{options.mixed, options.factors, options.model.rules};
  first_accelerator = accelerator;
  space.emplace(layer, *first_accelerator, of_space);
  most.push_back(space->most());
}

double JointBounds::Parts::bound_with(Met& met, const std::shared_ptr<const Accelerator>& accelerator,
                                      bool quick) {
  try {
    if (!met.problem) {
      met.problem = unrolled_problem(layer, accelerator, met.unrolling, options.model);
      ++problems;
    }
    met.problem->accelerator = accelerator;
    return quick ? bound_of(bounds.quick(*met.problem), goal) : bounds.value(*met.problem);
  } catch (const NoResult&) {
    return infinite;
  }
}

double JointBounds::Parts::of(const std::shared_ptr<const Accelerator>& accelerator) {
  if (!space) {
    try {
      begin_with(accelerator);
    } catch (const NoResult&) {
      return infinite;  // as the search finds nothing
    }
  }
  // Only the energy has a quick bound.
  const bool has_quick = options.objective == Objective::energy;
  std::vector<Bounded> open;  // a heap, the least bound in front
  const auto push = [&](const Bounded& one) {
    if (!(one.bound < infinite)) return;
    open.push_back(one);
    std::push_heap(open.begin(), open.end(), larger);
  };
  const bool timed = options.objective == Objective::latency;
  const HomeTimes::Time at_home = timed ? times->on(*accelerator) : HomeTimes::Time{};
  const auto time_of = [&](const Met& met) { return at_home.of(met.unrolling).value_or(0); };
  for (Met& met : first) push({time_of(met), Bounded::compulsory, &met});

  const bool prescribed = space->prescribed();
  std::optional<CompulsoryBound> compulsory;
  if (!prescribed) compulsory.emplace(compulsory_bound(layer, *accelerator, options.model));
  for (std::size_t next_listed = 0;;) {
    end_if_interrupted();
    const double units = prescribed ? 0 : most[next_listed];
    const double rest = units == 0 ? infinite : bound_of(compulsory->by_units(units), goal);
    const double next = open.empty() ? infinite : open.front().bound;
    if (rest == infinite && next == infinite) return infinite;
    if (rest < next) {
      if (next_listed == listed.size()) {
        if (std::optional<SpatialSpace::Choice> choice = space->next())
          listed.push_back({space->unrolling(*choice), choice});
        else
          most.back() = 0;
        if (listed.size() == most.size()) most.push_back(space->most());
      }
      if (next_listed == listed.size()) continue;
      Met& met = listed[next_listed++];
      const double bound = bound_of(compulsory->of(*space, *met.choice), goal);
      push({std::max(bound, time_of(met)), Bounded::compulsory, &met});
      continue;
    }
    std::pop_heap(open.begin(), open.end(), larger);
    Bounded one = open.back();
    open.pop_back();
    if (one.known == Bounded::thorough) return one.bound;
    const bool quick = one.known == Bounded::compulsory && has_quick;
    one.known = quick ? Bounded::quick : Bounded::thorough;
    one.bound = std::max(one.bound, bound_with(*one.met, accelerator, quick));
    push(one);
  }
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
