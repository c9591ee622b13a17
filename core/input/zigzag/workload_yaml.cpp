#include "core/input/zigzag/workload_yaml.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/input/yaml/document.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/input/zigzag/detail/layer_yaml.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"

namespace zz::core {
namespace {

/// Turns the sources of the entries into constants and edges. Layers must follow the layers that feed them.
class SourceResolver {
 public:
  SourceResolver(std::vector<LayerEntry>& entries, Diagnostics& diagnostics)
      : entries_(entries), diagnostics_(diagnostics) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!entries_[i].id) {
        some_id_is_unknown_ = true;
        continue;
      }
      const auto [taken, is_new] = index_of_.emplace(*entries_[i].id, i);
      if (is_new) continue;
      some_id_is_unknown_ = true;
      diagnostics_.error(entries_[i].id_mark,
                         fmt::format("the id {} is taken by the layer on line {}", *entries_[i].id,
                                     entries_[taken->second].mark.line));
    }
  }

  std::vector<std::pair<std::int64_t, std::int64_t>> resolve_all() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!entries_[i].id) continue;
      for (const OperandSource& source : entries_[i].sources) resolve(i, source);
    }
    return std::move(edges_);
  }

 private:
  void resolve(std::size_t index, const OperandSource& source) {
    const std::int64_t id = *entries_[index].id;
    Layer& layer = *entries_[index].layer;
    const int operand_index = layer.operand_index(source.operand);
    if (operand_index < 0) return;
    LayerOperand& operand = layer.operands[static_cast<std::size_t>(operand_index)];
    layer.source_order.push_back(operand_index);
    if (source.id == id) {
      operand.constant = true;
      return;
    }
    const auto producer = index_of_.find(source.id);
    if (producer == index_of_.end()) {
      if (some_id_is_unknown_) return;  // it may be the one meant, and was reported already
      diagnostics_.error(source.mark,
                         fmt::format("layer '{}' takes {} from layer {}, which does not exist", layer.name,
                                     source.operand, source.id),
                         known_ids());
      return;
    }
    if (producer->second > index) {
      // The search takes time linear in the file, so only the first errors get a circle.
      const std::string circle =
          ++circles_looked_for_ <= 100 ? path_text(index, producer->second) : std::string();
      diagnostics_.error(
          source.mark,
          fmt::format("layer '{}' takes {} from layer {}, which stands after it{}", layer.name,
                      source.operand, source.id, circle.empty() ? "" : " and depends on it: " + circle),
          circle.empty() ? "move the layer that produces it to before this one"
                         : "layers cannot feed themselves");
      return;
    }
    operand.sources.push_back(source.id);
    const std::pair<std::int64_t, std::int64_t> edge{source.id, id};
    if (known_edges_.insert(edge).second) edges_.push_back(edge);
  }

  /// "3 -> 5 -> 3" when entry `to` depends on entry `from`, else nothing.
  std::string path_text(std::size_t from, std::size_t to) const {
    std::map<std::size_t, std::size_t> consumer_of;  // seen entries, and for whom they were looked at
    std::vector<std::size_t> open = {to};
    consumer_of[to] = to;
    while (!open.empty()) {
      const std::size_t entry = open.back();
      open.pop_back();
      if (entry == from) {
        std::string text = std::to_string(*entries_[from].id);
        for (std::size_t at = from; at != to;) {
          at = consumer_of.at(at);
          text += fmt::format(" -> {}", *entries_[at].id);
        }
        return text + fmt::format(" -> {}", *entries_[from].id);
      }
      for (const OperandSource& source : entries_[entry].sources) {
        const auto producer = index_of_.find(source.id);
        if (producer == index_of_.end() || !consumer_of.emplace(producer->second, entry).second) continue;
        open.push_back(producer->second);
      }
    }
    return "";
  }

  std::string known_ids() const {
    constexpr std::size_t most_listed = 8;
    std::string text = "ids in this file: ";
    std::size_t listed = 0;
    for (const auto& [id, index] : index_of_) {
      if (listed == most_listed) return text + ", ...";
      text += fmt::format("{}{}", listed == 0 ? "" : ", ", id);
      ++listed;
    }
    return text;
  }

  std::vector<LayerEntry>& entries_;
  Diagnostics& diagnostics_;
  std::map<std::int64_t, std::size_t> index_of_;
  std::vector<std::pair<std::int64_t, std::int64_t>> edges_;
  std::set<std::pair<std::int64_t, std::int64_t>> known_edges_;
  bool some_id_is_unknown_ = false;
  int circles_looked_for_ = 0;
};

Workload read_document(const yaml::Node& root, const std::string& name, const MappingFile& mapping,
                       const Rules& rules, Diagnostics& found, Diagnostics& diagnostics) {
  Workload workload;
  workload.name = std::filesystem::path(name).stem().string();
  if (!yaml::expect_list(root, "a workload file", found)) yaml::hand_over(found, diagnostics);
  if (root.items.empty()) found.error(root.mark, "the workload has no layers");

  std::vector<LayerEntry> entries;
  for (const yaml::Node& item : root.items) entries.push_back(read_layer(item, rules, found));
  workload.edges = SourceResolver(entries, found).resolve_all();
  if (!found.has_errors()) {
    const MappingSelection selection(mapping);
    for (LayerEntry& entry : entries) {
      select_mapping(*entry.layer, selection, rules, entry.mark, found);
      workload.node_order.push_back(entry.layer->id);
      workload.layers.push_back(std::move(entry.layer));
    }
  }
  yaml::hand_over(found, diagnostics);
  return workload;
}

}  // namespace

Workload read_workload(const std::string& path, const MappingFile& mapping, const Rules& rules,
                       Diagnostics& diagnostics, const Files& files) {
  Diagnostics found;
  return read_document(yaml::load_file(path, found, files), path, mapping, rules, found, diagnostics);
}

Workload read_workload_text(const std::string& text, const std::string& name, const MappingFile& mapping,
                            const Rules& rules, Diagnostics& diagnostics) {
  Diagnostics found;
  return read_document(yaml::load_text(text, name, found), name, mapping, rules, found, diagnostics);
}

}  // namespace zz::core
