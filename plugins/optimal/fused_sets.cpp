#include "plugins/optimal/fused_sets.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "plugins/internal/plugin.hpp"

namespace zz::plugins {

std::string reason_to_stay_alone(const PlacedLayers& placed, std::size_t index) {
  const core::Layer& layer = *placed.layers[index];
  if (placed.on_unit[index] && placed.in_common.empty())
    return "runs on the vector unit, which shares no memory with the array";
  if (layer.sequential_loop() >= 0)
    return fmt::format("has the sequential loop {}", layer.loops[layer.sequential_loop()].name);
  if (!layer.mapping.temporal_ordering.empty()) return "has a temporal_ordering in the mapping file";
  return "";
}

std::vector<std::string> texts_in(Ref list, const char* setting) {
  std::vector<std::string> texts;
  if (list.kind() != ZZ_LIST)
    throw Error(ZZ_E_INVALID, fmt::format("`{}` must be a list of names", setting));
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].kind() != ZZ_STR)
      throw Error(ZZ_E_INVALID, fmt::format("`{}` must be made of names, but has {}", setting,
                                            core::shown_text(make(nullptr, list[i]).json())));
    texts.emplace_back(list[i].str());
  }
  return texts;
}

std::vector<int> chosen_sets(const Value& groups, const PlacedLayers& placed) {
  std::vector<int> sets(placed.layers.size(), alone);
  const bool word = groups.kind() == ZZ_STR;
  const std::string choice = groups.is_null() ? "auto" : word ? std::string(groups.look().str()) : "";
  if (choice == "auto" || choice == "none") {
    for (std::size_t i = 0; i < sets.size(); ++i)
      if (choice == "auto" && reason_to_stay_alone(placed, i).empty()) sets[i] = 0;
    return sets;
  }
  if (word || groups.kind() != ZZ_LIST)
    throw Error(ZZ_E_INVALID,
                fmt::format("`groups` is {}; it must be `auto`, `none`, a list of lists of names of "
                            "layers, as [[scores, context]], or the path of a file with groups, *.yaml",
                            core::shown_text(groups.json())));
  std::map<std::string, std::size_t> index_of;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < placed.layers.size(); ++i) {
    names.push_back(placed.layers[i]->name);
    index_of.emplace(placed.layers[i]->name, i);
  }
  const Ref lists = groups.look();
  for (std::size_t set = 0; set < lists.size(); ++set) {
    std::vector<std::size_t> members;
    for (const std::string& name : texts_in(lists[set], "groups")) {
      const auto known = index_of.find(name);
      if (known == index_of.end())
        throw Error(ZZ_E_INVALID, fmt::format("`groups` names the layer '{}', which the network lacks; {}",
                                              name, core::suggestion(name, names)));
      if (sets[known->second] != alone)
        throw Error(ZZ_E_INVALID, fmt::format("`groups` names the layer '{}' twice", name));
      const std::string reason = reason_to_stay_alone(placed, known->second);
      if (!reason.empty())
        throw Error(ZZ_E_INVALID, fmt::format("`groups` names the layer '{}', which cannot be fused: it {}",
                                              name, reason));
      sets[known->second] = static_cast<int>(set);
      members.push_back(known->second);
    }
    std::sort(members.begin(), members.end());
    for (std::size_t i = 1; i < members.size(); ++i) {
      if (members[i] == members[i - 1] + 1) continue;
      throw Error(ZZ_E_INVALID,
                  fmt::format("`groups` has '{}' and '{}' in one list, but '{}' runs between them",
                              names[members[i - 1]], names[members[i]], names[members[i - 1] + 1]));
    }
  }
  return sets;
}

void check_lists(const core::FusedNetwork& network, const core::Accelerator& accelerator,
                 const std::vector<int>& exchange_memories) {
  const core::Memory* exchange_memory = nullptr;  // the largest
  for (const int index : exchange_memories) {
    const core::Memory& memory = accelerator.memories[index];
    if (exchange_memory == nullptr || memory.size > exchange_memory->size) exchange_memory = &memory;
  }
  if (exchange_memory == nullptr) return;  // told already
  for (std::size_t first = 0, last = 0; first < network.layers.size(); first = last) {
    const int set = network.layers[first].set;
    while (last < network.layers.size() && network.layers[last].set == set) ++last;
    if (set < 0 || last - first < 2) continue;
    std::string why = "none of them reads what another one makes";
    bool possible_here = false;
    for (const core::NetworkTensor& tensor : network.tensors) {
      const auto producer = static_cast<std::size_t>(tensor.producer);
      if (producer < first || producer >= last ||
          static_cast<std::size_t>(tensor.uses.front().layer) >= last)
        continue;
      const core::Layer& layer = *network.layers[producer].layer;
      const std::int64_t bits = layer.operand_elements(0, network.layers[producer].problem.options.rules) *
                                layer.final_output_precision;
      const bool whole = std::all_of(tensor.uses.begin(), tensor.uses.end(),
                                     [](const core::NetworkTensor::Use& use) { return use.axes.empty(); });
      if (!tensor.exchangeable)
        why = fmt::format("the result of '{}' cannot: {}", layer.name, tensor.obstacle);
      else if (whole && bits > exchange_memory->size)
        why = fmt::format(
            "the result of '{}' can only as a whole, and while '{}' runs, '{}' of {} bits must "
            "hold at least {}: {} bits too many",
            layer.name, layer.name, exchange_memory->name, exchange_memory->size, bits,
            bits - exchange_memory->size);
      else
        possible_here = true;
    }
    if (!possible_here)
      throw Error(
          ZZ_E_INVALID,
          fmt::format("`groups` has the layers '{}' to '{}' in one list, but nothing can stay on chip "
                      "between them: {}",
                      network.layers[first].layer->name, network.layers[last - 1].layer->name, why));
  }
}

}  // namespace zz::plugins
