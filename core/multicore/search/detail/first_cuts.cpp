#include "core/multicore/search/detail/first_cuts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/multicore/search/cut_menu.hpp"

namespace zz::core {
namespace {

/// Loops whose iterations make different outputs with different weights, or with the same.
struct LoopNames {
  std::set<std::string> channels, positions;
};

LoopNames names_of(const std::vector<std::shared_ptr<const Layer>>& layers, const CutMenuOptions& options) {
  LoopNames names;
  const auto may_be_cut = [&](const std::string& name) {
    return options.dimensions.empty() || std::find(options.dimensions.begin(), options.dimensions.end(),
                                                   name) != options.dimensions.end();
  };
  for (const auto& layer : layers) {
    const std::vector<int> constants = constants_in_source_order(*layer);
    for (int loop = 0; loop < static_cast<int>(layer->loops.size()); ++loop) {
      const std::string& name = layer->loops[loop].name;
      if (layer->loops[loop].size == 1 || !may_be_cut(name)) continue;
      if (layer->relevancy(0, loop) != Relevancy::relevant) continue;
      const bool weights =
          !constants.empty() && layer->relevancy(constants.back(), loop) == Relevancy::relevant;
      (weights ? names.channels : names.positions).insert(name);
    }
  }
  for (const std::string& name : names.channels) names.positions.erase(name);
  return names;
}

/// The hints as one layer takes them: loops that it has, in counts of the menu.
Cut fitted(const Cut& hints, const Layer& layer, std::int64_t most_pieces) {
  Cut cut;
  std::int64_t pieces = 1;
  for (const CutLoop& hint : hints) {
    const std::int64_t size = layer.loop_size(hint.dimension);
    const std::int64_t wanted = std::min({hint.count.value_or(size), size, most_pieces / pieces});
    const std::vector<std::int64_t> counts = piece_counts(size, 1, wanted);
    if (counts.empty()) continue;
    const std::int64_t count = counts.back();
    cut.push_back({hint.dimension, count, hint.spread && may_be_spread(layer, hint.dimension)});
    pieces *= count;
  }
  return cut;
}

int index_of(std::vector<Cut>& cuts, const Cut& cut) {
  const auto found = std::find(cuts.begin(), cuts.end(), cut);
  if (found == cuts.end()) cuts.push_back(cut);
  return static_cast<int>(std::find(cuts.begin(), cuts.end(), cut) - cuts.begin());
}

/// The cut of a layer in a start, every loop of which it must have.
Cut start_of(const Layer& layer, const std::vector<CutEntry>& start) {
  for (const CutEntry& entry : start) {
    if (std::find(entry.layers.begin(), entry.layers.end(), layer.id) == entry.layers.end()) continue;
    Cut cut;
    for (const CutLoop& hint : entry.loops) {
      const std::int64_t size = layer.loop_size(hint.dimension);
      if (layer.loop_index(hint.dimension) >= 0)
        cut.push_back({hint.dimension, std::min(hint.count.value_or(size), size), hint.spread});
    }
    return cut;
  }
  throw InputError(
      fmt::format("'start' has no hint loops for layer {} '{}'; expected an entry for each layer", layer.id,
                  layer.name));
}

/// Layers and loops that a start names must be those of the network.
void check_start(const Workload& workload, const std::vector<CutEntry>& start) {
  std::set<std::string> names;
  for (const auto& layer : workload.layers)
    for (const LoopDimension& loop : layer->loops) names.insert(loop.name);
  const std::vector<std::string> known(names.begin(), names.end());
  const std::vector<std::int64_t>& ids = workload.node_order;
  Diagnostics problems;
  for (const CutEntry& entry : start) {
    for (const std::int64_t id : entry.layers)
      if (std::find(ids.begin(), ids.end(), id) == ids.end())
        problems.error({},
                       fmt::format("'start' names layer {}, which '{}' does not have", id, workload.name),
                       "it has to fit the network");
    for (const CutLoop& hint : entry.loops) {
      if (names.count(hint.dimension) == 0)
        problems.error({},
                       fmt::format("'start' names '{}', which is no loop of any layer of '{}'",
                                   hint.dimension, workload.name),
                       suggestion(hint.dimension, known));
      if (hint.count.value_or(1) < 1)
        problems.error({},
                       fmt::format("'start' cuts {} into {} pieces; expected 1 or more, or 'all'",
                                   hint.dimension, *hint.count),
                       "");
    }
  }
  problems.throw_if_errors();
}

}  // namespace

FirstCuts first_cuts(const Workload& workload, const ScheduleSearchOptions& options) {
  const CutMenuOptions menu{options.dimensions,
                            most_pieces_of_a_layer(options.most_nodes, workload.layers.size())};
  const std::vector<std::shared_ptr<const Layer>> layers = layers_by_id(workload);
  check_start(workload, options.start);
  FirstCuts first{cut_menus(workload, menu), {}};
  if (!options.start.empty()) {
    Partition& partition = first.partitions.emplace_back();
    for (std::size_t i = 0; i < layers.size(); ++i)
      partition.push_back(index_of(first.menus[i], start_of(*layers[i], options.start)));
  }
  const LoopNames names = names_of(layers, menu);
  std::vector<Cut> by_position{{}}, by_channel{{}};
  for (const std::string& name : names.positions)
    for (const std::int64_t count : {2, 4, 7, 14, 28, 56, 112}) by_position.push_back({{name, count}});
  for (const std::string& name : names.positions) by_position.push_back({{name, std::nullopt}});
  for (const std::int64_t count : {2, 4, 8, 16}) {
    Cut& all = by_channel.emplace_back();
    for (const std::string& name : names.channels) all.push_back({name, count});
  }
  // Spread, when the channels stay whole: these separate groups by themselves.
  std::vector<Cut> spread;
  for (const Cut& position : by_position)
    for (const CutLoop& loop : position) spread.push_back({{loop.dimension, loop.count, true}});
  std::set<Partition> known(first.partitions.begin(), first.partitions.end());
  const auto add = [&](const Cut& hints) {
    Partition partition;
    for (std::size_t i = 0; i < layers.size(); ++i)
      partition.push_back(index_of(first.menus[i], fitted(hints, *layers[i], menu.most_pieces)));
    if (known.insert(partition).second) first.partitions.push_back(std::move(partition));
  };
  for (const Cut& position : by_position) {
    for (const Cut& channel : by_channel) {
      for (const bool channels_inside : {false, true}) {
        Cut hints = channels_inside ? channel : position;
        const Cut& outside = channels_inside ? position : channel;
        hints.insert(hints.end(), outside.begin(), outside.end());
        add(hints);
      }
    }
  }
  for (const Cut& cut : spread) add(cut);
  return first;
}

}  // namespace zz::core
