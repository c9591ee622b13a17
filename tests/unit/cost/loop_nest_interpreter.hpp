#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::test {

/// Elements that cross each side of each memory of one operand, over all instances: [memory level]. Each
/// scale of an input in blocks counts as one more.
struct CountedMoves {
  std::vector<std::int64_t> low;   ///< between the memory and what lies below it
  std::vector<std::int64_t> high;  ///< between the memory and what lies above it
};

/// Executes the loop nest iteration by iteration and counts what moves: the judge of the closed-form model.
/// Whenever the set of elements that an instance of a memory works on changes, the new set moves as a
/// whole. Spatial factors must be whole numbers. Only for small layers: the time is the number of
/// iterations squared.
std::vector<CountedMoves> interpret_loop_nest(const core::Layer& layer, const core::SpatialMapping& spatial,
                                              const core::TemporalMapping& temporal);

}  // namespace zz::test
