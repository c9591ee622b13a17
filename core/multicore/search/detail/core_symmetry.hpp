#pragma once
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"

namespace zz::core {

/// The permutations of cores that change nothing: candidates, costs, memories, routes and the links on them
/// stay the same (automorphisms). Equal cores need not be exchangeable: a mesh allows its symmetries only.
class CoreSymmetry {
 public:
  /// No two cores are exchangeable.
  CoreSymmetry() = default;
  explicit CoreSymmetry(const ScheduleProblem& problem);

  /// Images of every core, one row for each exchange; without the identity. Of very symmetric accelerators
  /// only exchanges within `classes` are used, and this is empty.
  const std::vector<std::vector<int>>& exchanges() const { return exchanges_; }
  /// Cores any two of which may be exchanged while all others stay, in ascending order.
  const std::vector<std::vector<int>>& classes() const { return classes_; }

  /// The smallest genome among those that are the same but for an exchange.
  std::vector<int> canonical(const std::vector<int>& cores) const;

 private:
  std::vector<std::vector<int>> exchanges_;
  std::vector<std::vector<int>> classes_;
  std::vector<int> class_of_;  ///< [core], -1: none
};

}  // namespace zz::core
