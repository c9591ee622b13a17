#pragma once
#include <vector>

#include "core/allocation/core_symmetry.hpp"
#include "core/allocation/search_space.hpp"
#include "core/schedule/scheduler.hpp"
#include "core/search/random_numbers.hpp"

namespace zz::core {

/// Random points of a search space and steps between them. All of them respect the domains, whatever the
/// number of genes.
class ChoiceMoves {
 public:
  ChoiceMoves(const SearchSpace& space, RandomNumbers& random) : space_(space), random_(random) {}

  std::vector<int> random_cores();
  /// Allocations that are good guesses, the best as a rule first: each gene in turn to the core with the
  /// least constants; one by one and two by two over the cores; contiguous pieces of equal work; the
  /// longest first to the least loaded; everything on one core.
  std::vector<std::vector<int>> sensible_cores() const;

  /// Changes one or two genes: to another core, to the core of the gene beside it, or against each other.
  void change_cores(std::vector<int>& cores);
  /// Genes of `other` in place of a piece of `cores`.
  void cross(std::vector<int>& cores, const std::vector<int>& other);
  /// Changes dispatch rule, weight or back-filling, not the order of the layers.
  void change_dispatch(ScheduleChoice& choice);
  /// Changes offset or slope of a layer, or exchanges those of two; `reach` is how far, in layers.
  void change_order(ScheduleChoice& choice, double reach);

 private:
  void change_one(std::vector<int>& cores);

  const SearchSpace& space_;
  RandomNumbers& random_;
};

/// Orders that are good guesses: the deepest layer first, layer after layer, and slanted between them; each
/// with every dispatch rule.
std::vector<ScheduleChoice> sensible_orders(const SearchSpace& space);

}  // namespace zz::core
