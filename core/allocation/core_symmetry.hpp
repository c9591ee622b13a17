#pragma once
#include <vector>

#include "core/schedule/schedule_problem.hpp"

namespace zz::core {

/// The ways to exchange cores that change nothing: candidates, costs, memories, routes and the links on
/// them stay what they are. Cores that look alike need not be exchangeable: in a mesh only its symmetries
/// are.
class CoreSymmetry {
 public:
  /// Every core is unlike every other one.
  CoreSymmetry() = default;
  explicit CoreSymmetry(const ScheduleProblem& problem);

  /// Images of every core, one row for each exchange; without the identity. Of very symmetric accelerators
  /// only exchanges within `classes` are used, and this is empty.
  const std::vector<std::vector<int>>& exchanges() const { return exchanges_; }
  /// Cores any two of which may be exchanged while all others stay, in ascending order.
  const std::vector<std::vector<int>>& classes() const { return classes_; }

  /// The smallest genome among those that are the same but for an exchange.
  std::vector<int> canonical(const std::vector<int>& cores) const;
  /// The image of `cores` that agrees with `with` in most genes.
  std::vector<int> nearest(const std::vector<int>& cores, const std::vector<int>& with) const;

 private:
  std::vector<std::vector<int>> exchanges_;
  std::vector<std::vector<int>> classes_;
  std::vector<int> class_of_;  ///< [core], -1: none
};

}  // namespace zz::core
