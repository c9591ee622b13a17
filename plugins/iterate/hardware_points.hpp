#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugins/iterate/sweep.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// A field of the accelerator that follows from others by an expression.
struct LinkedField {
  std::string path;
  std::string expression;
};

/// The accelerators of a sweep over fields of one accelerator. Paths are those of the accelerator file
/// ("memories.l1.size", "operational_array.sizes[D1]") or of the object ("memories[l1].size",
/// "operational_array.dimensions[D1].size"), with or without "accelerator." in front.
class HardwarePoints {
 public:
  /// Tries every path and expression on `accelerator` as it is. Throws Error(ZZ_E_INVALID) with the
  /// nearest name when one leads nowhere.
  HardwarePoints(Value accelerator, const Sweep& sweep, const std::vector<LinkedField>& linked);

  /// The settings of a point, linked fields after the swept ones. Throws Error(ZZ_E_INVALID) when an
  /// expression has no value there. [any]
  std::vector<PointSetting> settings(uint32_t number) const;
  /// The accelerator with these settings. Throws Error(ZZ_E_INVALID) when no accelerator can have them.
  /// [any]
  Value accelerator(const std::vector<PointSetting>& settings) const;

 private:
  Value accelerator_;
  const Sweep& sweep_;
  const std::vector<LinkedField>& linked_;
};

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
