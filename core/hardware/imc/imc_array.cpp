#include "core/hardware/imc/imc_array.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/hardware/imc/technology.hpp"

namespace zz::core {

namespace {

/// Full adders of a tree over `inputs` numbers: one for each bit of each pair of each level.
double tree_adders(double inputs, double width, double depth) {
  return inputs * (width + 1) - (width + depth + 1);
}

}  // namespace

double AdderTree::depth() const { return std::trunc(std::log2(inputs)); }

double AdderTree::full_adders() const { return tree_adders(inputs, width, depth()); }

double AdderTree::delay() const {
  using namespace technology;
  return (depth() - 1) * full_adder::input_to_sum + full_adder::input_to_carry +
         (width + depth() - 2) * full_adder::carry_to_carry;
}

double AdderTree::energy(std::int64_t used) const {
  using namespace technology;
  if (used < 1) return 0;
  if (static_cast<double>(used) >= inputs) return full_adders() * full_adder::energy;
  // From the root down, each node splits into a half that is full or reached in part, and a half that is
  // idle or reached in part: there is one path of nodes that are neither full nor idle.
  double full = 0;
  double half = 0;
  auto left = static_cast<double>(used);
  for (double below = inputs; left > 0;) {
    below /= 2;
    const double level = std::trunc(std::log2(below));
    if (left <= 1 && below == 1) {
      half += width;
      left = 0;
    } else if (left > below) {
      full += tree_adders(below, width, level) + (width + level);
      left -= below;
    } else if (left < below) {
      half += width + level;
    } else {
      full += tree_adders(below, width, level);
      half += width + level;
      left = 0;
    }
  }
  return full * full_adder::energy + half * half_adder::energy;
}

double PlaceValueAdders::full_adders() const {
  if (inputs == 1) return 0;
  return width * (inputs - 1) + inputs * (std::log2(inputs) - 0.5);
}

double PlaceValueAdders::delay() const {
  using namespace technology;
  if (inputs == 1) return 0;
  return (std::log2(inputs) - 1) * full_adder::input_to_sum + full_adder::input_to_carry +
         (inputs + width - width - 1) * full_adder::carry_to_carry;
}

double adc_area(double resolution) {
  if (resolution == 0 || resolution == 1) return 0;
  return std::pow(10, -0.0369 * resolution + 1.206) * std::pow(2, resolution) * 1e-6;
}

double adc_delay(double resolution, double bitlines) { return resolution * (0.00653 * bitlines + 0.640); }

double adc_energy(double resolution) {
  if (resolution == 0) return 0;
  return (100 * resolution + 0.001 * std::pow(4, resolution)) * technology::supply_squared / 1000;
}

double dac_energy(double bits) { return bits == 1 ? 0 : 0.05 * bits * technology::supply_squared; }

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
