#pragma once
#include <memory>

#include "core/cost/cost_model.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "core/search/temporal/loop_allocator.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/evaluations.hpp"

/// A mapping whose latency is worked out by hand: a matrix product of 4 by 6 by 8 on four units below a
/// buffer with a port for each direction and a narrow memory. 179 cycles.
namespace zz::test {

inline core::Accelerator narrow_dram() {
  using enum core::Direction;
  core::Memory buffer = one_port_memory("buffer", 512, {"I1", "I2", "O"}, {"D1"}, 64, 64);
  const std::vector<core::PortAllocation> reads = {
      {"I1", read_to_low}, {"I2", read_to_low}, {"O", read_to_low}, {"O", read_to_high}};
  const std::vector<core::PortAllocation> writes = {
      {"I1", write_from_high}, {"I2", write_from_high}, {"O", write_from_high}, {"O", write_from_low}};
  buffer.ports = {{"r_port_1", core::PortType::read, 64, 64, reads},
                  {"w_port_1", core::PortType::write, 64, 64, writes}};
  return accelerator_with("hand", {4},
                          {buffer, one_port_memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"}, 8, 8)});
}

/// K on the array, B and C in time.
inline core::Layer product_by_hand() {
  core::Layer product = *layer();
  product.name = "product";
  product.loops = {{"B", 4}, {"K", 6}, {"C", 8}};
  product.mapping.spatial_mapping = {{{"D1", {{"K", 4}}}}};
  return product;
}

/// With loops in the given order, innermost first, shared out as LOMA does.
inline core::Evaluation evaluated(const core::Accelerator& given, const core::Layer& product,
                                  const std::vector<core::TemporalLoop>& order,
                                  const core::CostModelOptions& options = {}) {
  const auto on = std::make_shared<const core::Accelerator>(given);
  const auto layer = std::make_shared<const core::Layer>(product);
  const core::ConvertedSpatialMapping spatial =
      core::convert_spatial_mapping(product, given, options.rules);
  const auto mapping = std::make_shared<const core::TemporalMapping>(core::allocate_loop_order(
      product, given, spatial.fractional, order, core::MappingType::uneven, options.rules));
  return core::CostModel(on, layer, std::make_shared<const core::SpatialMapping>(spatial.fractional),
                         std::make_shared<const core::SpatialMapping>(spatial.integral), options)
      .evaluate(mapping);
}

inline const std::vector<core::TemporalLoop> order_by_hand = {{"B", 2}, {"B", 2}, {"K", 2},
                                                              {"C", 2}, {"C", 2}, {"C", 2}};

}  // namespace zz::test
