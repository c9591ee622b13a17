#include "core/components/memory_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/diagnostics.hpp"
#include "core/components/detail/fitted_forms.hpp"

namespace zz::core::components {
namespace {

void check_memory(const MemoryComponent& question, const char* what, double smallest, double largest) {
  check_node(question.node);
  if (!(question.size >= smallest && question.size <= largest))
    throw InputError(fmt::format("{} of {} bits is out of range: it must have {} to {:.0f} bits", what,
                                 question.size, smallest, largest));
  if (!(question.width >= 1 && question.width <= question.size))
    throw InputError(
        fmt::format("the width of an access is {} bits; it must be from 1 bit to the size, {} bits",
                    question.width, question.size));
}

/// Where the forms are asked for: logarithms of size, width and node by their middle, held inside the
/// fitted points, and how far outside they were.
struct FittedPoint {
  double s, w, n, beyond_s, beyond_w;
  double low_power;
  std::size_t cell;
  std::size_t above;  ///< of the node: nodes[above - 1] <= node <= nodes[above]
  double share;       ///< of the node above
  bool between;       ///< two nodes
};

FittedPoint point_of(const MemoryComponent& question) {
  constexpr double middle_size = 65536 * 8, middle_width = 128;
  const double s = std::log(question.size / middle_size), w = std::log(question.width / middle_width);
  const double s_in = std::clamp(s, std::log(1.0 / 64), std::log(64.0));
  const double w_in = std::clamp(w, std::log(0.25), std::log(4.0));
  const double node = std::max(question.node, smallest_fitted_node);
  const auto& nodes = fitted::nodes;
  std::size_t above = 1;
  while (above + 1 < nodes.size() && nodes[above] < node) ++above;
  const double share = std::log(node / nodes[above - 1]) / std::log(nodes[above] / nodes[above - 1]);
  const bool low = question.transistors == Transistors::low_standby_power;
  return {s_in,
          w_in,
          std::log(node / 45),
          s - s_in,
          w - w_in,
          low ? 1.0 : 0.0,
          low ? std::size_t{1} : std::size_t{0},
          above,
          share,
          share > 1e-9 && share < 1 - 1e-9};
}

double value_at(const fitted::SramForm& form, const FittedPoint& at) {
  const auto& constants = form.constants[at.cell];
  const auto& t = form.terms;
  const auto [s, w, n] = std::array{at.s, at.w, at.n};
  const double inside = (1 - at.share) * constants[at.above - 1] + at.share * constants[at.above] +
                        t[0] * s + t[1] * w + t[2] * s * s + t[3] * s * w + t[4] * w * w +
                        t[5] * s * s * s + t[6] * s * s * w + t[7] * s * w * w + t[8] * n * s +
                        t[9] * n * w + t[10] * at.low_power * s;
  const double slope_s = t[0] + 2 * t[2] * s + t[3] * w + 3 * t[5] * s * s + 2 * t[6] * s * w +
                         t[7] * w * w + t[8] * n + t[10] * at.low_power;
  const double slope_w = t[1] + t[3] * s + 2 * t[4] * w + t[6] * s * s + 2 * t[7] * s * w + t[9] * n;
  return std::exp(inside + slope_s * at.beyond_s + slope_w * at.beyond_w);
}

struct Interface {
  const char* name;
  double low, value, high;  ///< pJ a bit
  const char* source;
};

// The value is the geometric mean of the sources.
constexpr std::array<Interface, 5> interfaces = {
    {{"ddr3", 9, 18.3, 40.6,
      "Horowitz, ISSCC 2014 (20 to 41 pJ/bit); constants of nn_dataflow (15 and 29); Vogelsang, MICRO 2010 "
      "(9)"},
     {"ddr4", 4.5, 8.2, 15, "Vogelsang, MICRO 2010, expected (4.5 pJ/bit); constants of nn_dataflow (15)"},
     {"lpddr3", 3.7, 3.7, 13, "ISSCC 2012, one source (3.7 pJ/bit); upper end as for lpddr4"},
     {"lpddr4", 4, 7.3, 14, "Dally et al., CACM 2020 (4 pJ/bit); simulations of a thesis (13 and 14)"},
     {"hbm2", 5, 7.9, 14,
      "constants of nn_dataflow for stacked DRAM (5 pJ/bit) and of AccelForge (7); FGDRAM, MICRO 2017 "
      "(14)"}}};

}  // namespace

namespace {

constexpr double kibibyte = 8192;  // bits
/// At 7 nm: an access of 64 bits (anchor_source, table 2).
constexpr double anchor_width = 64;
constexpr std::array<std::pair<double, double>, 3> anchors = {
    {{8 * kibibyte, 7.5}, {32 * kibibyte, 8.5}, {1024 * kibibyte, 14}}};
/// 112 mm2 of 128 MiB at 7 nm, by what the form has for it at 22 nm. Its width is not told: 512 bits.
constexpr double anchor_area = 112, anchor_size = 128 * 1024 * kibibyte;

/// Powers of the size through the points, with the slopes at the ends beyond them.
double anchor_energy(double size) {
  const std::size_t above = size <= anchors[1].first ? 1 : 2;
  const auto [size_a, energy_a] = anchors[above - 1];
  const auto [size_b, energy_b] = anchors[above];
  return energy_a * std::pow(energy_b / energy_a, std::log(size / size_a) / std::log(size_b / size_a));
}

/// By how much a form differs from itself at the narrow width, for the same size.
double width_factor(const fitted::SramForm& form, const MemoryComponent& bank) {
  MemoryComponent narrow = bank;
  narrow.width = std::min(anchor_width, bank.size);
  return value_at(form, point_of(bank)) / value_at(form, point_of(narrow));
}

double area_factor_at_anchor(Transistors transistors) {
  return anchor_area /
         value_at(fitted::sram_area, point_of({anchor_size, 512, smallest_fitted_node, transistors}));
}

}  // namespace

ComponentCost sram_cost(const MemoryComponent& question) {
  check_memory(question, "an SRAM", smallest_sram, largest_sram);
  const double banks = std::ceil(question.width / 512);
  MemoryComponent bank = question;
  bank.size /= banks;
  bank.width /= banks;
  const FittedPoint at = point_of(bank);
  const bool scaled = question.node < smallest_fitted_node;
  const bool beyond = banks > 1 || at.beyond_s != 0 || at.beyond_w != 0;
  // From 0 at 22 nm to 1 at 7 nm.
  const double far = scaled ? std::log(smallest_fitted_node / question.node) /
                                  std::log(smallest_fitted_node / smallest_node)
                            : 0;
  const auto answer = [&](const fitted::SramForm& form, double scale, double doubt) {
    double factor = at.between ? std::max(form.spread, form.interpolated_spread) : form.spread;
    if (beyond) factor *= factor;
    return estimate(value_at(form, at) * scale, factor * std::pow(doubt, far));
  };
  const auto scale_to = [&](double (*scale)(double), double node) {
    return scaled ? scale(node) / scale(smallest_fitted_node) : 1;
  };
  // Below 16 nm a power of the node through the figure at 7 nm; what scaling gives stays in the range.
  const double anchored = share_of_anchor(question.node);
  const auto drawn = [&](const fitted::SramForm& form, double (*scale)(double), double doubt, double at_7) {
    Estimate one = answer(form, scale_to(scale, question.node), doubt);
    if (anchored == 0) return one;
    const double at_16 = value_at(form, at) * scale_to(scale, smallest_common_node);
    const double value = std::pow(at_16, 1 - anchored) * std::pow(at_7, anchored);
    const double beyond_value = value * one.high / one.value;
    return Estimate{value, std::min(one.low, value / form.spread), std::max(one.high, beyond_value)};
  };
  const double energy_at_7 = anchor_energy(bank.size);
  ComponentCost cost;
  cost.energy = drawn(fitted::sram_read_energy, logic_energy_scale, 4,
                      energy_at_7 * width_factor(fitted::sram_read_energy, bank)) *
                banks;
  cost.write_energy = drawn(fitted::sram_write_energy, logic_energy_scale, 4,
                            energy_at_7 * width_factor(fitted::sram_write_energy, bank)) *
                      banks;
  cost.area = drawn(fitted::sram_area, logic_area_scale, 2,
                    value_at(fitted::sram_area, at) * area_factor_at_anchor(question.transistors)) *
              banks;
  cost.leakage = answer(fitted::sram_leakage, 1, 4) * banks;
  cost.access_time = answer(fitted::sram_access_time, 1, 2);
  cost.standing = scaled ? Standing::scaled : at.between ? Standing::interpolated : Standing::fitted;
  cost.is_extrapolated = beyond;
  cost.source =
      anchored > 0 ? "CACTI 7, fitted at 22 nm, scaled to 16 nm by Stillmaker and Baas, Integration 2017; "
                     "energy and area at 7 nm: Jouppi et al., ISCA 2021 (TPU v4i), as others quote it"
      : scaled ? "CACTI 7, fitted at 22 nm; energy and area scaled by Stillmaker and Baas, Integration 2017"
               : "CACTI 7, fitted to half of its points";
  return cost;
}

ComponentCost register_file_cost(const MemoryComponent& question) {
  check_memory(question, "a register file", 1, 65536);
  // At 40 nm a bit of a register takes 0.009 pJ and 5.98 um2; files of 256 and 512 words at 45 nm take 0.6
  // and 1 pJ for 16 bits.
  constexpr double bit_energy = 0.009, bit_area = 5.98e-6, power_of_words = 0.28, most_words = 512;
  const double words = question.size / question.width;
  const double energy = bit_energy * question.width * std::pow(words, power_of_words) *
                        logic_energy_scale(question.node) / logic_energy_scale(40);
  ComponentCost cost;
  cost.energy = estimate(energy, 2);
  // By as much published energies of operations and SRAM at 7 nm lie above scaled ones.
  cost.energy.high *= std::pow(8, share_of_anchor(question.node));
  cost.write_energy = cost.energy;
  cost.area =
      estimate(bit_area * question.size * logic_area_scale(question.node) / logic_area_scale(40), 2);
  cost.standing = question.node == 40 ? Standing::tabulated : Standing::scaled;
  cost.is_extrapolated = words > most_words;
  cost.source =
      "Aladdin's registers (Shao, ISCA 2014, 40 nm); register files of nn_dataflow's tests (45 nm)";
  return cost;
}

ComponentCost dram_cost(const std::string& interface, double width) {
  const auto found = std::find_if(interfaces.begin(), interfaces.end(),
                                  [&](const Interface& one) { return one.name == interface; });
  if (found == interfaces.end())
    throw InputError(fmt::format("there is no DRAM interface '{}'; known are {}", interface,
                                 fmt::join(dram_interfaces(), ", ")));
  if (!(width >= 1 && width <= 1e9))
    throw InputError(
        fmt::format("the width of an access is {} bits; it must be from 1 to 1e9 bits", width));
  ComponentCost cost;
  cost.energy = Estimate{found->value, found->low, found->high} * width;
  cost.write_energy = cost.energy;
  cost.area = {0, 0, 0};
  cost.standing = Standing::tabulated;
  cost.source = found->source;
  return cost;
}

const std::vector<std::string>& dram_interfaces() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Interface& one : interfaces) all.emplace_back(one.name);
    return all;
  }();
  return names;
}

}  // namespace zz::core::components
