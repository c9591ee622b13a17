#include "core/search/optimal/one_order_bound.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/search/optimal/detail/compulsory_bound.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/home_table.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "core/search/spatial/spatial_space.hpp"

namespace zz::core {
namespace {

/// A spatial mapping with its bound so far, by the effort that it took.
struct BoundedEnergy {
  enum Known { compulsory, quick, thorough, in_one_order };
  double bound;
  Known known;
  SpatialUnrolling unrolling;
  std::optional<double> home = {};  ///< pJ of accesses to the home, where they are bounded apart
};

bool has_more(const BoundedEnergy& a, const BoundedEnergy& b) { return a.bound > b.bound; }

/// Bounds of the energy under spatial mappings of a layer on one accelerator.
class EnergiesOn {
 public:
  EnergiesOn(const Layer& layer, std::shared_ptr<const Accelerator> accelerator,
             const CostModelOptions& model)
      : layer_(layer),
        accelerator_(std::move(accelerator)),
        model_(model),
        compulsory_(compulsory_bound(layer, *accelerator_, model)),
        bounds_(Goal(Objective::energy)) {}

  const CompulsoryBound& compulsory() const { return compulsory_; }
  /// By what is `known` then.
  double of(const SpatialUnrolling& unrolling, BoundedEnergy::Known known) {
    try {
      const MappingProblem problem = unrolled_problem(layer_, accelerator_, unrolling, model_);
      if (known == BoundedEnergy::quick) return bounds_.quick(problem).energy;
      if (known == BoundedEnergy::thorough) return bounds_.of(problem).energy;
      return in_one_order(problem);
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

  const Layer& layer_;
  std::shared_ptr<const Accelerator> accelerator_;
  CostModelOptions model_;
  CompulsoryBound compulsory_;
  SpatialBounds bounds_;
};

}  // namespace

double one_order_bound(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                       const JointOptions& options) {
  const SpatialSpaceOptions of_space{options.mixed, options.factors, options.model.rules};
  SpatialSpace space(layer, *accelerator, of_space);
  const bool prescribed = space.prescribed();
  EnergiesOn all(layer, accelerator, options.model);
  // Of many spatial mappings most are told from the best one by the accesses to the home.
  std::optional<HomeEnergy> home;
  if (!prescribed) home = HomeEnergy::of(layer, accelerator, options.model);
  std::optional<EnergiesOn> others;
  if (home) others.emplace(layer, home->others(), options.model);

  std::vector<BoundedEnergy> open;  // a heap, the least bound in front
  const auto push = [&](BoundedEnergy one) {
    if (!(one.bound < infinite)) return;
    open.push_back(std::move(one));
    std::push_heap(open.begin(), open.end(), has_more);
  };
  // The search begins with these, whether or not the space has them.
  try {
    const SpatialGeneratorOptions of_first{.mixed = options.mixed, .rules = options.model.rules};
    for (const SpatialUnrolling& unrolling :
         generate_spatial_mappings(layer, *accelerator, of_first).mappings)
      push({0, BoundedEnergy::compulsory, unrolling, home ? home->of(unrolling) : std::nullopt});
  } catch (const NoResult&) {
    return infinite;  // as the search finds nothing
  }
  for (;;) {
    end_if_interrupted();
    const double units = prescribed ? 0 : space.most();
    const double rest = units == 0 ? infinite : all.compulsory().by_units(units).energy;
    const double next = open.empty() ? infinite : open.front().bound;
    if (rest == infinite && next == infinite) return infinite;
    if (rest < next) {
      if (const std::optional<SpatialSpace::Choice> choice = space.next()) {
        BoundedEnergy one{0, BoundedEnergy::compulsory, space.unrolling(*choice)};
        if (home) one.home = home->of(one.unrolling);
        one.bound = (one.home ? *one.home + others->compulsory().of(space, *choice).energy
                              : all.compulsory().of(space, *choice).energy);
        push(std::move(one));
      }
      continue;
    }
    std::pop_heap(open.begin(), open.end(), has_more);
    BoundedEnergy one = std::move(open.back());
    open.pop_back();
    if (one.known == BoundedEnergy::in_one_order) return one.bound;
    one.known = static_cast<BoundedEnergy::Known>(one.known + 1);
    const bool apart = one.home && one.known != BoundedEnergy::in_one_order;
    one.bound = std::max(one.bound, apart ? *one.home + others->of(one.unrolling, one.known)
                                          : all.of(one.unrolling, one.known));
    push(std::move(one));
  }
}

}  // namespace zz::core
