#pragma once
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

struct ConvertedSpatialMapping {
  SpatialMapping fractional;  ///< for energy, utilisation and allocation
  /// Whole numbers: the units of the fullest round, rounded up. With Rules::data_in_whole_units, by which
  /// ZigZag's latency counts, cut.
  SpatialMapping integral;
  std::vector<std::string> warnings;
};

/// Distributes layer.mapping.spatial_mapping over the memory levels of each operand. A factor that does
/// not divide its loop is spread over the rounds that the loop then takes: 7 on 4 units is 3.5 twice.
///
/// Throws InputError when a factor, or the product over several array dimensions, exceeds its loop.
ConvertedSpatialMapping convert_spatial_mapping(const Layer& layer, const Accelerator& accelerator,
                                                const Rules& rules);

}  // namespace zz::core
