#include "plugins/workload/operators_without_cost.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace zz::plugins {

std::string operators_without_cost(const core::Workload& workload) {
  std::vector<std::pair<std::string, int>> types;  // in order of appearance
  double elements = 0;
  for (const core::PassThroughNode& node : workload.pass_through) {
    elements += static_cast<double>(node.output_elements);
    const auto known =
        std::find_if(types.begin(), types.end(), [&](const auto& type) { return type.first == node.type; });
    if (known == types.end())
      types.emplace_back(node.type, 1);
    else
      ++known->second;
  }
  double all_elements = elements;
  for (const auto& layer : workload.layers) all_elements += static_cast<double>(layer->operand_elements(0));

  std::string text = "operators without cost:";
  const char* separator = " ";
  for (const auto& [type, count] : types) {
    text += fmt::format("{}{} {}", separator, count, type);
    separator = ", ";
  }
  if (elements > 0)
    text += fmt::format("; they write {:.0f} % of all elements", 100 * elements / all_elements);
  return text;
}

}  // namespace zz::plugins
