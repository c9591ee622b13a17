#include "core/optimum/joint_mapping.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
#include "core/mapping/spatial_conversion.hpp"
#include "core/mapping/spatial_generator.hpp"
#include "core/mapping/spatial_space.hpp"
#include "core/optimum/cut_off_search.hpp"
#include "core/optimum/spatial_bound.hpp"

namespace zz::core {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What the figures depend on of an unrolling: which factors stand at which level of which operand. Energy
/// depends on the fractional ones alone.
std::vector<std::int64_t> figures_key(const MappingProblem& problem, bool energy_only) {
  std::vector<std::int64_t> key;
  const auto append = [&](const SpatialMapping& mapping) {
    for (const OperandSpatialMapping& operand : mapping.operands) {
      for (const auto& level : operand.levels) {
        std::vector<std::int64_t> factors(problem.layer->loops.size(), 0);
        for (const UnrolledLoop& loop : level) {
          if (loop.factor != 1)
            factors[problem.layer->loop_index(loop.dimension)] = std::llround(loop.factor * 1e9);
        }
        key.insert(key.end(), factors.begin(), factors.end());
      }
    }
  };
  append(*problem.fractional);
  if (!energy_only) append(*problem.integral);
  return key;
}

/// More are not listed: bounding them would take as long as many searches.
constexpr std::size_t most_listed = std::size_t{1} << 18;
/// What a search may take in the first round. Most need less; what needs more waits until others have
/// shown how good the result can be.
struct Effort {
  std::size_t bytes;
  double enumerable;  ///< mappings that may be tried one by one
};
constexpr Effort first_round = {std::size_t{4} << 20, 1e3};

class JointSearch {
 public:
  JointSearch(const Layer& layer, std::shared_ptr<const Accelerator> accelerator,
              const JointOptions& options)
      : layer_(layer),
        accelerator_(std::move(accelerator)),
        options_(options),
        space_(layer, *accelerator_, options.mixed, options.model.zigzag_compat),
        operations_(static_cast<double>(layer.mac_count())) {}

  JointOptimum run() {
    start_with_the_best_unrolled();
    if (space_.prescribed()) {
      result_.spatial_mappings = result_.searched = starts_.size();
      reopen(starts_);
    } else {
      list();
      search_listed();
      reopen(open_);
    }
    if (!result_.certificate.found()) nothing_found();
    result_.certificate.lower_bound = std::min(lower_bound_, result_.certificate.value);
    if (result_.certificate.value <= lower_bound_ * (1 + rounding_tolerance))
      result_.certificate.lower_bound = result_.certificate.value;
    return std::move(result_);
  }

 private:
  struct Candidate {
    double bound;
    double tie;  ///< lower first among equal bounds
    SpatialSpace::Choice choice;
  };
  /// A search that has to go on.
  struct Open {
    double bound;
    SpatialUnrolling unrolling;
  };

  bool stopped() const { return options_.limits.stop(stopwatch_.seconds(), 0); }
  /// What is no smaller is of no interest.
  double cutoff() const {
    return result_.certificate.value / (1 + options_.limits.gap) * (1 - rounding_tolerance / 2);
  }
  void rule_out_below(double bound) { lower_bound_ = std::min(lower_bound_, bound); }

  MappingProblem problem_of(const SpatialUnrolling& unrolling) const {
    Layer mapped = layer_;
    mapped.mapping.spatial_mapping = unrolling;
    ConvertedSpatialMapping converted =
        convert_spatial_mapping(mapped, *accelerator_, options_.model.zigzag_compat);
    MappingProblem problem;
    problem.accelerator = accelerator_;
    problem.layer = std::make_shared<const Layer>(std::move(mapped));
    problem.fractional = std::make_shared<const SpatialMapping>(std::move(converted.fractional));
    problem.integral = std::make_shared<const SpatialMapping>(std::move(converted.integral));
    problem.options = options_.model;
    return problem;
  }

  /// Searches one spatial mapping, which costs at least `bound`, for something better than the result.
  /// Where something better may still be found, it is left in `open`.
  void search(SpatialUnrolling unrolling, double bound, const Effort& effort, std::vector<Open>& open) {
    try {
      const MappingProblem problem = problem_of(unrolling);
      SearchLimits limits = options_.limits;
      limits.seconds -= stopwatch_.seconds();
      limits.gap = 0;
      limits.bytes = std::min(limits.bytes, effort.bytes);
      const CutOffResult found =
          find_below(problem, options_.objective, cutoff(), limits, effort.enumerable);
      const std::uint64_t states = result_.certificate.states + found.best.states;
      if (found.best.value < result_.certificate.value) {
        result_.certificate = found.best;
        result_.unrolling = unrolling;
        result_.problem = problem;
      }
      result_.certificate.states = states;
      bound = std::max(bound, found.best.lower_bound);
      if (found.open)
        open.push_back({bound, std::move(unrolling)});
      else
        rule_out_below(bound);
    } catch (const NoResult& none) {
      if (!first_failure_) first_failure_ = none.what();
    }
  }

