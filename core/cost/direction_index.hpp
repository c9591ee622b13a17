#pragma once
#include "core/hardware/accelerator.hpp"

/// Directions as indices of arrays with direction_count elements.
namespace zz::core {

inline constexpr int read_to_low = static_cast<int>(Direction::read_to_low);
inline constexpr int write_from_low = static_cast<int>(Direction::write_from_low);
inline constexpr int read_to_high = static_cast<int>(Direction::read_to_high);
inline constexpr int write_from_high = static_cast<int>(Direction::write_from_high);

}  // namespace zz::core
