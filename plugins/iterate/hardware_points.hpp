#pragma once
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

}  // namespace zz::plugins
