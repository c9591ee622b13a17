#include "plugins/pictures/fused_tables.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/search/fused/fused_check.hpp"

namespace zz::plugins {
namespace {

using Role = core::FusedOperand::Role;

/// Groups whose figures have room under the title.
constexpr int most_told = 3;

class FusedTables {
 public:
  FusedTables(const core::FusedNetwork& network, const core::FusedMapping& mapping)
      : network_(network),
        mapping_(mapping),
        exchange_memory_(core::exchange_memory_of(mapping)),
        phases_(core::phase_rooms(network, mapping, exchange_memory_)) {
    for (const char* name : {"layers", "loops", "tiles", "room"}) tables_[name] = VegaTables::array();
  }

  VegaTables made() {
    for (const core::RepeatedGroup& group : core::distinct_groups(network_, mapping_)) add(group);
    const core::Accelerator& accelerator = *core::array_of(network_);
    const core::Memory& exchange_memory = accelerator.memories[exchange_memory_];
    tables_["exchange_memory"] = VegaTables::array(
        {{{"title", fmt::format("What stays in {}", exchange_memory.name)},
          {"subtitle", fmt::format("{} on {}{}", groups_text(), accelerator.name, saved_)},
          {"name", exchange_memory.name},
          {"capacity", exchange_memory.size},
          {"fullest", fullest_},
          {"lanes", lanes_},
          {"depth", depth_}}});
    return std::move(tables_);
  }

 private:
  const core::NetworkLayer& layer_of(int layer) const { return network_.layers[layer]; }
  const core::FusedLayer& member(int layer) const { return mapping_.layers[layer]; }
  const std::string& name(int layer) const { return layer_of(layer).layer->name; }
  /// "1.255e+12 to 4.773e+11 (-62 %)"
  static std::string change_text(double before, double after) {
    return fmt::format("{:.4g} to {:.4g} ({:+.2g} %)", before, after,
                       before > 0 ? 100 * (after / before - 1) : 0);
  }
  std::string groups_text() const {
    const std::size_t all = core::groups_of(network_, mapping_).size();
    return fmt::format("{} of {} group{}", groups_, all, all > 1 ? "s" : "");
  }

  void add(const core::RepeatedGroup& row) {
    const core::FusedGroup& group = row.group;
    ++groups_;
    if (groups_ <= most_told && layer_of(group.first).by_itself->mapping.loops > 0)
      saved_ += fmt::format("; {}{}: energy {} pJ, latency {} cycles", name(group.first),
                            row.times > 1 ? fmt::format(" (x {})", row.times) : "",
                            change_text(row.unfused, row.fused),
                            change_text(row.unfused_latency, row.fused_latency));
    const int begin = static_cast<int>(tables_["layers"].size());
    for (int layer = group.first; layer <= group.last; ++layer) {
      const int column = begin + layer - group.first;
      tables_["layers"].push_back(
          {{"layer", column},
           {"name", row.times > 1 && layer == group.first ? fmt::format("{} (x {})", name(layer), row.times)
                                                          : name(layer)}});
      add_room(layer, column);
    }
    add_loops(group, begin);
    add_tiles(group, begin);
  }

  /// Each loop from the first layer that it runs for to the last.
  void add_loops(const core::FusedGroup& group, int begin) {
    for (int layer = group.first; layer <= group.last; ++layer) {
      const auto& shared = member(layer).shared;
      const int before = layer > group.first ? member(layer - 1).with_next : 0;
      for (int depth = before; depth < static_cast<int>(shared.size()); ++depth) {
        int last = layer;
        while (last < group.last && member(last).with_next > depth) ++last;
        const core::SharedLoop& loop = shared[depth];
        tables_["loops"].push_back({{"loop", network_.axis_names[loop.axis]},
                                    {"iterations", loop.iterations},
                                    {"depth", depth},
                                    {"first", begin + layer - group.first},
                                    {"last", begin + last - group.first}});
        depth_ = std::max(depth_, depth + 1);
      }
    }
  }

