#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/exploration/design_space.hpp"

namespace zz::core {

/// The designs of a space from one corner to another: of each axis the steps from `lower` to `upper`, both
/// included.
struct DesignBox {
  DesignSpace::Steps lower, upper;

  bool single() const { return lower == upper; }
  std::uint64_t size() const;
  /// Its lower and its upper half. The box has several steps of the axis.
  std::array<DesignBox, 2> halves(std::size_t axis) const;
};

/// The same designs in more boxes, enough for many programs.
std::vector<DesignBox> cut_for_sharing(std::vector<DesignBox> boxes);

}  // namespace zz::core