  void start_with_the_best_unrolled() {
    const SpatialCandidates first = generate_spatial_mappings(
        layer_, *accelerator_, {.mixed = options_.mixed, .zigzag_compat = options_.model.zigzag_compat});
    for (const SpatialUnrolling& unrolling : first.mappings) search(unrolling, 0, first_round, starts_);
  }

  void list() {
    const double listing_seconds = options_.limits.seconds / 2;
    while (result_.spatial_mappings < most_listed) {
      if (result_.spatial_mappings % 64 == 0 && stopwatch_.seconds() > listing_seconds) break;
      if (stopped()) break;
      std::optional<SpatialSpace::Choice> choice = space_.next();
      if (!choice) break;
      ++result_.spatial_mappings;
      if (options_.objective == Objective::latency &&
          !(bound_of(by_units(space_.units(*choice)), Objective::latency) < cutoff())) {
        pass_over(by_units(space_.units(*choice)));
        continue;
      }
      add(std::move(*choice));
    }
    if (const double units = space_.most_units(); units > 0)
      rule_out_below(bound_of(by_units(units), options_.objective));
    known_.clear();
    std::stable_sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
      return std::pair(a.bound, a.tie) < std::pair(b.bound, b.tie);
    });
  }

  void add(SpatialSpace::Choice choice) {
    try {
      const MappingProblem problem = problem_of(space_.unrolling(choice));
      const SpatialBound bound = spatial_bound(problem);
      const double value = bound_of(bound, options_.objective);
      if (!(value < cutoff())) {
        pass_over(bound);
        return;
      }
      const bool in_memory = accelerator_->array.imc.has_value();
      if (!in_memory &&
          !known_.insert(figures_key(problem, options_.objective == Objective::energy)).second) {
        ++result_.passed_over;  // the same in other words
        return;
      }
      const double tie = options_.objective == Objective::latency ? bound.energy : bound.latency;
      candidates_.push_back({value, tie, std::move(choice)});
    } catch (const NoResult& none) {
      if (!first_failure_) first_failure_ = none.what();
    }
  }

  void pass_over(const SpatialBound& bound) {
    ++result_.passed_over;
    rule_out_below(bound_of(bound, options_.objective));
  }

  /// What mappings that use so many units cost at least, before anything else is known of them.
  SpatialBound by_units(double units) const {
    SpatialBound bound;
    if (!accelerator_->array.imc) bound.energy = accelerator_->array.unit_energy * operations_;
    if (!options_.model.zigzag_compat) bound.latency = operations_ / units;
    return bound;
  }

  void search_listed() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (!(candidates_[i].bound < cutoff()) || stopped()) {
        rule_out_below(candidates_[i].bound);
        if (candidates_[i].bound >= cutoff()) result_.passed_over += candidates_.size() - i;
        return;
      }
      ++result_.searched;
      search(space_.unrolling(candidates_[i].choice), candidates_[i].bound, first_round, open_);
    }
  }

  /// The second round.
  void reopen(std::vector<Open>& open) {
    std::stable_sort(open.begin(), open.end(),
                     [](const Open& a, const Open& b) { return a.bound < b.bound; });
    std::vector<Open> still_open;
    for (Open& entry : open) {
      if (entry.bound < cutoff() && !stopped())
        search(std::move(entry.unrolling), entry.bound, {options_.limits.bytes, 1e5}, still_open);
      else
        rule_out_below(entry.bound);
    }
    for (const Open& entry : still_open) rule_out_below(entry.bound);
  }

  [[noreturn]] void nothing_found() const {
    const std::string reason = first_failure_ ? "; for the first: " + *first_failure_ : "";
    throw NoResult(
        fmt::format("layer '{}': no temporal mapping fits under any of its {} spatial mappings{}",
                    layer_.name, std::max<std::uint64_t>(1, result_.spatial_mappings), reason));
  }

  const Layer& layer_;
  std::shared_ptr<const Accelerator> accelerator_;
  const JointOptions& options_;
  SpatialSpace space_;
  double operations_;
  Stopwatch stopwatch_;
  JointOptimum result_;
  double lower_bound_ = infinity;
  std::vector<Candidate> candidates_;
  std::set<std::vector<std::int64_t>> known_;  ///< by figures_key()
  std::vector<Open> starts_, open_;
  std::optional<std::string> first_failure_;
};

}  // namespace

JointOptimum find_joint_optimum(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                                const JointOptions& options) {
  return JointSearch(layer, accelerator, options).run();
}

}  // namespace zz::core
