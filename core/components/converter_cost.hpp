#pragma once
#include "core/components/component_cost.hpp"

namespace zz::core::components {

/// An analogue-to-digital converter: energy of a conversion and area, by forms fitted to published chips of
/// forty years (B. Murmann's survey). They say what is typical: half of the chips are within a factor of 3.
struct ConverterQuestion {
  double bits = 8;    ///< effective ones, 2 to 18
  double rate = 1e8;  ///< samples a second, 1e3 to 1e11
  double node = 22;   ///< nm
};

/// Leakage and access time are not known. Throws InputError for what is out of range. [any thread]
ComponentCost converter_cost(const ConverterQuestion& question);

}  // namespace zz::core::components
