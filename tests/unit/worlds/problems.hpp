#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"

/// Layers unrolled on arrays.
namespace zz::test {

using Unrolling = std::vector<core::ArrayUnrolling>;
using Level = std::vector<core::UnrolledLoop>;
using LevelsOfOperand = std::vector<Level>;

struct UnrolledProblem {
  std::string name;
  std::shared_ptr<const core::Layer> layer;
  std::shared_ptr<const core::Accelerator> accelerator;
  std::shared_ptr<const core::SpatialMapping> fractional, integral;
};

/// Whole and fractional unrollings, each with a shared buffer that holds little, some, or everything.
std::vector<UnrolledProblem> unrolled_problems();

}  // namespace zz::test
