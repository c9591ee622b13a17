#include "core/search/optimal/optimal_joint_mapping.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/detail/chain_search.hpp"
#include "core/search/optimal/detail/joint_search.hpp"
#include "core/search/optimal/detail/least_busy.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/spatial/spatial_space.hpp"

namespace zz::core {
namespace {

constexpr std::uint64_t no_limit = JointSearch::no_limit;

/// The least of the other figure among pairs whose objective is as good as `least` but for the tolerance.
Goal goal_within(double tolerance, const JointOptimum& least, const JointOptions& options) {
  const bool by_energy = options.objective == Objective::energy;
  Goal goal(by_energy ? Objective::latency : Objective::energy, options.allowed);
  double& most = by_energy ? goal.most_energy : goal.most_latency;
  most = std::min(most, least.certificate.value * (1 + tolerance) * (1 + rounding_tolerance));
  (by_energy ? goal.least_energy : goal.least_latency) =
      least.certificate.lower_bound * (1 - rounding_tolerance);
  return goal;
}

/// The least of the other figure among pairs as good as `least` whose unrolling has such factors, with so
/// much work, and at most so much effort. Starts from `least`, or from `before` where that is still as
/// good.
JointOptimum find_second(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                         const JointOptions& options, UnrollingFactors factors, const JointOptimum& least,
                         const std::shared_ptr<const JointOptimum>& before, const SearchLimits& limits,
                         std::uint64_t work, std::uint64_t effort = no_limit) {
  const Goal goal = goal_within(*options.within, least, options);
  JointSearch search(layer, accelerator, options, factors, goal, limits);
  search.start_from(least);
  search.stop_at(effort);
  if (before) search.learn_of(*before);
  const bool at_end = search.advance(work);
  JointOptimum second = search.result(at_end);
  second.brief = search.ended_by_effort();
  second.bounds.clear();
  return second;
}

/// The second search may meet a better pair for the objective.
void take_second(JointOptimum& least, std::shared_ptr<const JointOptimum> second, Objective objective) {
  const double value = value_of(objective, second->energy, second->latency);
  if (value < least.certificate.value) {
    least.unrolling = second->unrolling;
    least.problem = second->problem;
    least.energy = second->energy;
    least.latency = second->latency;
    least.certificate.mapping = second->certificate.mapping;
    least.certificate.value = value;
  }
  least.second = std::move(second);
}

/// The work of the search for the objective before it gives the other search a first turn. Most layers need
/// less for the whole proof. The turns come after twice as much each, and take a third as much.
constexpr std::uint64_t before_first_turn = std::uint64_t{1} << 16;
constexpr std::uint64_t share_of_turns = 3;

/// The effort of a search for the other figure among uneven unrollings, where that of even ones took so
/// much in all (JointOptions::brief). Many networks have a layer whose uneven unrollings take a hundred
/// times as much as the even ones, and are no better.
std::uint64_t brief_effort(const JointOptimum& even) {
  constexpr std::uint64_t at_least = std::uint64_t{1} << 16;
  return at_least + effort_of(even) + (even.second ? effort_of(*even.second) : 0);
}

/// The best among the unrollings with such factors, by the objective and then within. `known`: what others
/// have found, from which both searches start.
JointOptimum find_with_factors(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                               const JointOptions& options, UnrollingFactors factors,
                               const SearchLimits& given, const JointOptimum* earlier,
                               const JointOptimum* known) {
  const ProcessorTime stopwatch;
  JointSearch search(layer, accelerator, options, factors, {options.objective, options.allowed}, given);
  if (known != nullptr) search.start_from(*known);
  if (earlier != nullptr && options.refinements.carried_bounds)
    search.carry_over(*earlier);
  else if (options.start && known == nullptr && factors != UnrollingFactors::uneven)
    search.start_from_given();
  if (!has_second(options)) {
    search.advance(no_limit);
    return search.result(true);
  }
  std::shared_ptr<const JointOptimum> second = known != nullptr ? known->second : nullptr;
  const bool brief = options.brief && known != nullptr && factors == UnrollingFactors::uneven;
  const std::uint64_t effort = brief ? brief_effort(*known) : no_limit;
  std::uint64_t states_of_turns = 0;
  for (std::uint64_t pause = before_first_turn;; pause *= 2) {
    const bool at_end = search.advance(pause);
    if (!at_end && !search.found()) continue;
    JointOptimum least = search.result(at_end);
    SearchLimits limits = given;
    limits.seconds -= stopwatch.seconds();
    limits.states -= std::min(limits.states, search.states() + states_of_turns);
    second = std::make_shared<const JointOptimum>(
        find_second(layer, accelerator, options, factors, least, second, limits,
                    at_end ? no_limit : pause / share_of_turns, effort));
    states_of_turns += second->certificate.states;
    search.count_others(states_of_turns);
    // It may have met what the search for the objective was about to meet.
    search.learn_of(*second);
    if (!at_end) continue;
    take_second(least, std::move(second), options.objective);
    return least;
  }
}

/// Adds to the optimum of a goal what a search of other unrollings for the same goal, which came before,
/// has proven and done.
void add_others(JointOptimum& found, const JointOptimum& before) {
  Certificate& proven = found.certificate;
  proven.lower_bound = std::min(proven.lower_bound, before.certificate.lower_bound);
  if (gap_above(proven.lower_bound, proven.value) == 0) proven.lower_bound = proven.value;
  proven.states += before.certificate.states;
  found.spatial_mappings += before.spatial_mappings;
  found.searched += before.searched;
  found.passed_over += before.passed_over;
  found.bounded += before.bounded;
  found.ordered += before.ordered;
  found.multisets += before.multisets;
}

/// Uneven unrollings after even ones: what these have found is what those have to beat.
class WidenedSearch {
 public:
  WidenedSearch(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                const JointOptions& options, const JointOptimum* earlier)
      : layer_(layer), accelerator_(accelerator), options_(options), earlier_(earlier) {}

