#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugins/explore/point_settings.hpp"

namespace zz::plugins {

/// The figures of one variant of an accelerator, or the reason for none.
struct HardwareOutcome {
  std::vector<PointSetting> settings;  ///< linked fields after those that vary; as far as they have values
  std::vector<double> figures;         ///< by which points are compared; none: it is infeasible
  double energy = 0;                   ///< pJ; not a number where the evaluation has none
  double latency = 0;                  ///< cycles, likewise
  std::string reason;                  ///< why it is infeasible

  bool feasible() const { return !figures.empty(); }
};

/// The variants in order, as HardwareOptimizerStage writes them.
struct HardwareTable {
  std::string metric;  ///< by which the best was chosen: a name in evaluations
  std::vector<HardwareOutcome> points;
  std::optional<std::size_t> best;  ///< index of the best point

  /// A row for each point: number, settings, energy [pJ], latency [cycles], their product, the metric when
  /// it is none of these, whether it is the best, and the reason when it is infeasible.
  std::string csv() const;
  /// The same as a value: {metric, best, points: [{point, settings, ...}]}.
  Value value() const;

 private:
  /// The figures of a row by their names; null where it is infeasible.
  std::vector<std::pair<std::string, Value>> figures_of(const HardwareOutcome& point) const;
};

}  // namespace zz::plugins
