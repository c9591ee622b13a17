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

std::string layers_left_out(const core::Workload& workload,
                            const std::vector<std::shared_ptr<const core::Layer>>& left_out) {
  double operations = 0;
  double all_operations = 0;
  for (const auto& layer : workload.layers) all_operations += static_cast<double>(layer->mac_count());
  std::string text = fmt::format("in-memory computing leaves out {} layer{}:", left_out.size(),
                                 left_out.size() == 1 ? "" : "s");
  const char* separator = " ";
  for (const auto& layer : left_out) {
    operations += static_cast<double>(layer->mac_count());
    text += fmt::format("{}{} ({})", separator, layer->name, layer->type);
    separator = ", ";
  }
  return text + fmt::format("; they have {:.3g} % of all operations", 100 * operations / all_operations);
}

}  // namespace zz::plugins
