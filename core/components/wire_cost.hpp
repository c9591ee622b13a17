#pragma once
#include "core/components/component_cost.hpp"

namespace zz::core::components {

/// One bit moved over a wire on the chip, `length` in mm. Only its energy is known. Throws InputError for a
/// node or a length (0 to 100 mm) out of range. [any thread]
ComponentCost wire_cost(double length, double node);

}  // namespace zz::core::components
