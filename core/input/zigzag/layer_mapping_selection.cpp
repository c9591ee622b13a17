#include "core/input/zigzag/layer_mapping_selection.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace zz::core {

void select_mapping(Layer& layer, const MappingFile& mapping, const Rules& rules, const SourceMark& mark,
                    Diagnostics& diagnostics) {
  select_mapping(layer, mapping, {layer.name, layer.type}, rules, mark, diagnostics);
}

void select_mapping(Layer& layer, const MappingFile& mapping, const std::vector<std::string>& names,
                    const Rules& rules, const SourceMark& mark, Diagnostics& diagnostics) {
  const std::string* chosen = &names.front();
  for (const std::string& name : names) {
    const bool has_entry = std::any_of(mapping.entries.begin(), mapping.entries.end(),
                                       [&](const LayerMapping& entry) { return entry.name == name; });
    if (!has_entry) continue;
    chosen = &name;
    break;
  }
  layer.mapping = mapping.select(*chosen, *chosen);
  std::vector<OrderingEntry> kept;
  std::set<std::string> dropped;
  for (const OrderingEntry& entry : layer.mapping.temporal_ordering) {
    const bool wildcard = entry.dimension == "*" && !rules.outer_wildcard_dropped;
    if (wildcard || layer.loop_index(entry.dimension) >= 0) {
      kept.push_back(entry);
    } else {
      dropped.insert(entry.dimension);
    }
  }
  for (const std::string& dimension : dropped) {
    const std::string reason = dimension == "*" ? "as in ZigZag 3.8.5, \"*\" entries are dropped"
                                                : "the layer has no such loop; the entry is dropped";
    diagnostics.warning(
        mark, fmt::format("layer '{}': temporal_ordering of mapping entry '{}' names {}: {}", layer.name,
                          layer.mapping.name, dimension, reason));
  }
  layer.mapping.temporal_ordering = std::move(kept);
}

}  // namespace zz::core
