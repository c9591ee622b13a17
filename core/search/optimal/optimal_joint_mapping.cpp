#include "core/search/optimal/optimal_joint_mapping.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/detail/cost_relations.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/exhaustive.hpp"
#include "core/search/optimal/detail/latency_proof.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/optimal/mapping_problem.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/spatial/spatial_generator.hpp"

namespace zz::core {
namespace {

/// The bounds of an earlier search, as bounds for an accelerator whose costs have changed (CostChange).
/// What costs changed little, or moved data that must move anyway, rules out most spatial mappings again
/// without a look at their temporal mappings.
class CarriedBounds {
 public:
  /// Throws what unrolled_problem() and compulsory_cost() throw. All references must outlive it.
  /// REQUIRES: `earlier` is of the same layer, with the same options.
  CarriedBounds(const JointOptimum& earlier, const CostChange& change, const Layer& layer,
                const CostModelOptions& model, const Goal& goal)
      : earlier_(earlier),
        change_(change),
        goal_(goal),
        rest_(layer, change.rest, model, compulsory_on(change.rest, layer, model)) {}

  /// Of the objective, for the spatial mapping that comes at this place in SpatialSpace.
  double of(std::size_t place, const SpatialSpace& space, const SpatialSpace::Choice& choice) const {
    double before = earlier_.certificate.lower_bound;
    if (place < earlier_.bounds.size()) before = std::max(before, earlier_.bounds[place]);
    // No cost of an access bears on the latency.
    if (goal_.objective == Objective::latency) return before;
    return change_.kept * before + bound_of(rest_.of(space, choice), goal_);
  }

 private:
  static CompulsoryCost compulsory_on(const Accelerator& accelerator, const Layer& layer,
                                      const CostModelOptions& model) {
    SpatialUnrolling nothing;
    for (const ArrayDimension& dimension : accelerator.array.dimensions)
      nothing.dimensions.push_back({dimension.name, {}});
    return compulsory_cost(
        unrolled_problem(layer, std::make_shared<const Accelerator>(accelerator), nothing, model));
  }

  const JointOptimum& earlier_;
  const CostChange& change_;
  const Goal& goal_;
  CompulsoryBound rest_;
};

/// The result of a search for a temporal mapping that is better than a cutoff.
struct CutoffResult {
  Certificate best;   ///< below the cutoff; not found() when none was found
  bool open = false;  ///< a mapping between the lower bound and the best, or the cutoff, may exist
};

/// The latency without stalls and loading; 0 where loading may take less than no time.
double least_latency(const SearchProblem& problem) {
  if (problem.given.options.rules.loading_below_minimum) return 0;
  double iterations = 1;
  for (const LoopKind& kind : problem.space.lattice().kinds()) {
    for (int i = 0; i < kind.count; ++i) iterations *= static_cast<double>(kind.size);
  }
  return iterations * problem.tables.cycles_per_operation;
}

CutoffResult result_of(const Certificate& found, double cutoff) {
  CutoffResult result{found, false};
  result.open = found.lower_bound < std::min(found.value, cutoff) * (1 - rounding_tolerance);
  if (!(found.value < cutoff)) result.best.value = infinite;
  return result;
}

/// The best temporal mapping of all orders and cuts, if its value is below `cutoff`. A problem of at most
/// `enumerable` mappings is searched exhaustively where a bound leaves a gap. Throws what
/// find_optimal_mapping() throws for problems that cannot be searched.
CutoffResult find_below(const MappingProblem& given, const Goal& goal, double cutoff,
                        const SearchLimits& limits, double enumerable) {
  const ProcessorTime stopwatch;
  const SearchProblem problem(given);
  Certificate start;
  start.value = cutoff;
  double least_energy = 0;
  // A search for the latency alone starts from the cutoff and needs no mapping of least energy.
  if (goal.needs_energy()) {
    const bool product = goal.objective == Objective::edp;
    const double latency = product ? least_latency(problem) : 1;
    const double most = goal.objective == Objective::latency ? infinite : cutoff;
    const Certificate least = find_least_energy(problem, limits, latency > 0 ? most / latency : infinite);
    if (goal.objective == Objective::energy && !goal.limited()) return result_of(least, cutoff);
    least_energy = least.lower_bound;
    start.states = least.states;
    if (!least.found()) {
      start.lower_bound = goal.objective == Objective::latency ? 0 : least_energy * latency;
      return result_of(start, cutoff);
    }
    if (const double value = problem.value(least.mapping, goal); value < cutoff) {
      start.mapping = least.mapping;
      start.value = value;
    }
  }
  SearchLimits rest = limits;
  rest.seconds -= stopwatch.seconds();
  CutoffResult result = result_of(find_least_latency(problem, goal, start, least_energy, rest), cutoff);
  if (result.open && !problem.space.lattice().kinds().empty() && count_mappings(problem) <= enumerable) {
    Certificate every = result.best;
    every.value = std::min(every.value, cutoff);
    search_exhaustively(problem, goal, every);
    every.lower_bound = every.value;
    result = result_of(every, cutoff);
  }
  return result;
}

/// The same without a cutoff, for the first spatial mapping. Throws NoResult when no temporal mapping fits
/// into the memories.
CutoffResult find_first(const MappingProblem& given, const Goal& goal, const SearchLimits& limits) {
  Certificate least = find_least_energy(SearchProblem(given), limits);
  if (!least.found() && least.lower_bound == infinite) {
    throw NoResult(fmt::format("layer '{}': no order of its temporal loops fits into the memories of '{}'",
                               given.layer->name, given.accelerator->name));
  }
  if (goal.limited()) return find_below(given, goal, infinite, limits, 0);
  try {
    const Certificate first =
        find_optimal_mapping(given, {goal.objective, MappingSpace::free_cuts, limits, false});
    return {first, first.gap() > 0};
  } catch (const NoResult&) {
    // Nothing was found before a limit ended the search.
    least.value = infinite;
    return {least, true};
  }
}

/// Spatial mappings that are listed at most. Bounding more would take as long as many searches.
constexpr std::size_t most_listed = std::size_t{1} << 18;
/// The limits of one search. Most searches need little. One that needs more is started anew in a later
/// round, when others have shown how good the result can be.
struct Effort {
  std::uint64_t steps;   ///< polls of `cancelled`
  std::uint64_t states;  ///< partial mappings to look at
  double enumerable;     ///< mappings that may be searched exhaustively
};
constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
constexpr Effort rounds[] = {
    {64, 1 << 12, 1e3}, {1024, 1 << 15, 1e5}, {16384, 1 << 19, 1e5}, {no_limit, no_limit, 1e5}};
/// Shares of the time that is left, for the first searches and for each turn of listing.
constexpr double starting_share = 0.25;
/// The place of a spatial mapping that is searched before all are listed.
constexpr std::size_t not_listed = std::numeric_limits<std::size_t>::max();
constexpr double listing_share = 0.5;

class JointSearch {
 public:
  JointSearch(const Layer& layer, std::shared_ptr<const Accelerator> accelerator,
              const JointOptions& options, const JointOptimum* earlier)
      : layer_(layer),
        accelerator_(std::move(accelerator)),
        options_(options),
        earlier_(earlier),
        space_(layer, *accelerator_, {options.mixed, options.factors, options.model.rules}),
        goal_(options.objective, options.within),
        bounds_(options.objective),
        symmetries_(loop_symmetries(layer)) {}

