#include "core/components/technology.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"

namespace zz::core::components {
namespace {

struct Scale {
  double node, energy, area;
};

// The paper's polynomials of energy at 0.8 V, and its areas, by those of 45 nm.
constexpr std::array<Scale, 9> scales = {{{7, 0.0943, 0.0588},
                                          {10, 0.1178, 0.1},
                                          {14, 0.1388, 0.1706},
                                          {16, 0.1737, 0.188},
                                          {20, 0.2211, 0.2118},
                                          {32, 0.6593, 0.459},
                                          {45, 1, 1},
                                          {65, 1.2407, 1.47},
                                          {90, 1.8973, 2.82}}};

double scale_at(double node, double Scale::*figure) {
  std::size_t above = 1;
  while (above + 1 < scales.size() && scales[above].node < node) ++above;
  const Scale& a = scales[above - 1];
  const Scale& b = scales[above];
  const double share = std::log(node / a.node) / std::log(b.node / a.node);
  return a.*figure * std::pow(b.*figure / a.*figure, share);
}

}  // namespace

Transistors transistors_of(const std::string& text) {
  if (text == "high_performance") return Transistors::high_performance;
  if (text == "low_standby_power") return Transistors::low_standby_power;
  const std::vector<std::string> known = {"high_performance", "low_standby_power"};
  throw InputError(
      {{Severity::error, {}, fmt::format("there are no transistors '{}'", text), suggestion(text, known)}});
}

void check_node(double node) {
  if (node >= smallest_node && node <= largest_node) return;
  throw InputError(fmt::format(
      "the technology node is {} nm, but costs are known from {} to {} nm: fitted from {} nm on, "
      "scaled below",
      node, smallest_node, largest_node, smallest_fitted_node));
}

double share_of_anchor(double node) {
  if (node >= smallest_common_node) return 0;
  return std::log(smallest_common_node / node) / std::log(smallest_common_node / smallest_node);
}

std::string warning_of_node(double node) {
  if (node >= smallest_common_node) return "";
  return fmt::format(
      "costs at {} nm are drawn from {} nm to one published table of {} nm (TPU v4i), by which energies "
      "need not fall with the node: compare designs within one node, and see their ranges",
      node, smallest_common_node, smallest_node);
}

double logic_energy_scale(double node) { return scale_at(node, &Scale::energy); }
double logic_area_scale(double node) { return scale_at(node, &Scale::area); }

}  // namespace zz::core::components
