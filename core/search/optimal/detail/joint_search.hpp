#pragma once
#include <algorithm>
#include <bit>
#include <exception>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/hardware/further_keys.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/cost_relations.hpp"
#include "core/search/optimal/detail/best_first.hpp"
#include "core/search/optimal/detail/carried_bounds.hpp"
#include "core/search/optimal/detail/compulsory_bound.hpp"
#include "core/search/optimal/detail/cutoff_search.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/home_table.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/optimal/mapping_problem.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "core/search/temporal/loop_allocator.hpp"
#include "core/search/temporal/topmost_room.hpp"

namespace zz::core {

/// The effort of the search that found it, in about a microsecond each: an unrolling that is listed and
/// looked at briefly takes as much as 32 partial mappings, one that is bounded thoroughly as 256.
inline std::uint64_t effort_of(const JointOptimum& found) {
  return found.certificate.states + found.multisets + 32 * found.spatial_mappings + 256 * found.bounded;
}

/// One best-first search for the pair that is best for a goal.
class JointSearch {
 public:
  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

  /// `factors`: of its space, in place of the options'. The references must outlive it.
  JointSearch(const Layer& layer, std::shared_ptr<const Accelerator> accelerator,
              const JointOptions& options, UnrollingFactors factors, const Goal& goal, SearchLimits limits)
      : layer_(layer),
        accelerator_(std::move(accelerator)),
        options_(options),
        factors_(factors),
        limits_(std::move(limits)),
        states_at_most_(limits_.states),
        space_(layer, *accelerator_, {options.mixed, factors, options.model.rules}),
        goal_(goal),
        bounds_(goal),
        symmetries_(symmetries_of(layer, *accelerator_, options.refinements)) {}

  /// Starts from a pair, found for another goal or before costs have changed.
  void start_from(const JointOptimum& known) {
    start_from(known.unrolling, known.certificate.mapping);
    result_.warnings = known.warnings;
  }

  /// Starts from JointOptions::start. What the generator has is not passed over.
  void start_from_given() {
    start_from(options_.start->unrolling, options_.start->mapping);
    if (!space_.prescribed()) search_the_best_unrolled();
  }

  /// Starts from an earlier optimum, which must outlive the search, if its bounds carry over.
  void carry_over(const JointOptimum& earlier) {
    if (space_.prescribed() || goal_.limited()) return;
    std::optional<CostChange> change = cost_change(earlier.problem, *accelerator_);
    if (!change) return;
    carried_.emplace(earlier, factors_, std::move(*change), layer_, options_.model, options_.refinements,
                     goal_);
    if (!found()) start_from(earlier);
  }

  /// Goes on, until it has done so much work in all: partial mappings that were looked at, and multisets in
  /// the tables of searches. False: that was before the end. What is done next never depends on how far a
  /// search may go, only on how far it has come.
  bool advance(std::uint64_t work) {
    pause_at_ = work;
    if (!begun_) begin();
    if (paused()) return false;
    if (!listed_ && !search_all()) return false;
    return reopen();
  }

  /// Throws when nothing was found. Before the end the bound is 0.
  JointOptimum result(bool at_end) const {
    if (!result_.certificate.found()) nothing_found();
    JointOptimum found = result_;
    const double bound = at_end ? lower_bound_ : 0;
    found.certificate.lower_bound = std::min(bound, found.certificate.value);
    if (found.certificate.value <= bound * (1 + rounding_tolerance))
      found.certificate.lower_bound = found.certificate.value;
    found.energy = value_of(found.problem, found.certificate.mapping, Objective::energy);
    found.latency = value_of(found.problem, found.certificate.mapping, Objective::latency);
    found.multisets = work_of_tables_;
    return found;
  }
  bool found() const { return result_.certificate.found(); }
  std::uint64_t states() const { return result_.certificate.states; }

  /// It ends as at a limit once it has taken so much effort (effort_of).
  void stop_at(std::uint64_t effort) { effort_at_most_ = effort; }
  /// That ended it, not a limit.
  bool ended_by_effort() const { return out_of_effort() && !out_of_limits(); }

  /// Counts the states that others of all searches with the same limits have looked at.
  void count_others(std::uint64_t states) {
    limits_.states = states_at_most_ - std::min(states_at_most_, states);
  }

  /// Takes a pair that another search has met, if it is better.
  void learn_of(const JointOptimum& pair) {
    const double value = value_of(pair.problem, pair.certificate.mapping, goal_);
    if (!(value < result_.certificate.value)) return;
    result_.unrolling = pair.unrolling;
    result_.problem = pair.problem;
    result_.certificate.mapping = pair.certificate.mapping;
    result_.certificate.value = value;
  }

