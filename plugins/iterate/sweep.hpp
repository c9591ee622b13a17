#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plugins/internal/accelerator_fields.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Nested loops over lists of values: one loop for each entry of a map, the first one slowest. An entry
/// is {name: [value, ...]}, or {"name, name": [[value, value], ...]} for names that vary together.
class Sweep {
 public:
  Sweep() = default;
  /// Throws Error(ZZ_E_INVALID) naming the setting that the map comes from and all that is wrong with it.
  Sweep(const Value& map, const std::string& setting);

  uint32_t size() const { return size_; }
  /// Every name, in the order of the loops.
  std::vector<std::string> names() const;
  /// Every name with each of its values.
  std::vector<PointSetting> settings() const;
  std::vector<PointSetting> point(uint32_t number) const;

 private:
  struct Axis {
    std::vector<std::string> names;
    std::vector<std::vector<Value>> steps;  ///< of each step a value for each name
  };
  std::vector<Axis> axes_;
  uint32_t size_ = 0;
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
