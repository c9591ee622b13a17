#include "core/optimum/free_cut_latency.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <queue>
#include <vector>

#include "core/optimum/free_cut_energy.hpp"
#include "core/optimum/label_search.hpp"
#include "core/optimum/latency_costs.hpp"

namespace zz::core {
namespace {

/// A search among mappings that end alike and stall for a range of cycles.
struct PartSearch {
  PartSearch(const SearchProblem& problem, LinkCosts given, std::shared_ptr<const RemainingCost> known,
             Combination combination, const SingleBufferCost* single_buffer)
      : costs(std::move(given)),
        remaining(known ? std::move(known)
                        : std::make_shared<const RemainingCost>(problem.space, problem.fit, costs)),
        labels(problem.space, problem.fit, costs, *remaining, combination, single_buffer) {}

  LinkCosts costs;
  std::shared_ptr<const RemainingCost> remaining;  ///< the same for all parts with one ending
  LabelSearch labels;
  double least_figure = std::numeric_limits<double>::infinity();  ///< of the mappings found
  int mappings = 0;
};

struct Part {
  Ending ending;
  StallRange stalls;
  double bound;
  std::shared_ptr<const RemainingCost> remaining;  ///< once known
  std::shared_ptr<PartSearch> search;              ///< once begun
  bool operator<(const Part& other) const { return bound > other.bound; }
};

class LatencySearch {
 public:
  LatencySearch(const SearchProblem& problem, Objective objective, const Certificate& incumbent,
                double least_energy, const SearchLimits& limits)
      : problem_(problem),
        edp_(objective == Objective::edp),
        objective_(objective),
        least_energy_(least_energy),
        limits_(limits),
        best_(incumbent),
        loads_(problem) {
    if (edp_) energy_ = energy_costs(problem);
    costs_ = std::make_unique<LatencyCosts>(problem, loads_, edp_ ? &energy_ : nullptr);
  }

  Certificate run() {
    list_endings();
    while (!parts_.empty()) {
      Part part = parts_.top();
      if (!(part.bound < limit()) || limits_.stop(stopwatch_.seconds(), bytes_)) break;
      parts_.pop();
      if (part.search)
        advance(part);
      else
        begin(part);
    }
    double bound = std::min(residual_, best_.value);
    if (!parts_.empty()) bound = std::min(bound, parts_.top().bound);
    best_.lower_bound = bound;
    if (best_.value <= bound * (1 + rounding_tolerance)) best_.lower_bound = best_.value;
    return best_;
  }

 private:
  /// Figures from here on need no look.
  double limit() const { return best_.value / (1 + limits_.gap) * (1 - rounding_tolerance); }
  double figure(double latency) const { return edp_ ? latency * least_energy_ : latency; }
  double longest() const { return edp_ ? best_.value / least_energy_ : best_.value; }

  void list_endings() {
    const int operands = problem_.space.operands();
    Ending ending{};
    for (;;) {
      push({ending, {0, longest() - loads_.computation}, 0, nullptr, nullptr});
      int operand = 0;
      while (operand < operands && ++ending[operand] == problem_.tables.operands[operand].levels)
        ending[operand++] = 0;
      if (operand == operands) break;
    }
  }

  void push(Part part) {
    if (part.stalls.most < part.stalls.least) return;
    for (int operand = 0; operand < problem_.space.operands(); ++operand) {
      for (int level = part.ending[operand]; level < problem_.tables.operands[operand].levels; ++level) {
        if (!problem_.fit.fits(operand, level, problem_.space.lattice().full(), false)) return;
      }
    }
    // The longer the stalls, the less loading counts, which in turn limits the stalls.
    double loading = 0;
    for (int round = 0; round < 8; ++round) {
      loading = costs_->least_loading(part.ending, part.stalls);
      const double rest = longest() - loads_.computation - loading;
      if (rest < part.stalls.least) return;
      if (!(rest < part.stalls.most - 0.5)) break;
      part.stalls.most = rest;
    }
    part.bound = std::max(part.bound, figure(loads_.computation + part.stalls.least + loading));
    if (part.bound < limit()) parts_.push(part);
  }