 private:
  /// Spatial mappings that are listed at most. Bounding more would take as long as many searches.
  static constexpr std::size_t most_listed = std::size_t{1} << 18;
  /// The limits of one search. Most searches need little. One that needs more is started anew in a later
  /// round, when others have shown how good the result can be.
  struct RoundLimits {
    std::uint64_t steps;   ///< polls of `cancelled`
    std::uint64_t states;  ///< partial mappings to look at
    double enumerable;     ///< mappings that may be searched exhaustively
  };
  static constexpr RoundLimits rounds[] = {
      {64, 1 << 12, 1e3}, {1024, 1 << 15, 1e5}, {16384, 1 << 19, 1e5}, {no_limit, no_limit, 1e5}};
  /// Searches after which the table of HomeEnergy is worth while: most layers need no more.
  static constexpr std::uint64_t searched_before_table = 2;
  /// The place of a spatial mapping that is searched before it is listed.
  static constexpr std::size_t not_listed = std::numeric_limits<std::size_t>::max();

  using Candidate = BestFirst<SpatialSpace::Choice>::Candidate;
  /// As FNV-1a (Fowler, Noll and Vo), a number at a time.
  struct HashOfNumbers {
    std::size_t operator()(const UnrolledNumbers& numbers) const {
      std::uint64_t hash = 0xcbf29ce484222325;
      const auto add = [&](std::uint64_t number) {
        hash = (hash ^ number) * 0x100000001b3;
        hash ^= hash >> 32;
      };
      for (const std::int64_t rounds : numbers.rounds) add(static_cast<std::uint64_t>(rounds));
      for (const UnrolledNumbers::Part& part : numbers.parts)
        add(std::bit_cast<std::uint64_t>(part.factor));
      return hash;
    }
  };
  /// A search to be continued.
  struct Open {
    double bound;
    SpatialUnrolling unrolling;
    std::size_t place;
  };

  /// Loops that `along` of `instruction` names are not like others, nor is the innermost one of a layout.
  static std::vector<std::vector<int>> symmetries_of(const Layer& layer, const Accelerator& accelerator,
                                                     const Refinements& refinements) {
    std::vector<std::vector<int>> symmetries = loop_symmetries(layer);
    if (accelerator.array.instruction || asks_for_layouts(accelerator) || !refinements.loop_symmetries)
      symmetries.resize(1);
    return symmetries;
  }

  bool stopped() const { return out_of_effort() || out_of_limits(); }
  bool out_of_effort() const { return work_of_tables_ + effort_of(result_) >= effort_at_most_; }
  bool out_of_limits() const { return states() >= limits_.states || limits_.stop(stopwatch_.seconds(), 0); }
  bool paused() const { return work_of_tables_ + states() >= pause_at_ && !stopped(); }
  /// Only smaller values are of interest.
  double cutoff() const { return cutoff_of(result_.certificate.value, limits_.gap); }
  void rule_out_below(double bound) { lower_bound_ = std::min(lower_bound_, bound); }

  MappingProblem problem_of(const SpatialUnrolling& unrolling) const {
    return unrolled_problem(layer_, accelerator_, unrolling, options_.model, options_.refinements);
  }
  const Refinements& refinements() const { return options_.refinements; }
  static const RoundLimits& last_round() { return rounds[std::size(rounds) - 1]; }
  const RoundLimits& first_round() const { return refinements().short_searches ? rounds[0] : last_round(); }

