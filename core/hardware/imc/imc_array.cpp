#include "core/hardware/imc/imc_array.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/hardware/imc/converters.hpp"
#include "core/hardware/imc/technology.hpp"

namespace zz::core {

ImcDimensions imc_dimensions(const OperationalArray& array) {
  std::vector<const ArrayDimension*> sorted;
  for (const ArrayDimension& dimension : array.dimensions) sorted.push_back(&dimension);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->name < b->name; });
  ImcDimensions dimensions;
  if (!sorted.empty()) dimensions.wordline = sorted[0];
  if (sorted.size() > 1) dimensions.bitline = sorted[1];
  for (std::size_t i = 2; i < sorted.size(); ++i) dimensions.banks *= sorted[i]->size;
  return dimensions;
}

ImcArray::ImcArray(const Accelerator& accelerator, const Rules& rules)
    : negative_adder_tree_delay_(rules.negative_adder_tree_delay) {
  const ImcDimensions dimensions = imc_dimensions(accelerator.array);
  if (!accelerator.array.imc || dimensions.bitline == nullptr) {
    throw InputError(fmt::format("accelerator '{}' has no array of in-memory computing", accelerator.name));
  }
  const ImcProperties& properties = *accelerator.array.imc;
  analog = properties.imc_type == "analog";
  wordlines = static_cast<double>(dimensions.wordline->size);
  bitlines = static_cast<double>(dimensions.bitline->size);
  banks = static_cast<double>(dimensions.banks);
  activation_bits = static_cast<double>(properties.activation_precision);
  weight_bits = static_cast<double>(properties.weight_precision);
  serial_bits = properties.bit_serial_precision;
  adc_bits = properties.adc_resolution;
  for (const Memory& memory : accelerator.memories) {
    if (memory.name != "cells") continue;
    weights_per_cell = static_cast<double>(memory.size) / weight_bits;
    cells_area_ = static_cast<double>(accelerator.array.unit_count()) * memory.area;
  }
}

double ImcArray::multipliers() const {
  return (analog ? 1 : serial_bits) * weight_bits * wordlines * bitlines * banks;
}

PlaceValueAdders ImcArray::place_value_adders() const {
  if (analog) return {adc_bits, weight_bits};
  return {tree().output_width(), serial_bits};
}

double ImcArray::accumulator_width() const {
  if (serial_bits == activation_bits) return 0;
  return activation_bits + (analog ? adc_bits : std::log2(bitlines)) + weight_bits;
}

ImcParts ImcArray::area() const {
  using namespace technology;
  ImcParts area;
  area.cells = cells_area_;
  if (analog) area.adcs = adc_area(adc_bits) * weight_bits * wordlines * banks;
  area.mults = multiplier::area * multipliers();
  if (!analog) area.adders_regular = full_adder::area * tree().full_adders() * trees();
  area.adders_pv = full_adder::area * place_value_adders().full_adders() * wordlines * banks;
  const double accumulated_bits = accumulator_width() * wordlines * banks;
  area.accumulators = full_adder::area * accumulated_bits + register_bit::area * accumulated_bits;
  return area;
}

ImcParts ImcArray::clock() const {
  using namespace technology;
  ImcParts clock;
  if (analog) clock.adcs = adc_delay(adc_bits, bitlines);
  clock.mults = multiplier::delay;
  if (!analog && (bitlines > 1 || negative_adder_tree_delay_)) clock.adders_regular = tree().delay();
  const PlaceValueAdders adders = place_value_adders();
  clock.adders_pv = adders.delay();
  if (accumulator_width() > 0) {
    // The carry runs on from the highest bit that the adders before deliver.
    clock.accumulators = full_adder::input_to_carry +
                         (accumulator_width() - adders.output_width() - 1) * full_adder::carry_to_carry;
  }
  return clock;
}

ImcPeak ImcArray::peak() const {
  using namespace technology;
  ImcPeak peak;
  peak.operations = wordlines * bitlines / cycles_per_operation() * banks;
  if (analog) {
    peak.energy.dacs = dac_energy(serial_bits) * bitlines * banks;
    peak.energy.adcs = adc_energy(adc_bits) * weight_bits * wordlines * banks;
    peak.energy.analog_bl_addition =
        bitline_capacitance * supply_squared * weight_bits * wordlines * bitlines * banks;
  }
  peak.energy.mults = multiplier::energy * multipliers();
  if (!analog) peak.energy.adders_regular = full_adder::energy * tree().full_adders() * trees();
  peak.energy.adders_pv = full_adder::energy * place_value_adders().full_adders() * wordlines * banks;
  const double accumulated_bits = accumulator_width() * wordlines * banks;
  peak.energy.accumulators =
      full_adder::energy * accumulated_bits + register_bit::energy * accumulated_bits;
  peak.tera_per_second = 2 * peak.operations / clock().total() / 1000;
  peak.tera_per_watt = 2 * peak.operations / peak.energy.total();
  peak.tera_per_area = peak.tera_per_second / area().total();
  return peak;
}

ImcFigures ImcArray::figures(const Accelerator& accelerator) const {
  ImcFigures figures;
  figures.clock = clock();
  figures.area = area();
  for (const Memory& memory : accelerator.memories)
    figures.memory_areas.emplace_back(memory.name, memory.area);
  return figures;
}

}  // namespace zz::core