  /// Tiles that overlap in time have lanes of their own.
  void add_tiles(const core::FusedGroup& group, int begin) {
    std::vector<int> free_from;  // by lane
    for (int layer = group.first; layer <= group.last; ++layer) {
      const core::FusedOperand& output = member(layer).operands[0];
      if (output.role != Role::exchanged) continue;
      const std::pair<int, int> room = phases_of(group, layer);
      const auto lane =
          std::find_if(free_from.begin(), free_from.end(), [&](int from) { return from <= room.first; });
      const auto number = lane - free_from.begin();
      if (lane == free_from.end())
        free_from.push_back(room.second + 1);
      else
        *lane = room.second + 1;
      lanes_ = std::max(lanes_, static_cast<int>(free_from.size()));
      double bits = 0;
      for (const core::PhaseRoom::Held& held : phases_[layer].held)
        if (held.layer == layer && held.operand == 0) bits = held.bits;
      tables_["tiles"].push_back({{"tensor", name(layer)},
                                  {"tile", tile_text(layer, output.depth)},
                                  {"bits", bits},
                                  {"lane", number},
                                  {"first", begin + room.first - group.first},
                                  {"last", begin + room.second - group.first}});
    }
  }

  /// The first and the last layer while which the result of a layer has room.
  std::pair<int, int> phases_of(const core::FusedGroup& group, int layer) const {
    std::pair<int, int> phases{layer, layer};
    for (int other = group.first; other <= group.last; ++other)
      for (const core::PhaseRoom::Held& held : phases_[other].held)
        if (held.layer == layer && held.operand == 0)
          phases = {std::min(phases.first, other), std::max(phases.second, other)};
    return phases;
  }

  /// "D 128 x K 64": what the outermost `depth` shared loops leave of a layer's output.
  std::string tile_text(int index, int depth) const {
    const core::Layer& layer = *layer_of(index).layer;
    std::vector<std::string> texts;
    for (const std::string& dimension : layer.operands.front().dimensions) {
      const int loop = layer.loop_index(dimension);
      if (loop < 0) continue;
      std::int64_t size = layer.loops[loop].size;
      for (int shared = 0; shared < depth; ++shared) {
        const core::SharedLoop& above = member(index).shared[shared];
        if (network_.axis_of(index, above.axis)->dimension == loop) size /= above.iterations;
      }
      if (size > 1) texts.push_back(fmt::format("{} {}", dimension, size));
    }
    return texts.empty() ? "one element" : fmt::format("{}", fmt::join(texts, " \u00d7 "));
  }

  void add_room(int layer, int column) {
    const core::PhaseRoom& phase = phases_[layer];
    for (const core::PhaseRoom::Held& held : phase.held) {
      const Role role = member(held.layer).operands[held.operand].role;
      const bool waits = role == Role::exchanged;
      const std::string& operand = layer_of(held.layer).layer->operands[held.operand].name;
      tables_["room"].push_back(
          {{"layer", column},
           {"what", waits ? name(held.layer) : fmt::format("{}.{}", name(held.layer), operand)},
           {"kind", waits                ? "exchanged"
                    : role == Role::kept ? "kept"
                                         : "brought"},
           {"order", waits                ? 0
                     : role == Role::kept ? 1
                                          : 2},
           {"bits", held.bits}});
    }
    fullest_ = std::max(fullest_, phase.bits);
  }

  const core::FusedNetwork& network_;
  const core::FusedMapping& mapping_;
  int exchange_memory_;
  std::vector<core::PhaseRoom> phases_;
  VegaTables tables_ = VegaTables::object();
  int groups_ = 0, lanes_ = 0, depth_ = 0;
  double fullest_ = 0;
  std::string saved_;  ///< energy and latency of the first groups, before and after
};

}  // namespace

VegaTables fused_tables(const core::FusedNetwork& network, const core::FusedMapping& mapping) {
  return FusedTables(network, mapping).made();
}

}  // namespace zz::plugins
