#include "core/components/wire_cost.hpp"

#include <cmath>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/components/technology.hpp"

namespace zz::core::components {

ComponentCost wire_cost(double length, double node) {
  check_node(node);
  if (!(length > 0 && length <= 100))
    throw InputError(
        fmt::format("the length of a wire is {} mm; it must be above 0 and 100 mm at most", length));
  // 0.24 pJ a bit and mm at 40 nm, 0.1 at 14 nm, and a power of the node through both. The third point,
  // 0.115 at 10 nm, is 1.52 times that.
  constexpr double at_40 = 0.24, power = 0.834, spread = 1.6;
  ComponentCost cost;
  cost.energy = estimate(at_40 * std::pow(node / 40, power) * length, spread);
  cost.standing = node == 40 || node == 14 ? Standing::tabulated
                  : node < 14              ? Standing::scaled
                  : node < 40              ? Standing::interpolated
                                           : Standing::extrapolated;
  cost.source = "Keckler et al., IEEE Micro 2011 (40 and 10 nm); Dally et al., CACM 2020 (14 nm)";
  return cost;
}

}  // namespace zz::core::components