  /// Searches the temporal mappings of one spatial mapping, whose bound is `bound`, for something better
  /// than the result. Pushes the spatial mapping to `open` where a larger effort may still find something
  /// better.
  void search(SpatialUnrolling unrolling, double bound, std::size_t place, const RoundLimits& round,
              std::vector<Open>& open) {
    std::uint64_t steps = 0;
    SearchLimits limits = limits_;
    limits.seconds -= stopwatch_.seconds();
    limits.states = std::min(limits_.states - std::min(limits_.states, states()), round.states);
    limits.cancelled = [&] { return ++steps > round.steps || (limits_.cancelled && limits_.cancelled()); };
    try {
      const MappingProblem problem = problem_of(unrolling);
      work_of_tables_ += static_cast<std::uint64_t>(std::min(count_multisets(problem), 1e9));
      const CutoffResult found =
          result_.certificate.found()
              ? find_below(problem, goal_, result_.certificate.value, limits, round.enumerable)
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
      const bool more_helps = steps > round.steps || found.best.states >= round.states ||
                              round.enumerable < last_round().enumerable;
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

  void start_from(const SpatialUnrolling& unrolling, const CompactMapping& mapping) {
    result_.unrolling = unrolling;
    result_.problem = problem_of(unrolling);
    result_.certificate.mapping = mapping;
    result_.certificate.value = value_of(result_.problem, mapping, goal_);
    if (space_.prescribed()) open_.push_back({0, unrolling, not_listed});
  }

  void begin() {
    begun_ = true;
    if (factors_ == UnrollingFactors::uneven)
      result_.warnings = space_.warnings();  // the generator's are among the others
    else if (!result_.certificate.found())
      search_the_best_unrolled();
    if (!space_.prescribed()) return;
    listed_ = result_.prescribed = true;
    result_.spatial_mappings = result_.searched = 1;
  }

  /// Searches what the generator has; prescribed, it is all there is. Else it is listed again.
  void search_the_best_unrolled() {
    SpatialCandidates first;
    try {
      first = generate_spatial_mappings(layer_, *accelerator_,
                                        {.mixed = options_.mixed, .rules = options_.model.rules});
    } catch (const NoResult&) {
      if (space_.most() == 0) throw;  // else the space has some
    }
    result_.warnings = space_.warnings();
    std::vector<Open> listed_again;
    for (const SpatialUnrolling& unrolling : first.mappings) {
      const double bound = result_.certificate.found() ? thorough_bound(unrolling) : 0;
      if (bound < cutoff())
        search(unrolling, bound, not_listed, first_round(), space_.prescribed() ? open_ : listed_again);
      else
        rule_out_below(bound);
    }
    if (!result_.certificate.found() && first_error_) std::rethrow_exception(first_error_);
  }

  double thorough_bound(const SpatialUnrolling& unrolling) {
    try {
      return bound_of(bounds_.of(problem_of(unrolling)), goal_);
    } catch (const NoResult&) {
      return infinite;
    }
  }

  /// Goes on with what has the least bound, be it a spatial mapping or the rest of the list, until nothing
  /// may be better than the result. False: paused.
  bool search_all() {
    const CompulsoryBound compulsory =
        compulsory_bound(layer_, *accelerator_, options_.model, refinements());
    const auto wanted = [&] { return stopped() || paused() ? -infinite : cutoff(); };
    const auto rest = [&] {
      return result_.spatial_mappings < most_listed ? bound_of_rest(compulsory) : infinite;
    };
    candidates_.walk(
        wanted, rest, [&] { list(compulsory); }, [&](Candidate one) { advance(std::move(one)); });
    if (paused()) return false;
    listed_ = true;
    search_within_gap();
    rule_out_below(bound_of_rest(compulsory));
    rule_out_below(candidates_.least());
    if (!stopped()) result_.passed_over += candidates_.size();
    known_.clear();
    return true;
  }

  /// The bound of the spatial mappings that are not listed yet.
  double bound_of_rest(const CompulsoryBound& compulsory) const {
    const double units = space_.most();
    const double bound = bound_of(compulsory.by_units(units), goal_);
    return carried_ ? std::max(bound, carried_->by_units(units)) : bound;
  }

  void list(const CompulsoryBound& compulsory) {
    std::optional<SpatialSpace::Choice> choice = space_.next();
    if (!choice) return;
    if (looks_by_numbers() && !numbers_.insert(space_.numbers(*choice)).second) return;
    Candidate candidate{bound_of(compulsory.of(space_, *choice), goal_), std::move(*choice)};
    candidate.place = result_.spatial_mappings++;
    if (carried_)
      candidate.bound = std::max(candidate.bound, carried_->of(candidate.place, space_, candidate.mapping));
    result_.bounds.push_back(candidate.bound);
    push(std::move(candidate));
    // A long list is dived into now and then: a better result leaves less to list.
    constexpr std::uint64_t listed_before_dive = 64;
    if (refinements().list_dives && result_.spatial_mappings >= listed_before_dive &&
        std::has_single_bit(result_.spatial_mappings))
      dive();
  }

  /// Takes the candidates of least bound as far as the first search.
  void dive() {
    for (bool searched = false; !searched && !candidates_.empty() && !stopped();) {
      searched = candidates_.first().effort == BoundEffort::thorough;
      advance(candidates_.pop());
    }
  }

  void push(Candidate candidate) {
    result_.bounds[candidate.place] = candidate.bound;
    if (candidate.bound < cutoff())
      candidates_.push(std::move(candidate));
    else
      pass_over(std::move(candidate));
  }

  void pass_over(Candidate candidate) {
    ++result_.passed_over;
    rule_out_below(candidate.bound);
    if (!looks_by_numbers() || candidate.effort != BoundEffort::thorough) return;
    if (!(candidate.bound < result_.certificate.value)) return;
    within_gap_.push_back(std::move(candidate));
    const auto sooner = [](const Candidate& a, const Candidate& b) { return b.comes_after(a); };
    std::sort(within_gap_.begin(), within_gap_.end(), sooner);
    constexpr std::size_t most = 4;
    if (within_gap_.size() > most) within_gap_.pop_back();
  }

  /// Uneven unrollings that nothing but the gap rules out: the first of them get a short search for any
  /// gain. One of these is mostly what the bound is about.
  void search_within_gap() {
    for (const Candidate& candidate : std::exchange(within_gap_, {})) {
      if (stopped() || !(candidate.bound < result_.certificate.value * (1 - rounding_tolerance))) return;
      const double gap = std::exchange(limits_.gap, 0);
      std::vector<Open> no_more;
      search(space_.unrolling(candidate.mapping), candidate.bound, candidate.place, first_round(), no_more);
      limits_.gap = gap;
    }
  }

  /// The next step with a candidate: a bound that takes more effort, then the search.
  void advance(Candidate candidate) {
    SpatialUnrolling unrolling = space_.unrolling(candidate.mapping);
    if (candidate.effort == BoundEffort::thorough) {
      candidate.bound = std::max(candidate.bound, bound_in_one_order(unrolling));
      if (!(candidate.bound < cutoff())) {
        result_.bounds[candidate.place] = candidate.bound;
        pass_over(std::move(candidate));
        return;
      }
      ++result_.searched;
      search(std::move(unrolling), candidate.bound, candidate.place, first_round(), open_);
      return;
    }
    try {
      const MappingProblem problem = problem_of(unrolling);
      if (candidate.effort == effort_before_comparison() && !is_new(problem)) return;
      candidate.effort = more_than(candidate.effort, goal_.objective);
      const bool quick = candidate.effort == BoundEffort::quick;
      if (!quick) ++result_.bounded;
      const SpatialBound bound = quick ? bounds_.quick(problem) : bounds_.of(problem);
      candidate.bound = std::max(candidate.bound, bound_of(bound, goal_));
      candidate.tie = goal_.objective == Objective::latency ? bound.energy : bound.latency;
      push(std::move(candidate));
    } catch (const NoResult& none) {
      result_.bounds[candidate.place] = infinite;
      if (!first_failure_) first_failure_ = none.what();
    }
  }

  /// Uneven unrollings are many. Those whose numbers another one has are not listed, so that their costs
  /// are compared only where a quick bound leaves them.
  bool looks_by_numbers() const {
    return factors_ == UnrollingFactors::uneven && !gives_original_figures(options_.model.rules);
  }

  /// The bound of the energy, in one loop order for all operands; 0 where not worth while or not known.
  double bound_in_one_order(const SpatialUnrolling& unrolling) {
    const bool of_energy = goal_.objective == Objective::energy && !goal_.limited();
    if (!of_energy || result_.searched < searched_before_table || !result_.certificate.found()) return 0;
    if (!others_) {
      others_.emplace(goal_);
      if (refinements().home_table) home_ = HomeEnergy::of(layer_, accelerator_, options_.model);
    }
    try {
      double bound = 0;
      if (const std::optional<double> at_home = home_ ? home_->of(unrolling) : std::nullopt)
        bound = *at_home + others_
                               ->of(unrolled_problem(layer_, home_->others(), unrolling, options_.model,
                                                     options_.refinements))
                               .energy;
      if (!(bound < cutoff()) || !refinements().one_order) return bound;
      ++result_.ordered;
      return std::max(bound, least_energy_in_one_order(problem_of(unrolling)));
    } catch (const NoResult&) {
      return 0;  // the search will tell
    } catch (const InputError&) {
      return 0;
    }
  }

  std::vector<std::int64_t> key_of(const MappingProblem& problem) const {
    return cost_key(problem, !goal_.needs_latency(), symmetries_);
  }

  /// The bound that a candidate has before its costs are compared with those of others.
  BoundEffort effort_before_comparison() const {
    const bool quick = looks_by_numbers() && refinements().quick_bounds &&
                       more_than(BoundEffort::compulsory, goal_.objective) == BoundEffort::quick;
    return quick ? BoundEffort::quick : BoundEffort::compulsory;
  }

  /// No spatial mapping that costs the same was met before.
  bool is_new(const MappingProblem& problem) {
    if (accelerator_->array.imc || !refinements().equal_costs) return true;
    const auto [known, is_new] = known_.emplace(key_of(problem), false);
    if (is_new) return true;
    ++(known->second ? result_.searched : result_.passed_over);
    known->second = false;
    return false;
  }

  /// Goes on with open searches, with the effort of the later rounds. False: paused.
  bool reopen() {
    for (; round_ < std::size(rounds); ++round_) {
      if (turn_ == 0)
        std::stable_sort(open_.begin(), open_.end(),
                         [](const Open& a, const Open& b) { return a.bound < b.bound; });
      for (; turn_ < open_.size(); ++turn_) {
        if (paused()) return false;
        Open& entry = open_[turn_];
        if (entry.bound < cutoff() && !stopped())
          search(std::move(entry.unrolling), entry.bound, entry.place, rounds[round_], still_open_);
        else
          rule_out_below(entry.bound);
      }
      open_ = std::exchange(still_open_, {});
      turn_ = 0;
    }
    for (const Open& entry : open_) rule_out_below(entry.bound);
    open_.clear();
    return true;
  }

  /// Where bounds alone have ruled all out: the memory that is too small under the first spatial mapping,
  /// in a sentence; "" where its loops fit in their order.
  std::string why_first_does_not_fit() const {
    SpatialSpace again(layer_, *accelerator_, {options_.mixed, factors_, options_.model.rules});
    const std::optional<SpatialSpace::Choice> first = again.next();
    if (!first) return "";
    try {
      const MappingProblem problem = problem_of(again.unrolling(*first));
      std::vector<TemporalLoop> order;
      for (const RemainingLoop& loop : searched_loops(problem))
        order.push_back({layer_.loops[loop.dimension].name, loop.size});
      allocate_loop_order(*problem.layer, *problem.accelerator, *problem.fractional, order,
                          MappingType::uneven, options_.model.rules);
    } catch (const NoResult& none) {
      return none.what();
    } catch (const InputError&) {
    }
    return "";
  }

  [[noreturn]] void nothing_found() const {
    refuse_small_topmost_memories(layer_, *accelerator_, options_.model.rules);
    const std::string first = first_failure_ ? *first_failure_ : stopped() ? "" : why_first_does_not_fit();
    const std::string reason = first.empty() ? "" : "; for the first: " + first;
    const bool all = factors_ != UnrollingFactors::uneven;  // else others were counted
    const std::string under = !all ? "any of its spatial mappings"
                              : result_.spatial_mappings > 1
                                  ? fmt::format("any of its {} spatial mappings", result_.spatial_mappings)
                                  : "its only spatial mapping";
    const auto text = [&](const char* what) {
      return fmt::format("layer '{}': no temporal mapping {} under {}{}", layer_.name, what, under, reason);
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
  UnrollingFactors factors_;
  SearchLimits limits_;
  std::uint64_t states_at_most_;  ///< of this search and others with the same limits
  std::uint64_t effort_at_most_ = no_limit;
  SpatialSpace space_;
  Goal goal_;
  SpatialBounds bounds_;
  std::optional<HomeEnergy> home_;
  std::optional<SpatialBounds> others_;  ///< where accesses to the home cost nothing
  std::vector<std::vector<int>> symmetries_;
  ProcessorTime stopwatch_;
  JointOptimum result_;
  std::optional<CarriedBounds> carried_;
  double lower_bound_ = infinite;
  BestFirst<SpatialSpace::Choice> candidates_;
  std::vector<Candidate> within_gap_;  ///< that only the gap rules out, the least bounds first
  std::unordered_set<UnrolledNumbers, HashOfNumbers>
      numbers_;  ///< of those that were listed, where one looks by numbers
  /// By cost_key(); true: searched before it was listed.
  std::map<std::vector<std::int64_t>, bool> known_;
  std::uint64_t pause_at_ = no_limit, work_of_tables_ = 0;
  bool begun_ = false, listed_ = false;
  std::size_t round_ = 1, turn_ = 0;  ///< of reopen(): the next search
  std::vector<Open> open_, still_open_;
  std::optional<std::string> first_failure_;
  std::exception_ptr first_error_;
};

}  // namespace zz::core
