#include "core/workload/layer_groups.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace zz::core {

std::vector<std::uint32_t> groups_of_distinct_names(
    const std::vector<std::shared_ptr<const Layer>>& layers) {
  std::vector<std::uint32_t> lengths;
  std::set<std::string> names;
  for (const auto& layer : layers) {
    std::string name = layer->name;
    std::replace(name.begin(), name.end(), '/', '_');
    const bool known = !names.insert(name).second;
    if (known || lengths.empty()) {
      names = {name};
      lengths.push_back(0);
    }
    ++lengths.back();
  }
  return lengths;
}

}  // namespace zz::core