  JointOptimum find() {
    // Where these are too many to list, that is known before a long search.
    SpatialSpace others(layer_, *accelerator_,
                        {options_.mixed, UnrollingFactors::uneven, options_.model.rules});
    std::optional<JointOptimum> even;
    try {
      even = with_factors(UnrollingFactors::even, nullptr);
      count(*even);
    } catch (const NotFound&) {
      throw;  // a limit ended it
    } catch (const NoResult&) {
      if (others.prescribed() || !others.next()) throw;
    }
    if (even && even->prescribed) return *std::move(even);
    JointOptimum found = with_factors(UnrollingFactors::uneven, even ? &*even : nullptr);
    found.uneven_bounds = std::exchange(found.bounds, {});
    if (!even) return found;
    count(found);
    found.bounds = std::move(even->bounds);
    add_others(found, *even);
    narrow(found, even->certificate.lower_bound);
    if (found.second) add_second(found, *even);
    return found;
  }

 private:
  JointOptimum with_factors(UnrollingFactors factors, const JointOptimum* known) const {
    return find_with_factors(layer_, accelerator_, options_, factors, left(), earlier_, known);
  }

  void narrow(JointOptimum& found, double least_even) const {
    if (found.certificate.gap() > options_.limits.gap) found.narrower = {least_even, true, false};
  }

  /// Pairs of even unrollings were searched within what these have as the least. Where uneven ones have
  /// less, there are fewer within, and another one may be the best of them.
  void add_second(JointOptimum& found, const JointOptimum& even) const {
    JointOptimum second = *found.second;
    double least_even = even.second->certificate.lower_bound;
    if (found.certificate.value < even.certificate.value) {
      JointOptimum before = second;
      second = find_second(layer_, accelerator_, options_, UnrollingFactors::even, found, found.second,
                           left(), no_limit);
      least_even = second.certificate.lower_bound;
      second.brief = before.brief && second.certificate.gap() <= options_.limits.gap;
      add_others(second, before);
    } else {
      add_others(second, *even.second);
    }
    narrow(second, least_even);
    take_second(found, std::make_shared<const JointOptimum>(std::move(second)), options_.objective);
  }

  void count(const JointOptimum& part) {
    states_ += part.certificate.states + (part.second ? part.second->certificate.states : 0);
  }
  SearchLimits left() const {
    SearchLimits limits = options_.limits;
    limits.seconds -= stopwatch_.seconds();
    limits.states -= std::min(limits.states, states_);
    return limits;
  }

