#include "core/search/optimal/detail/chain_search.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/cost_relations.hpp"
#include "core/search/optimal/detail/best_first.hpp"
#include "core/search/optimal/detail/compulsory_bound.hpp"
#include "core/search/optimal/detail/cutoff_search.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/spatial/spatial_space.hpp"

namespace zz::core {
namespace {

class ChainSearch {
 public:
  ChainSearch(const Layer& layer, std::shared_ptr<const Accelerator> accelerator,
              const JointOptions& options, const Goal& goal, const SearchLimits& limits,
              JointOptimum& found)
      : layer_(layer),
        accelerator_(std::move(accelerator)),
        options_(options),
        limits_(limits),
        space_(layer, *accelerator_, {.mixed = options.mixed, .rules = options.model.rules}),
        goal_(goal),
        bounds_(goal),
        symmetries_(loop_symmetries(layer)),
        found_(found),
        value_(found.certificate.value),
        most_work_(least_work + found.multisets + found.certificate.states) {}

  void search() {
    // The unrolling that is best for tiles that divide comes first: a good result leaves less to look at.
    effort_ = efforts[0];
    push({0, {{}, nullptr, found_.unrolling}, BoundEffort::compulsory, 0, listed_++});
    walk();
    if (!space_.prescribed())
      compulsory_.emplace(compulsory_bound(layer_, *accelerator_, options_.model, options_.refinements));
    for (const Effort& effort : efforts) {
      effort_ = effort;
      walk();
      std::vector<Waiting> again = std::exchange(open_, {});
      if (again.empty() || stopped()) {
        for (const Waiting& one : again) rule_out_below(one.bound);
        break;
      }
      for (Waiting& one : again) candidates_.push(std::move(one));
    }
    rule_out_below(candidates_.least());
    if (compulsory_) rule_out_below(bound_of(compulsory_->by_units(space_.most()), goal_));
    at_end_ = !stopped();
  }

  bool at_end() const { return at_end_; }
  double lower_bound() const { return lower_bound_; }
  double value() const { return value_; }
  std::uint64_t states() const { return states_; }
  std::uint64_t multisets() const { return work_; }

 private:
  /// A spatial mapping, and one with lengths.
  struct Chains {
    std::optional<SpatialSpace::Choice> choice;
    std::shared_ptr<const MappingProblem> problem = {};
    SpatialUnrolling unrolling = {};
  };
  using Waiting = BestFirst<Chains>::Candidate;
  struct Effort {
    std::uint64_t steps, states;
  };
  /// Beside as much as the search of tiles that divide has done.
  static constexpr std::uint64_t least_work = std::uint64_t{1} << 16;
  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  static constexpr Effort efforts[] = {{64, 1 << 12}, {2048, 1 << 16}, {no_limit, no_limit}};
  bool of_energy() const { return goal_.objective == Objective::energy && !goal_.limited(); }

  bool stopped() const {
    return states_ >= limits_.states || work_ + states_ > most_work_ ||
           limits_.stop(stopwatch_.seconds(), 0);
  }
  double cutoff() const { return cutoff_of(value_, limits_.gap); }
  void rule_out_below(double bound) { lower_bound_ = std::min(lower_bound_, bound); }

  void count_work(const MappingProblem& problem) {
    work_ += static_cast<std::uint64_t>(std::min(count_multisets(problem), 1e9));
  }

  void walk() {
    candidates_.walk(
        [&] { return stopped() ? -infinite : cutoff(); },
        [&] { return compulsory_ ? bound_of(compulsory_->by_units(space_.most()), goal_) : infinite; },
        [&] { list(); }, [&](Waiting one) { advance(std::move(one)); });
  }

  void list() {
    std::optional<SpatialSpace::Choice> choice = space_.next();
    if (!choice) return;
    const double bound = bound_of(compulsory_->of(space_, *choice), goal_);
    push({bound, {std::move(*choice)}, BoundEffort::compulsory, 0, listed_++});
  }

  void push(Waiting candidate) {
    if (candidate.bound < cutoff())
      candidates_.push(std::move(candidate));
    else
      rule_out_below(candidate.bound);
  }

