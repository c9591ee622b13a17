#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/exploration/design_space.hpp"
#include "plugins/internal/accelerator_fields.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The points of a core::DesignSpace that a setting has, with values of the host.
class Sweep {
 public:
  Sweep() = default;
  /// Throws Error(ZZ_E_INVALID) naming the setting that the map comes from and all that is wrong with it.
  Sweep(const Value& map, const std::string& setting);

  uint32_t size() const { return static_cast<uint32_t>(space_.size()); }
  /// Every name, in the order of the loops.
  std::vector<std::string> names() const { return space_.names(); }
  /// Every name with each of its values.
  std::vector<PointSetting> settings() const;
  std::vector<PointSetting> point(uint32_t number) const;

 private:
  core::DesignSpace space_;
  std::vector<std::vector<std::vector<PointSetting>>> steps_;  ///< by axis and step
};

/// "loma_lpf_limit = 3, accelerator.memories[l1].size = 65536": for messages.
std::string to_string(const std::vector<PointSetting>& settings);
/// The settings as [[name, value], ...], and as {name: value}.
Value as_list(const std::vector<PointSetting>& settings);
Value as_map(const std::vector<PointSetting>& settings);

/// True when a failure of the chain below a point says something about that point only.
inline bool concerns_point(const Error& failure) {
  return failure.code == ZZ_E_NO_RESULT || failure.code == ZZ_E_INVALID;
}

}  // namespace zz::plugins
