#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/search/optimal/detail/label_store.hpp"
#include "core/search/optimal/detail/lagrangian_bound.hpp"
#include "core/search/optimal/detail/latency_costs.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {

/// The goal's value of mappings with one final residency that stall for at most so many cycles.
class LatencyObjective : public LabelObjective {
 public:
  LatencyObjective(const LatencyCosts& costs, std::shared_ptr<const ResidencyLoading> loading,
                   double most_stalls, const Goal& goal, bool with_classes)
      : costs_(costs),
        loading_(std::move(loading)),
        most_stalls_(most_stalls),
        goal_(goal),
        with_classes_(with_classes) {}

  /// Sharpens bounds by JointCostToGo of these sums.
  void use_lagrangian(const std::vector<WeightedSum>& sums) {
    lagrangian_ =
        std::make_shared<const LagrangianBound>(sums, costs_.latency_components(*loading_, most_stalls_));
  }

  double of(const double* sums, const FillClasses& fill, const double* joint) const override {
    std::array<double, max_label_numbers> raised;
    std::copy_n(sums, raised.size(), raised.begin());
    lagrangian_->raise(raised.data(), joint);
    const double latency = costs_.latency(*loading_, raised.data(), fill, most_stalls_);
    return lagrangian_->least(goal_, raised[0], latency, joint);
  }
  double of(const double* sums, const FillClasses& fill) const override {
    if (goal_.needs_energy() && sums[0] > goal_.bound_of_energy()) return infinite;
    const double latency = costs_.latency(*loading_, sums, fill, most_stalls_);
    return goal_.of(goal_.needs_energy() ? sums[0] : 0, latency);
  }
  double first_limit() const override { return goal_.needs_energy() ? goal_.bound_of_energy() : infinite; }
  std::uint16_t fill_class(int operand, std::size_t multiset) const override {
    return with_classes_ ? costs_.once().fill_class(operand, multiset) : std::uint16_t{0};
  }

 private:
  const LatencyCosts& costs_;
  std::shared_ptr<const ResidencyLoading> loading_;
  double most_stalls_;
  Goal goal_;
  bool with_classes_;
  std::shared_ptr<const LagrangianBound> lagrangian_ = {};
};

}  // namespace zz::core
