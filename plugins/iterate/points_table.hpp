#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plugins/iterate/sweep.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The result of one point of a hardware sweep. Figures are NaN when it is infeasible.
struct PointOutcome {
  std::vector<PointSetting> settings;
  double energy = 0;            ///< pJ
  double latency = 0;           ///< cycles
  std::vector<double> figures;  ///< by which points are compared
  bool feasible = false;
  std::string reason;  ///< why it is infeasible
};

/// All points of a sweep, in order.
struct PointsTable {
  std::string metric;  ///< by which the best was chosen: a name in evaluations
  std::vector<PointOutcome> points;
  std::optional<std::size_t> best;  ///< index of the best point

  /// A row for each point: number, settings, energy [pJ], latency [cycles], their product, the metric when
  /// it is none of these, whether it is the best, and the reason when it is infeasible.
  std::string csv() const;
  /// The same as a value: {metric, best, points: [{point, settings, ...}]}.
  Value value() const;
};

}  // namespace zz::plugins
