#include "core/search/optimal/joint_bound.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/home_energy.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "core/search/spatial/spatial_space.hpp"

namespace zz::core {
namespace {

/// A spatial mapping with its bound so far, by the effort that it took.
struct Bounded {
  enum Known { compulsory, quick, thorough, in_one_order };
  double bound;
  Known known;
  SpatialUnrolling unrolling;
  std::optional<double> home = {};  ///< pJ of accesses to the home, where they are bounded apart
};

bool larger(const Bounded& a, const Bounded& b) { return a.bound > b.bound; }

/// The bounds of the spatial mappings of a layer on one accelerator.
class BoundsOnAccelerator {
 public:
  BoundsOnAccelerator(const Layer& layer, std::shared_ptr<const Accelerator> accelerator,
                      const JointOptions& options)
      : layer_(layer),
        accelerator_(std::move(accelerator)),
        model_(options.model),
        goal_(options.objective),
        bounds_(goal_) {}

  double by_units(double units) { return bound_of(compulsory().by_units(units), goal_); }
  double of(const SpatialSpace& space, const SpatialSpace::Choice& choice) {
    return bound_of(compulsory().of(space, choice), goal_);
  }
  /// By what is `known` then.
  double of(const SpatialUnrolling& unrolling, Bounded::Known known) {
    try {
      const MappingProblem problem = unrolled_problem(layer_, accelerator_, unrolling, model_);
      if (known == Bounded::in_one_order) return in_one_order(problem);
      return bound_of(known == Bounded::quick ? bounds_.quick(problem) : bounds_.of(problem), goal_);
    } catch (const NoResult&) {
      return infinite;
    }
  }

 private:
  static double in_one_order(const MappingProblem& problem) {
    try {
      return least_energy_in_one_order(problem);
    } catch (const InputError&) {
      return 0;  // no search can prove anything there
    }
  }
  const CompulsoryBound& compulsory() {
    if (!compulsory_) compulsory_.emplace(compulsory_bound(layer_, *accelerator_, model_));
    return *compulsory_;
  }

  const Layer& layer_;
  std::shared_ptr<const Accelerator> accelerator_;
  CostModelOptions model_;
  Goal goal_;
  SpatialBounds bounds_;
  std::optional<CompulsoryBound> compulsory_;
};

}  // namespace

double joint_bound(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                   const JointOptions& options, OrderOf orders) {
  const SpatialSpaceOptions of_space{options.mixed, options.factors, options.model.rules};
  SpatialSpace space(layer, *accelerator, of_space);
  const bool prescribed = space.prescribed();
  BoundsOnAccelerator bounds(layer, accelerator, options);
  // Only the energy has a quick bound, and one of a common order.
  const bool of_energy = options.objective == Objective::energy;
  const bool in_one_order = of_energy && orders == OrderOf::all_operands;
  // Of many spatial mappings most are told from the best one by the accesses to the home.
  std::optional<HomeEnergy> home;
  if (in_one_order && !prescribed) home = HomeEnergy::of(layer, accelerator, options.model);
  std::optional<BoundsOnAccelerator> others;
  if (home) others.emplace(layer, home->others(), options);

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
      push({0, Bounded::compulsory, unrolling, home ? home->of(unrolling) : std::nullopt});
  } catch (const NoResult&) {
    return infinite;  // as the search finds nothing
  }
  const Bounded::Known last = in_one_order ? Bounded::in_one_order : Bounded::thorough;
  for (;;) {
    end_if_interrupted();
    const double units = prescribed ? 0 : space.most();
    const double rest = units == 0 ? infinite : bounds.by_units(units);
    const double next = open.empty() ? infinite : open.front().bound;
    if (rest == infinite && next == infinite) return infinite;
    if (rest < next) {
      if (std::optional<SpatialSpace::Choice> choice = space.next()) {
        Bounded one{0, Bounded::compulsory, space.unrolling(*choice)};
        if (home) one.home = home->of(one.unrolling);
        one.bound = one.home ? *one.home + others->of(space, *choice) : bounds.of(space, *choice);
        push(std::move(one));
      }
      continue;
    }
    std::pop_heap(open.begin(), open.end(), larger);
    Bounded one = std::move(open.back());
    open.pop_back();
    if (one.known == last) return one.bound;
    one.known = one.known == Bounded::compulsory && !of_energy ? Bounded::thorough
                                                               : static_cast<Bounded::Known>(one.known + 1);
    const bool apart = one.home && one.known != Bounded::in_one_order;
    one.bound = std::max(one.bound, apart ? *one.home + others->of(one.unrolling, one.known)
                                          : bounds.of(one.unrolling, one.known));
    push(std::move(one));
  }
}

}  // namespace zz::core
