#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/input/yaml/form.hpp"

namespace zz::core {

/// An axis of a space: names of fields or settings that vary together, and the steps that they take. A step
/// has a value for each name.
struct DesignAxis {
  std::vector<std::string> names;
  std::vector<std::vector<nlohmann::json>> steps;
};

/// The points of a space, by number: the product of its axes, of which the first is the slowest loop. [any]
///
/// It is written as a map {name: steps}, or {"name, name": steps} for names that vary together. Steps are a
/// list of values (of lists of values, one for each name), or a range of numbers:
/// {from: 8, to: 64, step: 8} or {from: 8, to: 64, factor: 2}, both ends included where they are met.
class DesignSpace {
 public:
  using Steps = std::vector<std::uint32_t>;  ///< of each axis the number of its step

  DesignSpace() = default;
  /// `setting` is named in messages. Throws InputError with all that is wrong.
  DesignSpace(const nlohmann::ordered_json& axes, const std::string& setting);

  const std::vector<DesignAxis>& axes() const { return axes_; }
  std::uint64_t size() const { return size_; }
  /// Every name, in the order of the axes.
  std::vector<std::string> names() const;

  Steps steps_of(std::uint64_t number) const;
  std::uint64_t number_of(const Steps& steps) const;
  /// The values of a point, in the order of names().
  std::vector<nlohmann::json> values(std::uint64_t number) const;

 private:
  std::vector<DesignAxis> axes_;
  std::uint64_t size_ = 0;
};

/// Number of points of a box: those from the lower to the upper corner, both included.
std::uint64_t points_between(const DesignSpace::Steps& lower, const DesignSpace::Steps& upper);

/// The form of the axes.
yaml::Form axes_form();

}  // namespace zz::core