  void advance(Waiting candidate) {
    const double bound = candidate.bound;
    try {
      if (!candidate.mapping.problem)
        expand(candidate.mapping.choice ? space_.unrolling(*candidate.mapping.choice)
                                        : candidate.mapping.unrolling,
               bound);
      else if (candidate.effort == BoundEffort::thorough && of_energy())
        bound_in_one_order(std::move(candidate));
      else
        search(std::move(candidate));
    } catch (const InputError&) {
      rule_out_below(bound);  // too large to be searched: nothing more is proven of it
    }
  }

  /// Waits with each of its lengths in place of the unrolling.
  void expand(const SpatialUnrolling& unrolling, double bound) {
    try {
      MappingProblem problem =
          unrolled_problem(layer_, accelerator_, unrolling, options_.model, options_.refinements);
      if (!known_.insert(cost_key(problem, !goal_.needs_latency(), symmetries_)).second) return;
      if (of_energy()) bound = std::max(bound, bounds_.energy_of_any_tiles(problem));
      if (!(bound < cutoff())) return rule_out_below(bound);
      for (TileLengths& lengths : competing_lengths(problem)) {
        problem.lengths = std::move(lengths);
        const double own = of_energy() ? bound : std::max(bound, bound_of(bounds_.of(problem), goal_));
        push({own,
              {{}, std::make_shared<const MappingProblem>(problem), unrolling},
              BoundEffort::thorough,
              0,
              listed_++});
        if (stopped()) rule_out_below(bound);
        if (stopped()) return;
      }
    } catch (const NoResult&) {
      return;  // the unrolling does not fit
    }
  }

  void bound_in_one_order(Waiting candidate) {
    count_work(*candidate.mapping.problem);
    candidate.bound = std::max(candidate.bound, least_energy_in_one_order(*candidate.mapping.problem));
    candidate.effort = BoundEffort::in_one_order;
    push(std::move(candidate));
  }

  void search(Waiting candidate) {
    std::uint64_t steps = 0;
    SearchLimits limits = limits_;
    limits.seconds -= stopwatch_.seconds();
    limits.states = std::min(limits_.states - std::min(limits_.states, states_), effort_.states);
    limits.cancelled = [&] {
      return ++steps > effort_.steps || (limits_.cancelled && limits_.cancelled());
    };
    constexpr double enumerable = 1e5;
    const MappingProblem& problem = *candidate.mapping.problem;
    count_work(problem);
    const CutoffResult result = find_below(problem, goal_, value_, limits, enumerable);
    states_ += result.best.states;
    if (result.best.value < value_) {
      value_ = result.best.value;
      found_.certificate.mapping = result.best.mapping;
      found_.unrolling = candidate.mapping.unrolling;
      found_.problem = problem;
      found_.problem.lengths.clear();
    }
    candidate.bound = std::max(candidate.bound, result.best.lower_bound);
    const bool more_helps = steps > effort_.steps || result.best.states >= effort_.states;
    if (result.open && more_helps)
      open_.push_back(std::move(candidate));
    else
      rule_out_below(candidate.bound);
  }

  const Layer& layer_;
  std::shared_ptr<const Accelerator> accelerator_;
  const JointOptions& options_;
  const SearchLimits& limits_;
  SpatialSpace space_;
  Goal goal_;
  SpatialBounds bounds_;
  std::vector<std::vector<int>> symmetries_;
  JointOptimum& found_;
  double value_;
  Effort effort_{};
  ProcessorTime stopwatch_;
  std::optional<CompulsoryBound> compulsory_;
  std::uint64_t states_ = 0, work_ = 0;  ///< partial mappings looked at; multisets in tables
  std::uint64_t most_work_;
  bool at_end_ = false;
  std::size_t listed_ = 0;
  double lower_bound_ = infinite;
  BestFirst<Chains> candidates_;
  std::vector<Waiting> open_;
  std::set<std::vector<std::int64_t>> known_;  ///< cost_key() of what was expanded
};

}  // namespace

ChainsProven search_chains(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                           const JointOptions& options, const Goal& goal, const SearchLimits& limits,
                           JointOptimum& found) {
  ChainSearch search(layer, accelerator, options, goal, limits, found);
  search.search();
  Certificate& proven = found.certificate;
  proven.states += search.states();
  found.multisets += search.multisets();
  if (!(search.value() < proven.value)) return {search.at_end(), false, search.lower_bound()};
  proven.value = search.value();
  found.energy = value_of(found.problem, proven.mapping, Objective::energy);
  found.latency = value_of(found.problem, proven.mapping, Objective::latency);
  return {search.at_end(), true, search.lower_bound()};
}

}  // namespace zz::core