  const Layer& layer_;
  const std::shared_ptr<const Accelerator>& accelerator_;
  const JointOptions& options_;
  const JointOptimum* earlier_;
  ProcessorTime stopwatch_;
  std::uint64_t states_ = 0;
};

/// Adds tiles that do not divide their loop to the optimum of those that do, for either figure. What is
/// proven holds for them as well, or else for tiles that divide alone (JointOptimum::chains). `stopwatch`:
/// since the beginning.
void add_chains(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                const JointOptions& options, const ProcessorTime& stopwatch, JointOptimum& found) {
  std::uint64_t states = found.second ? found.second->certificate.states : 0;
  const auto left = [&] {
    SearchLimits limits = options.limits;
    limits.seconds -= stopwatch.seconds();
    limits.states -= std::min(limits.states, states + found.certificate.states);
    return limits;
  };
  const auto prove = [](JointOptimum& optimum, const ChainsProven& chains) {
    Certificate& proven = optimum.certificate;
    optimum.chains = true;
    proven.lower_bound = std::min(proven.lower_bound, chains.lower_bound);
    if (proven.gap() == 0) proven.lower_bound = proven.value;
  };
  const ChainsProven first =
      search_chains(layer, accelerator, options, {options.objective, options.allowed}, left(), found);
  const auto narrow = [](JointOptimum& optimum) {
    if (!optimum.narrower) optimum.narrower = {optimum.certificate.lower_bound, false, false};
  };
  if (!first.at_end) narrow(found);
  prove(found, first);
  if (!found.second) return;
  JointOptimum second = *found.second;
  if (!first.at_end && !first.better) {
    // Nothing is known of the other figure among so many.
    narrow(second);
    prove(second, {});
    second.brief = false;
    found.second = std::make_shared<const JointOptimum>(std::move(second));
    return;
  }
  if (first.better) {
    second.narrower.reset();
    // There are fewer pairs within the new least; the others of tiles that divide are searched anew.
    std::shared_ptr<const JointOptimum> before;
    const auto search = [&](UnrollingFactors factors) {
      const bool brief = options.brief && factors == UnrollingFactors::uneven;
      second = find_second(layer, accelerator, options, factors, found, before, left(), no_limit,
                           brief ? brief_effort(found) : no_limit);
      if (before) add_others(second, *before);
      states += second.certificate.states;
      before = std::make_shared<const JointOptimum>(second);
    };
    search(options.factors == UnrollingFactors::any ? UnrollingFactors::even : options.factors);
    if (options.factors == UnrollingFactors::any) search(UnrollingFactors::uneven);
  }
  const ChainsProven of_second = search_chains(
      layer, accelerator, options, goal_within(*options.within, found, options), left(), second);
  if (!of_second.at_end) {
    narrow(second);
    second.brief = false;
  }
  prove(second, of_second);
  take_second(found, std::make_shared<const JointOptimum>(std::move(second)), options.objective);
}

}  // namespace

JointOptimum as_proven(const JointOptimum& optimum, double gap) {
  JointOptimum proven = optimum;
  const double most = gap + rounding_tolerance;
  const auto is_proven = [&](double lower_bound, const JointOptimum& one) {
    return gap_above(lower_bound, one.certificate.value) <= most;
  };
  const auto narrow = [&](JointOptimum& one) {
    if (!one.narrower || is_proven(one.certificate.lower_bound, one)) return;
    const double lower_bound = std::min(one.narrower->lower_bound, one.certificate.value);
    if (!is_proven(lower_bound, one)) return;
    one.certificate.lower_bound = lower_bound;
    one.even = one.narrower->even;
    one.chains = one.narrower->chains;
  };
  narrow(proven);
  if (!proven.second) return proven;
  JointOptimum second = *proven.second;
  narrow(second);
  proven.second = std::make_shared<const JointOptimum>(std::move(second));
  return proven;
}

JointOptimum find_joint_optimum(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                                const JointOptions& options, const JointOptimum* earlier) {
  const ProcessorTime stopwatch;
  JointOptimum found = options.factors == UnrollingFactors::any
                           ? WidenedSearch(layer, accelerator, options, earlier).find()
                           : find_with_factors(layer, accelerator, options, options.factors, options.limits,
                                               earlier, nullptr);
  if (has_chains(options) && may_have_chains(layer, *accelerator, options.model.rules))
    add_chains(layer, accelerator, options, stopwatch, found);
  if (found.second) {
    JointOptimum second = *found.second;
    second.certificate.mapping = least_busy(second.problem, second.certificate.mapping);
    found.second = std::make_shared<const JointOptimum>(std::move(second));
  } else {
    found.certificate.mapping = least_busy(found.problem, found.certificate.mapping);
  }
  return found;
}

}  // namespace zz::core
