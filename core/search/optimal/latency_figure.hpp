#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/search/optimal/energy_against_latency.hpp"
#include "core/search/optimal/label_search.hpp"
#include "core/search/optimal/latency_costs.hpp"

namespace zz::core {

/// The goal's figure of mappings that end alike and stall for a range of cycles.
class LatencyFigure : public LabelFigure {
 public:
  LatencyFigure(const LatencyCosts& costs, std::shared_ptr<const LoadingAtEnding> loading,
                const StallRange& stalls, HidingAtPorts hiding, const Goal& goal, bool with_classes)
      : costs_(costs),
        loading_(std::move(loading)),
        stalls_(stalls),
        hiding_(std::move(hiding)),
        goal_(goal),
        with_classes_(with_classes) {}

  /// With bounds in one order.
  void exchange(const std::vector<WeighedFamilies>& sums) {
    exchange_ = std::make_shared<const EnergyAgainstLatency>(
        sums, costs_.latency_of_families(*loading_, stalls_, hiding_));
  }

  double of(const double* sums, const FirstClasses& first, const double* in_one_order) const override {
    std::array<double, LabelSearch::most_numbers> raised;
    std::copy_n(sums, raised.size(), raised.begin());
    exchange_->raise(raised.data(), in_one_order);
    const double latency = costs_.latency(*loading_, raised.data(), first, stalls_, hiding_);
    return exchange_->least(goal_, raised[0], latency, in_one_order);
  }
  double of(const double* sums, const FirstClasses& first) const override {
    if (goal_.needs_energy() && sums[0] > goal_.most_energy) return std::numeric_limits<double>::infinity();
    const double latency = costs_.latency(*loading_, sums, first, stalls_, hiding_);
    return goal_.of(goal_.needs_energy() ? sums[0] : 0, latency);
  }
  double most_first() const override {
    return goal_.needs_energy() ? goal_.most_energy : std::numeric_limits<double>::infinity();
  }
  std::uint16_t first_class(int operand, std::size_t vector) const override {
    return with_classes_ ? costs_.once().first_class(operand, vector) : std::uint16_t{0};
  }

 private:
  const LatencyCosts& costs_;
  std::shared_ptr<const LoadingAtEnding> loading_;
  StallRange stalls_;
  HidingAtPorts hiding_;
  Goal goal_;
  bool with_classes_;
  std::shared_ptr<const EnergyAgainstLatency> exchange_ = {};
};

}  // namespace zz::core