  void begin(Part& part) {
    part.search = std::make_shared<PartSearch>(
        problem_, costs_->costs(part.ending, part.stalls), part.remaining,
        edp_ ? Combination::first_by_rest : Combination::largest, costs_->single_buffer());
    part.remaining = part.search->remaining;
    part.bound = std::max(part.bound, part.search->labels.bound());
    if (!(part.bound < limit())) return;
    bytes_ += part.search->labels.memory_bytes();
    parts_.push(part);
  }

  /// A little further: parts take turns, so that the least of their bounds rises.
  void advance(Part& part) {
    constexpr std::size_t labels_at_once = 512;
    constexpr int most_mappings = 64;
    PartSearch& search = *part.search;
    const std::size_t visited = search.labels.visited();
    const std::size_t bytes = search.labels.memory_bytes();
    const LabelSearch::Step step = search.labels.advance(labels_at_once, limit());
    best_.states += search.labels.visited() - visited;
    if (step == LabelSearch::Step::paused) {
      bytes_ += search.labels.memory_bytes() - bytes;
      part.bound = std::max(part.bound, std::min(search.labels.bound(), search.least_figure));
      parts_.push(part);
      return;
    }
    bytes_ -= bytes;
    if (step == LabelSearch::Step::complete) {
      const double figure = search.labels.result_figure();
      search.least_figure = std::min(search.least_figure, figure);
      const Score score = problem_.model.score(search.labels.result());
      const double value = problem_.value(search.labels.result(), objective_);
      if (value < best_.value) {
        best_.value = value;
        best_.mapping = search.labels.result();
      }
      const bool attained = value <= figure * (1 + rounding_tolerance);
      if (!attained && split(part, score.latency_total0 - loads_.computation)) return;
      if (!attained && ++search.mappings < most_mappings) {
        bytes_ += search.labels.memory_bytes();
        part.bound = std::max(part.bound, search.least_figure);
        parts_.push(part);
        return;
      }
    }
    // What undercuts others in its bound may hide one that is better in fact.
    if (search.least_figure < best_.value * (1 - rounding_tolerance))
      residual_ = std::min(residual_, search.least_figure);
  }

  /// Splits a part by how long mappings stall, if that makes the bound of the mapping found tighter.
  bool split(const Part& part, double stalls) {
    const double least = part.stalls.least;
    const double most = part.stalls.most;
    if (most - least < 1) return false;
    const LabelSearch& labels = part.search->labels;
    const double bound = labels.result_figure();
    const double own = std::clamp(stalls, least, most);
    const double tight = labels.result_figure(costs_->costs(part.ending, {own, own}));
    if (!(tight > bound * (1 + rounding_tolerance))) return false;
    double middle = std::floor((least + most) / 2);
    if (stalls >= least && stalls < middle) middle = stalls;
    push({part.ending, {least, middle}, bound, part.remaining, nullptr});
    push({part.ending, {middle + 1, most}, bound, part.remaining, nullptr});
    return true;
  }

  const SearchProblem& problem_;
  bool edp_;
  Objective objective_;
  double least_energy_;
  SearchLimits limits_;
  Stopwatch stopwatch_;
  Certificate best_;
  PortLoads loads_;
  LinkCosts energy_;
  std::unique_ptr<LatencyCosts> costs_;
  std::priority_queue<Part> parts_;
  double residual_ = std::numeric_limits<double>::infinity();
  std::size_t bytes_ = 0;
};

}  // namespace

Certificate find_least_latency(const SearchProblem& problem, Objective objective,
                               const Certificate& incumbent, double least_energy,
                               const SearchLimits& limits) {
  return LatencySearch(problem, objective, incumbent, least_energy, limits).run();
}

}  // namespace zz::core
