#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::tools {

/// One layer, unrolled on one accelerator: what a search for temporal mappings starts from.
struct KernelCase {
  std::string name;  ///< "tpu_like/64x64x56x56"
  std::shared_ptr<const core::Accelerator> accelerator;
  std::shared_ptr<const core::Layer> layer;
  std::shared_ptr<const core::SpatialMapping> fractional, integral;
};

enum class Inputs {
  recorded,  ///< ZigZag's own, which lie beside the checkout (../shared/oracle/zigzag)
  shipped,   ///< the project's, configs/
};

bool recorded_inputs_exist();

/// The different 3x3 layers of ResNet-18, each in the best unrolling that the mapping file leads to, on
/// three accelerators. Throws core::InputError when a file is missing.
std::vector<KernelCase> kernel_cases(Inputs inputs);

}  // namespace zz::tools
