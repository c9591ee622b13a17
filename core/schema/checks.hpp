#pragma once
#include <cstdint>
#include <string>

#include "core/value/edit.hpp"

/// Checks of single fields. They throw ValueError; `place` names the field in the message.
namespace zz::core {

inline void require_positive(std::int64_t value, const std::string& place) {
  if (value <= 0)
    throw ValueError(ValueError::Problem::invalid,
                     place + ": must be positive, is " + std::to_string(value));
}

inline void require_not_negative(double value, const std::string& place, const std::string& shown) {
  if (!(value >= 0))
    throw ValueError(ValueError::Problem::invalid, place + ": must not be negative, is " + shown);
}

}  // namespace zz::core
