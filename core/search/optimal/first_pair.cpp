#include "core/search/optimal/first_pair.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/interruption.hpp"
#include "core/cost/work_left.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/optimal/detail/compulsory_bound.hpp"
#include "core/search/optimal/detail/known_unrollings.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/optimal/joint_bound.hpp"
#include "core/search/spatial/spatial_generator.hpp"

namespace zz::core {
namespace {

/// Unrollings that get a closer look, for one floor. Each takes about as long as a search of LOMA's orders.
constexpr int most_looked_at = 4;

class FirstFloors {
 public:
  FirstFloors(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
              const JointOptions& options)
      : layer_(layer),
        accelerator_(accelerator),
        options_(options),
        unrollings_(layer, *accelerator, options),
        bounds_(Goal(Objective::latency)) {}

  double until_finished() {
    const double operations =
        static_cast<double>(layer_.mac_count()) * least_work_left(*accelerator_, layer_).useful;
    const auto by_units = [&](double units) {
      return unrollings_.space().prescribed() || units == 0 ? infinite : operations / units;
    };
    const auto at_first = [&](const KnownUnrollings::Met& met) {
      return met.choice ? operations / unrollings_.space().units(*met.choice) : 0;
    };
    int looked_at = 0;
    const auto bound = [&](const KnownUnrollings::Met& met, BoundEffort) {
      if (++looked_at > most_looked_at) return at_first(met);
      return bounds_.until_finished(
          unrolled_problem(layer_, accelerator_, met.unrolling, options_.model, options_.refinements));
    };
    return unrollings_.least_bound(Objective::latency, BoundEffort::thorough, by_units, at_first, bound);
  }

  double energy() {
    const bool many = !unrollings_.space().prescribed();
    if (many && options_.objective == Objective::latency)
      return compulsory_bound(layer_, *accelerator_, options_.model, options_.refinements)
          .by_units(unrollings_.space().most())
          .energy;
    JointOptions of_energy = options_;
    of_energy.objective = Objective::energy;
    return joint_bound(layer_, accelerator_, of_energy);
  }

 private:
  const Layer& layer_;
  const std::shared_ptr<const Accelerator>& accelerator_;
  const JointOptions& options_;
  KnownUnrollings unrollings_;
  SpatialBounds bounds_;
};

std::vector<Objective> figures_by(Objective objective) {
  if (objective == Objective::edp) return {Objective::edp};
  const bool energy = objective == Objective::energy;
  return energy ? std::vector{Objective::energy, Objective::latency}
                : std::vector{Objective::latency, Objective::energy};
}

}  // namespace

std::optional<FirstPair> find_first_pair(const Layer& layer,
                                         const std::shared_ptr<const Accelerator>& accelerator,
                                         const JointOptions& options) {
  const Rules& rules = options.model.rules;
  if (options.allowed.any() || has_chains(options) || gives_original_figures(rules) ||
      accelerator->array.imc)
    return std::nullopt;
  std::optional<FirstPair> best;
  const std::vector<Objective> figures = figures_by(options.objective);
  const auto figure = [&](const FirstPair& pair, Objective by) {
    return value_of(by, pair.energy, pair.latency);
  };
  const auto better = [&](const FirstPair& pair) {
    const auto differs = [&](Objective by) { return figure(pair, by) != figure(*best, by); };
    const auto first = std::find_if(figures.begin(), figures.end(), differs);
    return first != figures.end() && figure(pair, *first) < figure(*best, *first);
  };
  const SpatialCandidates candidates =
      generate_spatial_mappings(layer, *accelerator, {.mixed = options.mixed, .rules = rules});
  for (const SpatialUnrolling& unrolling : candidates.mappings) {
    end_if_interrupted();
    FirstPair pair{.unrolling = unrolling,
                   .problem = unrolled_problem(layer, accelerator, unrolling, options.model),
                   .temporal = {}};
    Loma orders(pair.problem.layer, accelerator, pair.problem.fractional, {.rules = rules});
    const CostModel model = model_of(pair.problem);
    const std::vector<TemporalMapping> found =
        best_loop_orders(orders, model, figures, 1, [] { return true; });
    if (found.empty()) continue;
    const Score score = model.score(model.compact(found.front()));
    pair.temporal = found.front();
    pair.energy = score.energy_total;
    pair.latency = score.latency_total2;
    if (!best || better(pair)) best = std::move(pair);
  }
  if (!best) return std::nullopt;
  FirstFloors floors(layer, accelerator, options);
  best->least_energy = std::min(floors.energy(), best->energy);
  best->least_until_finished = std::min(floors.until_finished(), best->latency);
  return best;
}

}  // namespace zz::core
