#pragma once
#include "core/input/yaml/form.hpp"

/// Forms that several files have.
namespace zz::core {

inline const std::string array_dimension_pattern = "^D[0-9]$";
inline const std::string loop_pattern = "^[A-Z]+[0-9]*$";

/// `spatial_mapping`, `dataflows`: {D1: ["K, 16"]}.
yaml::Form unrolling_form();
/// Bits by operand.
yaml::Form precisions_form();
/// A cost in pJ or an area, or "auto": one to fill.
yaml::Form cost_form();
/// The keys `clock` and `clock_period`, which are never both there.
std::vector<yaml::Key> clock_keys();

}  // namespace zz::core