  JointOptimum find() {
    if (!start_with_the_earlier_optimum()) start_with_the_best_unrolled();
    if (space_.prescribed()) {
      result_.spatial_mappings = result_.searched = 1;
      reopen(starts_);
    } else {
      search_all();
      reopen(open_);
    }
    if (!result_.certificate.found()) nothing_found();
    result_.certificate.lower_bound = std::min(lower_bound_, result_.certificate.value);
    if (result_.certificate.value <= lower_bound_ * (1 + rounding_tolerance))
      result_.certificate.lower_bound = result_.certificate.value;
    choose_among_equals();
    return std::move(result_);
  }

 private:
  struct Candidate {
    double bound;
    double tie;  ///< lower first among equal bounds
    std::size_t place;
    SpatialSpace::Choice choice;
  };
  /// A search to be continued.
  struct Open {
    double bound;
    SpatialUnrolling unrolling;
    std::size_t place;
  };

  bool stopped() const { return options_.limits.stop(stopwatch_.seconds(), 0); }
  /// Only smaller values are of interest.
  double cutoff() const {
    return result_.certificate.value / (1 + options_.limits.gap) * (1 - rounding_tolerance / 2);
  }
  void rule_out_below(double bound) { lower_bound_ = std::min(lower_bound_, bound); }

  MappingProblem problem_of(const SpatialUnrolling& unrolling) const {
    return unrolled_problem(layer_, accelerator_, unrolling, options_.model);
  }

