#pragma once
#include <memory>
#include <random>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

/// Small random layers on small random accelerators, in many mappings.
namespace zz::test {

/// One of RandomProblems::accelerator() where all operands pass the buffer below the home: weights on the
/// ports of inputs.
inline core::Accelerator with_common_buffer(core::Accelerator accelerator) {
  core::Memory& buffer = accelerator.memories.at(2);
  buffer.operands.push_back("I2");
  for (core::Port& port : buffer.ports) {
    const std::vector<core::PortAllocation> before = port.allocation;
    for (const core::PortAllocation& one : before)
      if (one.operand == "I1") port.allocation.push_back({"I2", one.direction});
  }
  return accelerator;
}

/// Draws layers and accelerators; the same ones each time.
class RandomProblems {
 public:
  core::Layer layer() {
    core::Layer result = draw(0, 1) == 0
                             ? gemm(draw(1, 40), draw(1, 40), draw(1, 40))
                             : convolution(draw(1, 12), draw(1, 12), draw(1, 9), draw(1, 3), draw(1, 2));
    result.operands[0].precision = 16;
    return result;
  }

  core::Accelerator accelerator() {
    core::Accelerator result = small_accelerator(8 << draw(1, 4), 512 << draw(0, 5), 8 << draw(0, 3));
    result.array.dimensions = {{"D1", draw(1, 7)}, {"D2", draw(1, 7)}};
    for (core::Memory& memory : result.memories) {
      for (core::Port& port : memory.ports) port.bandwidth_min = port.bandwidth_max >> draw(0, 2);
      // One port for everything, sometimes: transfers then compete.
      if (draw(0, 1) == 0) continue;
      core::Port all = memory.ports.front();
      all.allocation.clear();
      for (const core::Port& port : memory.ports) all.allocation.push_back(port.allocation.front());
      memory.ports = {all};
    }
    return result;
  }

  int draw(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

 private:
  std::mt19937 random_{20};
};

/// Some mappings of a layer: visit(layer, fractional, integral, temporal mapping).
template <class Visit>
void for_each_mapping(core::Layer layer, const std::shared_ptr<const core::Accelerator>& accelerator,
                      const Visit& visit) {
  core::SpatialCandidates candidates;
  try {
    candidates = core::generate_spatial_mappings(layer, *accelerator, {});
  } catch (const core::NoResult&) {
    return;
  }
  for (const core::SpatialUnrolling& unrolling : candidates.mappings) {
    layer.mapping.spatial_mapping = unrolling;
    const auto mapped = std::make_shared<const core::Layer>(layer);
    const core::ConvertedSpatialMapping spatial = core::convert_spatial_mapping(*mapped, *accelerator, {});
    const auto fractional = std::make_shared<const core::SpatialMapping>(spatial.fractional);
    const auto integral = std::make_shared<const core::SpatialMapping>(spatial.integral);
    core::LomaOptions options;
    options.factor_limit = 4;
    core::Loma search(mapped, accelerator, fractional, options);
    core::CompactMappings batch;
    for (search.next(batch, 64); !batch.rows.empty(); search.next(batch, 64)) {
      for (std::size_t row = 0; row < batch.rows.size(); row += 3) {
        visit(mapped, fractional, integral,
              std::make_shared<const core::TemporalMapping>(batch.mapping(row)));
      }
    }
  }
}

}  // namespace zz::test
