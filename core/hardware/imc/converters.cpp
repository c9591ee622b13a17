#include "core/hardware/imc/converters.hpp"

#include <cmath>

#include "core/hardware/imc/technology.hpp"

namespace zz::core {

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

}  // namespace zz::core
