#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/mapping/spatial_mapping.hpp"
#include "tests/unit/cost/small_problems.hpp"

namespace zz::test {

/// An array of the given sizes, D1 first, with a register per unit for weights and outputs, and a memory
/// for all units that is wide enough for each of them.
inline core::Accelerator array_of(const std::vector<std::int64_t>& sizes) {
  core::Accelerator accelerator;
  accelerator.name = "array";
  accelerator.array.unit_energy = 1;
  std::vector<std::string> all;
  for (const std::int64_t size : sizes) {
    all.push_back("D" + std::to_string(all.size() + 1));
    accelerator.array.dimensions.push_back({all.back(), size});
  }
  accelerator.memories = {memory("weight_register", 64, {"I2"}, {}, 64),
                          memory("output_register", 64, {"O"}, {}, 64),
                          memory("memory", 1 << 30, {"I1", "I2", "O"}, all, 1 << 20)};
  return accelerator;
}

using Unrolling = std::vector<core::ArrayUnrolling>;
using Level = std::vector<core::UnrolledLoop>;
using LevelsOfOperand = std::vector<Level>;

}  // namespace zz::test
