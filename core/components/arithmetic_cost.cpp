#include "core/components/arithmetic_cost.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/components/technology.hpp"

namespace zz::core::components {
namespace {

/// Figures of one operation at two widths at 45 nm, with a power of the bits through the wider one, and
/// how far the highest source is above.
struct Points {
  double narrow_bits, narrow_energy, narrow_area;  ///< pJ, um2
  double wide_bits, wide_energy, wide_area;
  double energy_power, area_power;
  double energy_ratio, area_ratio;
  double narrow_at_7, wide_at_7, brain_at_7;  ///< pJ at 7 nm; brain: of bf16
};

// Aladdin's 32-bit adder and multiplier at 40 nm, taken to 45 nm, are 2.4 and 4.7 times Horowitz's in
// energy, 2.7 and 2.4 times in area. Of floating-point formats there is one source. Energies at 7 nm: TPU
// v4i (anchor_source), table 2.
constexpr Points integer_add = {8, 0.03, 36, 32, 0.1, 137, 0.9, 0.97, 2.4, 2.7, 0.007, 0.03, 0};
constexpr Points integer_multiply = {8, 0.2, 282, 32, 3.1, 3495, 2.0, 1.82, 4.7, 2.4, 0.07, 1.48, 0};
constexpr Points float_add = {16, 0.4, 1360, 32, 0.9, 4184, 1.2, 1.62, 2.4, 2.7, 0.16, 0.38, 0.11};
constexpr Points float_multiply = {16, 1.1, 1640, 32, 3.7, 7700, 1.75, 2.23, 4.7, 2.4, 0.34, 1.31, 0.21};

/// mW a mm2: Aladdin's adder has 8.6, its multiplier 12.6.
constexpr double leakage_of_area = 10.4;

double between(double bits, double narrow_bits, double narrow, double wide_bits, double wide,
               double power) {
  if (bits >= wide_bits) return wide * std::pow(bits / wide_bits, power);
  if (bits <= narrow_bits) return narrow * std::pow(bits / narrow_bits, power);
  const double share = std::log(bits / narrow_bits) / std::log(wide_bits / narrow_bits);
  return narrow * std::pow(wide / narrow, share);
}

ComponentCost cost_of(const Points& points, const Format& format, double node, bool multiplies) {
  check_node(node);
  // The significand decides what a multiplier costs: 8 of 11 bits of fp16.
  const double part = format.brain && multiplies ? (8.0 / 11) * (8.0 / 11) : 1;
  const auto scaled = [&](double at) {
    return part * logic_energy_scale(at) *
           between(format.bits, points.narrow_bits, points.narrow_energy, points.wide_bits,
                   points.wide_energy, points.energy_power);
  };
  // Below 16 nm a power of the node through the published energy at 7 nm; what scaling gives is the low
  // end.
  const double anchored = share_of_anchor(node);
  const double energy =
      anchored == 0
          ? scaled(node)
          : std::pow(scaled(smallest_common_node), 1 - anchored) *
                std::pow(format.brain ? points.brain_at_7
                                      : between(format.bits, points.narrow_bits, points.narrow_at_7,
                                                points.wide_bits, points.wide_at_7, points.energy_power),
                         anchored);
  const double area = part * logic_area_scale(node) * 1e-6 *
                      between(format.bits, points.narrow_bits, points.narrow_area, points.wide_bits,
                              points.wide_area, points.area_power);
  // Between 22 and 90 nm CACTI's own nodes lie up to 1.5 times off these factors; at 7 nm published factors
  // differ by 4.
  const double far = node < smallest_fitted_node ? std::log(smallest_fitted_node / node) /
                                                       std::log(smallest_fitted_node / smallest_node)
                                                 : 0;
  const double doubt = node == 45 ? 1 : 1.5;
  ComponentCost cost;
  const double highest = points.energy_ratio * doubt;
  cost.energy = {energy, std::min(energy, scaled(node)) / doubt / std::pow(2, far),
                 std::max(energy * highest, scaled(node) * highest * std::pow(4, far))};
  cost.area = {area, area / doubt / std::pow(2, far), area * points.area_ratio * doubt * std::pow(2, far)};
  cost.leakage = estimate(area * leakage_of_area, 3);
  const bool between_points = format.bits > points.narrow_bits && format.bits < points.wide_bits;
  cost.standing = node != 45       ? Standing::scaled
                  : between_points ? Standing::interpolated
                                   : Standing::tabulated;
  // The table of 7 nm has bf16, that of 45 nm has not.
  cost.is_extrapolated =
      format.bits < points.narrow_bits || format.bits > points.wide_bits || (format.brain && anchored < 1);
  cost.source =
      node == 45 ? "Horowitz, ISSCC 2014 (45 nm); upper end: Aladdin (Shao, ISCA 2014)"
      : anchored > 0
          ? "Horowitz, ISSCC 2014 (45 nm), scaled to 16 nm by Stillmaker and Baas, Integration "
            "2017; energies at 7 nm: Jouppi et al., ISCA 2021 (TPU v4i), table 2, as others quote it"
          : "Horowitz, ISSCC 2014 (45 nm), scaled by Stillmaker and Baas, Integration 2017; upper "
            "end: Aladdin (Shao, ISCA 2014)";
  return cost;
}

}  // namespace

Format format_of(const std::string& text) {
  if (text == "bf16") return {true, 16, true};
  if (text == "fp8") return {true, 8};
  if (text == "fp16") return {true, 16};
  if (text == "fp32") return {true, 32};
  int bits = 0;
  if (text.starts_with("int")) {
    const auto [end, problem] = std::from_chars(text.data() + 3, text.data() + text.size(), bits);
    if (problem == std::errc{} && end == text.data() + text.size() && bits >= 1 && bits <= 64)
      return {false, static_cast<double>(bits)};
  }
  throw InputError(fmt::format(
      "there is no number format '{}'; known are int1 to int64, fp8, fp16, bf16 and fp32", text));
}

ComponentCost multiplier_cost(const Format& format, double node) {
  return cost_of(format.is_float ? float_multiply : integer_multiply, format, node, true);
}

ComponentCost adder_cost(const Format& format, double node) {
  return cost_of(format.is_float ? float_add : integer_add, format, node, false);
}

ComponentCost multiply_accumulate_cost(const Format& format, double node, double sum_bits) {
  const Format sum =
      format.is_float ? Format{true, 32} : Format{false, sum_bits > 0 ? sum_bits : 2 * format.bits + 16};
  ComponentCost cost = multiplier_cost(format, node);
  const ComponentCost adder = adder_cost(sum, node);
  cost.energy = cost.energy + adder.energy;
  cost.area = cost.area + adder.area;
  cost.leakage = cost.leakage + adder.leakage;
  cost.standing = std::max(cost.standing, adder.standing);
  cost.is_extrapolated = cost.is_extrapolated || adder.is_extrapolated;
  return cost;
}

}  // namespace zz::core::components
