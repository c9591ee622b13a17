#include "core/hardware/imc/imc_layer_energy.hpp"

#include <cmath>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/hardware/imc/imc_array.hpp"
#include "core/hardware/imc/technology.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {
namespace {

using Loops = std::vector<SpatialLoop>;

const Loops& loops_along(const Layer& layer, const ArrayDimension& dimension) {
  static const Loops none;
  const ArrayUnrolling* unrolling = layer.mapping.spatial_mapping.find(dimension.name);
  return unrolling != nullptr ? unrolling->loops : none;
}

double product(const Loops& loops) {
  double product = 1;
  for (const SpatialLoop& loop : loops) product *= static_cast<double>(loop.factor);
  return product;
}

/// Rows that the loops along the bitline take. Where a column computes another output position than its
/// neighbour with the same weights, the weights lie shifted along the diagonal, and a row stands for each
/// input position that the window passes.
double rows_of(const Layer& layer, const Loops& columns, const Loops& rows, int weight_operand) {
  double count = 1;
  for (const SpatialLoop& row : rows) {
    double along = static_cast<double>(row.factor);
    for (const SpatialLoop& column : columns) {
      const int dimension = layer.loop_index(column.dimension);
      const int relation = layer.relation_of_loop(column.dimension);
      if (dimension < 0 || relation < 0 || column.factor == 1 || row.factor == 1 ||
          layer.relevancy(weight_operand, dimension) != Relevancy::irrelevant) {
        continue;
      }
      const DimensionRelation& window = layer.relations[static_cast<std::size_t>(relation)];
      if (window.output_loop != column.dimension || window.filter_loop != row.dimension) continue;
      along = static_cast<double>(
          distinct_positions(window.stride, column.factor, window.dilation, row.factor, false));
    }
    count *= along;
  }
  return count;
}

}  // namespace

ImcLayerEnergy::ImcLayerEnergy(const Accelerator& accelerator, const Layer& layer) {
  using namespace technology;
  const ImcArray array(accelerator);
  const ImcDimensions dimensions = imc_dimensions(accelerator.array);
  weight_operand = layer.operand_assigned_to("I2");
  if (weight_operand < 0) {
    throw InputError(
        fmt::format("layer '{}': no operand is assigned to I2, which is what the cells of '{}' hold",
                    layer.name, accelerator.name));
  }
  const Loops& along_wordline = loops_along(layer, *dimensions.wordline);
  const Loops& along_bitline = loops_along(layer, *dimensions.bitline);
  const double columns = product(along_wordline);
  const double rows = rows_of(layer, along_wordline, along_bitline, weight_operand);
  if (rows > array.bitlines) {
    throw NoResult(fmt::format(
        "layer '{}': with weights shifted from column to column this unrolling needs {} rows; the array of "
        "'{}' has {}",
        layer.name, rows, accelerator.name, array.bitlines));
  }
  const auto operations = static_cast<double>(layer.mac_count());
  const double activations = operations / (columns * product(along_bitline));
  const double passes = array.cycles_per_operation() * activations;

  if (array.analog) {
    every_cycle.dacs = dac_energy(array.serial_bits) * rows * passes;
    every_cycle.adcs = adc_energy(array.adc_bits) * array.weight_bits * columns * passes;
    every_cycle.mults = multiplier::energy * array.weight_bits * array.wordlines * rows * passes;
    every_cycle.analog_bl_addition =
        bitline_capacitance * supply_squared * array.weight_bits * columns * array.bitlines * passes;
  } else {
    every_cycle.mults = multiplier::energy * array.serial_bits * array.weight_bits * array.wordlines *
                        array.bitlines * passes;
    every_cycle.adders_regular =
        array.tree().energy(static_cast<std::int64_t>(rows)) * array.serial_bits * columns * passes;
  }
  every_cycle.adders_pv = full_adder::energy * array.place_value_adders().full_adders() * columns * passes;
  every_cycle.accumulators =
      (full_adder::energy + register_bit::energy) * array.accumulator_width() * columns * passes;
  if (array.weights_per_cell > 1) {
    every_cycle.local_bl_precharging = (wordline_capacitance * supply_squared +
                                        bitline_capacitance * supply_squared * array.weights_per_cell) *
                                       array.weight_bits * operations;
  }
}

}  // namespace zz::core
