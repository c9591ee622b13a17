#include "core/input/zigzag/detail/cost_yaml.hpp"

#include "core/hardware/open_costs.hpp"
#include "core/input/yaml/map_reader.hpp"

namespace zz::core {

void read_cost(const yaml::Node& value, const std::string& what, double& target, Diagnostics& diagnostics) {
  if (value.is_scalar() && value.text == "auto")
    target = open_cost;
  else
    yaml::read(value, what, target, diagnostics);
}

}  // namespace zz::core