  /// Searches the temporal mappings of one spatial mapping, whose bound is `bound`, for something better
  /// than the result. Pushes the spatial mapping to `open` where a larger effort may still find something
  /// better.
  void search(SpatialUnrolling unrolling, double bound, std::size_t place, const Effort& effort,
              double until, std::vector<Open>& open) {
    std::uint64_t steps = 0;
    SearchLimits limits = options_.limits;
    limits.seconds = std::min(until, options_.limits.seconds) - stopwatch_.seconds();
    limits.gap = 0;
    limits.states = std::min(limits.states, effort.states);
    limits.cancelled = [&] {
      return ++steps > effort.steps || (options_.limits.cancelled && options_.limits.cancelled());
    };
    try {
      const MappingProblem problem = problem_of(unrolling);
      const CutoffResult found = result_.certificate.found()
                                     ? find_below(problem, goal_, cutoff(), limits, effort.enumerable)
                                     : find_first(problem, goal_, limits);
      const std::uint64_t states = result_.certificate.states + found.best.states;
      if (found.best.value < result_.certificate.value) {
        result_.certificate = found.best;
        result_.unrolling = unrolling;
        result_.problem = problem;
      }
      result_.certificate.states = states;
      bound = std::max(bound, found.best.lower_bound);
      if (place != not_listed) result_.bounds[place] = bound;
      const bool more_helps = steps > effort.steps || found.best.states >= effort.states ||
                              effort.enumerable < std::end(rounds)[-1].enumerable;
      if (found.open && more_helps) {
        open.push_back({bound, std::move(unrolling), place});
      } else {
        rule_out_below(bound);
        if (!accelerator_->array.imc) known_.emplace(key_of(problem), true);
      }
    } catch (const NoResult& none) {
      if (!first_failure_) first_failure_ = none.what();
    } catch (const InputError&) {
      // A problem that is too large does not end the search of the others.
      if (!first_error_) first_error_ = std::current_exception();
      rule_out_below(bound);
    }
  }

  /// False when there is none whose bounds carry over.
  bool start_with_the_earlier_optimum() {
    if (earlier_ == nullptr || space_.prescribed() || goal_.limited()) return false;
    change_ = cost_change(earlier_->problem, *accelerator_);
    if (!change_) return false;
    result_.unrolling = earlier_->unrolling;
    result_.problem = problem_of(result_.unrolling);
    result_.warnings = earlier_->warnings;
    result_.certificate.mapping = earlier_->certificate.mapping;
    result_.certificate.value = SearchProblem(result_.problem).value(result_.certificate.mapping, goal_);
    carried_.emplace(*earlier_, *change_, layer_, options_.model, goal_);
    return true;
  }

  void start_with_the_best_unrolled() {
    SpatialCandidates first = generate_spatial_mappings(
        layer_, *accelerator_, {.mixed = options_.mixed, .rules = options_.model.rules});
    result_.warnings = std::move(first.warnings);
    const double until = space_.prescribed() ? infinite : starting_share * options_.limits.seconds;
    for (const SpatialUnrolling& unrolling : first.mappings)
      search(unrolling, 0, not_listed, rounds[0], until, starts_);
    if (!result_.certificate.found() && first_error_) std::rethrow_exception(first_error_);
  }

  /// Lists spatial mappings and searches them, in turns where time is short: a better result rules out more
  /// of the mappings that are listed later.
  void search_all() {
    SpatialUnrolling nothing;
    for (const ArrayDimension& dimension : accelerator_->array.dimensions)
      nothing.dimensions.push_back({dimension.name, {}});
    const bool in_memory = accelerator_->array.imc.has_value();
    const CompulsoryBound quick(layer_, *accelerator_, options_.model,
                                in_memory ? CompulsoryCost{} : compulsory_cost(problem_of(nothing)));
    bool more = true;
    while (more && !stopped()) {
      more = list(quick);
      search_listed();
    }
    if (const double units = space_.most(); units > 0)
      rule_out_below(bound_of(quick.by_units(units), goal_));
    known_.clear();
  }

  /// Lists and bounds some spatial mappings. False: there are no more, or too many.
  bool list(const CompulsoryBound& quick) {
    candidates_.clear();
    const double now = stopwatch_.seconds();
    const double until = now + listing_share * (options_.limits.seconds - now);
    bool more = true;
    for (std::size_t listed = 0; more; ++listed) {
      if (listed % 64 == 63 && stopwatch_.seconds() > until) break;
      if (stopped()) break;
      std::optional<SpatialSpace::Choice> choice;
      if (result_.spatial_mappings < most_listed) choice = space_.next();
      more = choice.has_value();
      if (!more) break;
      const std::size_t place = result_.spatial_mappings++;
      result_.bounds.push_back(0);
      if (const double bound = carried_ ? carried_->of(place, space_, *choice) : 0; bound >= cutoff()) {
        pass_over(bound);
        continue;
      }
      if (const SpatialBound bound = quick.of(space_, *choice); !(bound_of(bound, goal_) < cutoff())) {
        pass_over(bound_of(bound, goal_));
        continue;
      }
      add(std::move(*choice));
    }
    std::stable_sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
      return std::pair(a.bound, a.tie) < std::pair(b.bound, b.tie);
    });
    return more;
  }

  std::vector<std::int64_t> key_of(const MappingProblem& problem) const {
    return cost_key(problem, options_.objective == Objective::energy && !goal_.limited(), symmetries_);
  }

