#include "core/multicore/search/partition.hpp"

#include <algorithm>

namespace zz::core {

std::vector<std::shared_ptr<const Layer>> layers_by_id(const Workload& workload) {
  std::vector<std::shared_ptr<const Layer>> layers = workload.layers;
  std::sort(layers.begin(), layers.end(), [](const auto& a, const auto& b) { return a->id < b->id; });
  return layers;
}

std::vector<CutEntry> hints_of(const Partition& partition, const CutMenus& cuts, const Workload& workload) {
  const std::vector<std::shared_ptr<const Layer>> layers = layers_by_id(workload);
  std::vector<CutEntry> hints;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const Cut& cut = cuts[layer][partition[layer]];
    const auto alike =
        std::find_if(hints.begin(), hints.end(), [&](const CutEntry& entry) { return entry.loops == cut; });
    if (alike == hints.end())
      hints.push_back({{layers[layer]->id}, cut});
    else
      alike->layers.push_back(layers[layer]->id);
  }
  return hints;
}

}  // namespace zz::core
