#include "core/search/optimal/detail/exhaustive.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace zz::core {
namespace {

class Enumeration {
 public:
  Enumeration(const SearchProblem& problem, const Goal& goal, Certificate& best)
      : problem_(problem), goal_(goal), best_(best), used_(problem.fit.groups().size(), 0) {}

  void search() {
    extend(0, {}, problem_.space.irrelevant_above(0, 0));
    best_.second_bound = second_;
  }

 private:
  using Closed = ClosedBoundaries;

  void extend(std::size_t multiset, const Closed& closed, bool partial) {
    const ExponentLattice& lattice = problem_.space.lattice();
    if (multiset == lattice.full()) {
      end(closed, partial);
      return;
    }
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
      if (!problem_.space.may_follow(multiset, kind)) continue;
      mapping_.dimension[mapping_.loops] = static_cast<std::uint8_t>(lattice.kinds()[kind].dimension);
      mapping_.size[mapping_.loops] = lattice.kinds()[kind].size;
      for_each_closings(problem_.space, problem_.fit, closed, kind, [&](const Closings& closings) {
        close(0, kind, multiset, closings, closed, partial);
      });
    }
  }

  /// Tries every way in which operands from `operand` on may close boundaries before a loop of this kind.
  void close(int operand, std::size_t kind, std::size_t multiset, const Closings& closings, Closed closed,
             bool partial) {
    if (operand >= max_operands || operand == problem_.space.operands()) {
      ++mapping_.loops;
      extend(multiset + problem_.space.lattice().stride(kind), closed, partial);
      --mapping_.loops;
      return;
    }
    const int level = closed[operand];
    if (level >= closings.least[operand]) close(operand + 1, kind, multiset, closings, closed, partial);
    if (level >= closings.most[operand]) return;
    const double bits = problem_.fit.bits(operand, level, multiset, operand == 0 && partial);
    if (!take(operand, level, bits)) return;
    mapping_.stationary[operand][level] = static_cast<std::uint8_t>(mapping_.loops);
    ++closed[operand];
    // The same operand may close further boundaries here.
    close(operand, kind, multiset, closings, closed,
          operand == 0 ? problem_.space.irrelevant_above(0, multiset) : partial);
    give_back(operand, level, bits);
  }

  bool take(int operand, int level, double bits) {
    if (bits > problem_.fit.capacity(operand, level)) return false;
    const int group = problem_.fit.group(operand, level);
    if (group < 0) return true;
    if (used_[group] + bits > problem_.fit.groups()[group].capacity) return false;
    used_[group] += bits;
    return true;
  }
  void give_back(int operand, int level, double bits) {
    if (const int group = problem_.fit.group(operand, level); group >= 0) used_[group] -= bits;
  }

  void end(const Closed& closed, bool partial) {
    const std::size_t full = problem_.space.lattice().full();
    const std::vector<double> used = used_;
    bool fits = true;
    for (int operand = 0; operand < problem_.space.operands() && fits; ++operand) {
      for (int level = closed[operand]; level < problem_.fit.levels(operand) && fits; ++level) {
        const bool first = operand == 0 && partial && level == closed[operand];
        fits = take(operand, level, problem_.fit.bits(operand, level, full, first));
        mapping_.stationary[operand][level] = static_cast<std::uint8_t>(mapping_.loops);
      }
    }
    used_ = used;
    if (!fits) return;
    ++best_.states;
    const Score score = problem_.model.score(mapping_);
    if (std::isnan(score.energy_total)) return;
    const double value = goal_.value(score.energy_total, score.latency_total2);
    if (value == infinite) return;
    const double second = goal_.objective == Objective::energy ? score.latency_total2 : score.energy_total;
    const bool better = value < best_.value * (1 - rounding_tolerance);
    const bool as_good = value <= best_.value * (1 + rounding_tolerance);
    if (!better && !(as_good && second < second_)) return;
    if (better) best_.value = value;
    second_ = second;
    best_.mapping = mapping_;
    best_.mapping.allocated = mapping_.stationary;
  }

  const SearchProblem& problem_;
  const Goal& goal_;
  Certificate& best_;
  CompactMapping mapping_;
  std::vector<double> used_;  ///< bits, by MemoryFit::groups
  double second_ = infinite;
};

}  // namespace

double count_mappings(const SearchProblem& problem) {
  double count = 1;
  int loops = 0;
  for (const LoopKind& kind : problem.space.lattice().kinds()) {
    for (int i = 1; i <= kind.count; ++i) count *= static_cast<double>(++loops) / i;
  }
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    for (int boundary = 1; boundary < problem.fit.levels(operand); ++boundary)
      count *= static_cast<double>(loops + boundary) / boundary;
  }
  return count;
}

void search_exhaustively(const SearchProblem& problem, const Goal& goal, Certificate& best) {
  Enumeration(problem, goal, best).search();
}

}  // namespace zz::core