  /// No spatial mapping that costs the same was met before.
  bool is_new(const MappingProblem& problem) {
    if (accelerator_->array.imc) return true;
    const auto [known, is_new] = known_.emplace(key_of(problem), false);
    if (is_new) return true;
    ++(known->second ? result_.searched : result_.passed_over);
    known->second = false;
    return false;
  }

  void add(SpatialSpace::Choice choice) {
    try {
      const MappingProblem problem = problem_of(space_.unrolling(choice));
      if (!is_new(problem)) return;
      if (options_.objective == Objective::energy) {
        if (const SpatialBound bound = bounds_.quick(problem); !(bound.energy < cutoff())) {
          pass_over(bound_of(bound, goal_));
          return;
        }
      }
      const SpatialBound bound = bounds_.of(problem);
      const double value = bound_of(bound, goal_);
      if (!(value < cutoff())) {
        pass_over(value);
        return;
      }
      result_.bounds.back() = value;
      const double tie = options_.objective == Objective::latency ? bound.energy : bound.latency;
      candidates_.push_back({value, tie, result_.bounds.size() - 1, std::move(choice)});
    } catch (const NoResult& none) {
      result_.bounds.back() = infinite;
      if (!first_failure_) first_failure_ = none.what();
    }
  }

  /// The spatial mapping that was listed last.
  void pass_over(double bound) {
    ++result_.passed_over;
    result_.bounds.back() = bound;
    rule_out_below(bound);
  }

  void search_listed() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (!(candidates_[i].bound < cutoff()) || stopped()) {
        rule_out_below(candidates_[i].bound);
        if (candidates_[i].bound >= cutoff()) result_.passed_over += candidates_.size() - i;
        return;
      }
      ++result_.searched;
      search(space_.unrolling(candidates_[i].choice), candidates_[i].bound, candidates_[i].place, rounds[0],
             infinite, open_);
    }
  }

  /// Goes on with open searches, with the effort of the later rounds.
  void reopen(std::vector<Open> open) {
    for (const Effort& effort : std::span(rounds).subspan(1)) {
      std::stable_sort(open.begin(), open.end(),
                       [](const Open& a, const Open& b) { return a.bound < b.bound; });
      std::vector<Open> still_open;
      for (Open& entry : open) {
        if (entry.bound < cutoff() && !stopped())
          search(std::move(entry.unrolling), entry.bound, entry.place, effort, infinite, still_open);
        else
          rule_out_below(entry.bound);
      }
      open = std::move(still_open);
    }
    for (const Open& entry : open) rule_out_below(entry.bound);
  }

  /// Breaks ties under the best spatial mapping; others are not searched for ties.
  void choose_among_equals() {
    if (stopped()) return;
    SearchLimits limits = options_.limits;
    limits.seconds -= stopwatch_.seconds();
    break_ties(result_.problem, options_.objective, limits, result_.certificate);
    result_.certificate.second_bound = 0;
  }

  [[noreturn]] void nothing_found() const {
    const std::string reason = first_failure_ ? "; for the first: " + *first_failure_ : "";
    const auto text = [&](const char* what) {
      return fmt::format("layer '{}': no temporal mapping {} under any of its {} spatial mappings{}",
                         layer_.name, what, std::max<std::uint64_t>(1, result_.spatial_mappings), reason);
    };
    if (stopped())
      throw NotFound(text("was found within the limits of the search") +
                     "; more time_limit or memory_limit looks further");
    const char* const what = goal_.limited() ? "keeps the limits of energy and latency" : "fits";
    if (options_.factors == UnrollingFactors::even && !space_.prescribed())
      throw NotFound(text(what) + "; `unrolling: any` tries factors that do not divide their loops, too");
    throw NoResult(text(what));
  }

  const Layer& layer_;
  std::shared_ptr<const Accelerator> accelerator_;
  const JointOptions& options_;
  const JointOptimum* earlier_;
  SpatialSpace space_;
  Goal goal_;
  SpatialBounds bounds_;
  std::vector<std::vector<int>> symmetries_;
  ProcessorTime stopwatch_;
  JointOptimum result_;
  std::optional<CostChange> change_;  ///< since the earlier optimum
  std::optional<CarriedBounds> carried_;
  double lower_bound_ = infinite;
  std::vector<Candidate> candidates_;
  /// By cost_key(); true: searched before it was listed.
  std::map<std::vector<std::int64_t>, bool> known_;
  std::vector<Open> starts_, open_;
  std::optional<std::string> first_failure_;
  std::exception_ptr first_error_;
};

}  // namespace

JointOptimum find_joint_optimum(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                                const JointOptions& options, const JointOptimum* earlier) {
  return JointSearch(layer, accelerator, options, earlier).find();
}

}  // namespace zz::core
