#include "core/search/fused/detail/run_prefixes.hpp"

#include <algorithm>
#include <map>

namespace zz::core {

RunPrefixes::RunPrefixes(const FusedNetwork& network) {
  const std::size_t count = network.layers.size();
  for (std::size_t layers = 0; layers <= count; ++layers) {
    Prefix& prefix = prefixes_.emplace_back();
    prefix.has.assign(count, false);
    std::fill_n(prefix.has.begin(), layers, true);
    if (layers < count) prefix.next.push_back({static_cast<int>(layers), static_cast<int>(layers) + 1});
  }
}

RunPrefixes::RunPrefixes(const FusedNetwork& network, std::size_t most) {
  std::vector<std::vector<int>> before(network.layers.size());
  for (const NetworkTensor& tensor : network.tensors)
    for (const NetworkTensor::Use& use : tensor.uses) before[use.layer].push_back(tensor.producer);
  std::map<std::vector<bool>, int> number;
  prefixes_.push_back({std::vector<bool>(network.layers.size(), false), {}});
  number[prefixes_.front().has] = 0;
  for (std::size_t at = 0; at < prefixes_.size(); ++at) {
    for (std::size_t layer = 0; layer < before.size(); ++layer) {
      std::vector<bool> has = prefixes_[at].has;
      const bool ready = std::all_of(before[layer].begin(), before[layer].end(),
                                     [&](int earlier) { return prefixes_[at].has[earlier]; });
      if (has[layer] || !ready) continue;
      has[layer] = true;
      const auto [entry, fresh] = number.try_emplace(has, static_cast<int>(prefixes_.size()));
      if (fresh) prefixes_.push_back({std::move(has), {}});
      prefixes_[at].next.push_back({static_cast<int>(layer), entry->second});
      if (prefixes_.size() <= most) continue;
      *this = RunPrefixes(network);
      return;
    }
  }
}

bool RunPrefixes::all_uses(const NetworkTensor& tensor, int prefix) const {
  return std::all_of(tensor.uses.begin(), tensor.uses.end(),
                     [&](const NetworkTensor::Use& use) { return has(prefix, use.layer); });
}

}  // namespace zz::core
