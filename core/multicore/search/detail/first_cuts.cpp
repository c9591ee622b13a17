#include "core/multicore/search/detail/first_cuts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/multicore/cuts/cut_menu.hpp"
#include "core/multicore/graph/samples.hpp"
#include "core/multicore/search/detail/segment_plans.hpp"

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
      if (options.samples > 1 && name == batch_loop) continue;
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

/// The cut of a layer in a start, every loop of which it must have.
Cut start_of(const Layer& layer, const std::vector<CutEntry>& start, int samples) {
  for (const CutEntry& entry : start) {
    if (std::find(entry.layers.begin(), entry.layers.end(), layer.id) == entry.layers.end()) continue;
    Cut cut;
    for (const CutLoop& hint : entry.loops) {
      const std::int64_t size = layer.loop_size(hint.dimension);
      if (layer.loop_index(hint.dimension) >= 0)
        cut.push_back(
            {hint.dimension, std::min(hint.count.value_or(size), size), hint.spread, hint.lockstep});
    }
    for (const CutLoop& hint : entry.loops)
      if (samples > 1 && hint.dimension == samples_loop)
        cut.push_back({samples_loop, hint.count.value_or(samples), hint.spread, hint.lockstep});
    if (samples > 1) sample_cut(cut, layer, samples);  // throws
    return cut;
  }
  throw InputError(
      fmt::format("'start' has no hint loops for layer {} '{}'; expected an entry for each layer", layer.id,
                  layer.name));
}

/// With several samples the network is that of one: a batch of its own stays whole.
void check_start_batch(const Workload& workload, const CutEntry& entry, int samples,
                       Diagnostics& problems) {
  for (const std::int64_t id : entry.layers) {
    const Layer* layer = workload.layer(id);
    if (layer == nullptr || layer->loop_size(batch_loop) == 1) continue;
    problems.error(
        {},
        fmt::format("'samples' is {}, where the network is that of one sample, but 'start' cuts the "
                    "batch loop {} of layer {} '{}', too",
                    samples, batch_loop, layer->id, layer->name),
        "give the network a batch of 1");
    return;
  }
}

/// Layers and loops that a start names must be those of the network.
void check_start(const Workload& workload, const ScheduleSearchOptions& options) {
  const std::vector<CutEntry>& start = options.start;
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
      if (options.samples > 1 && hint.dimension == batch_loop && hint.count.value_or(2) > 1)
        check_start_batch(workload, entry, options.samples, problems);
      if (options.samples > 1 && hint.dimension == samples_loop) continue;
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

int most_nodes_of(const ScheduleSearchOptions& options, std::size_t layers) {
  return options.most_nodes > 0 ? options.most_nodes : usual_most_nodes(layers, options.samples);
}

int most_nodes_of_one_sample(const ScheduleSearchOptions& options, std::size_t layers) {
  return options.most_nodes > 0 ? std::max(options.most_nodes / options.samples, static_cast<int>(layers))
                                : usual_most_nodes(layers, 1);
}

CutMenuOptions menu_options(const Workload& workload, const ScheduleSearchOptions& options) {
  const std::size_t layers = workload.layers.size();
  const int most = most_nodes_of(options, layers);
  const int most_of_one = most_nodes_of_one_sample(options, layers);
  return {options.dimensions, most_pieces_of_a_layer(most_of_one, layers), options.samples,
          most_pieces_of_a_layer(most, layers)};
}

namespace {

/// Cuts that are the same for all layers.
std::vector<Cut> uniform_hints(const LoopNames& names) {
  std::vector<Cut> by_position{{}}, by_channel{{}};
  for (const std::string& name : names.positions)
    for (const std::int64_t count : {2, 4, 7, 14, 28, 56, 112}) by_position.push_back({{name, count}});
  for (const std::string& name : names.positions) by_position.push_back({{name, std::nullopt}});
  for (const std::int64_t count : {2, 4, 8, 16}) {
    Cut& all = by_channel.emplace_back();
    for (const std::string& name : names.channels) all.push_back({name, count});
  }
  std::vector<Cut> uniform;
  for (const Cut& position : by_position) {
    for (const Cut& channel : by_channel) {
      for (const bool channels_inside : {false, true}) {
        Cut& hints = uniform.emplace_back(channels_inside ? channel : position);
        const Cut& outside = channels_inside ? position : channel;
        hints.insert(hints.end(), outside.begin(), outside.end());
      }
    }
  }
  // Spread, when the channels stay whole: these separate groups by themselves.
  for (const Cut& position : by_position)
    for (const CutLoop& loop : position) uniform.push_back({{loop.dimension, loop.count, true}});
  return uniform;
}

/// The cut of a layer with samples that are divided so, where its nodes can be.
Cut with_sample_cut(Cut cut, const Layer& layer, const CutLoop& samples) {
  const bool possible = samples.spread ? shares_weights(layer) : may_hold_samples(layer);
  if (possible) cut.push_back(samples);
  return cut;
}

/// Adds grids with so many samples in each node.
void add_grids(const Layer& layer, const LoopNames& names, int samples, int cores, int together,
               CutMenu& menu) {
  if (together > 1 && !may_hold_samples(layer)) return;
  for (Cut cut : grid_cuts(layer, cores, {names.positions.begin(), names.positions.end()},
                           {names.channels.begin(), names.channels.end()})) {
    if (together > 1) cut.push_back({samples_loop, samples / together});
    index_of(menu, cut);
  }
}

}  // namespace

FirstCuts first_cuts(const Workload& workload, const ScheduleSearchOptions& options, int cores) {
  const CutMenuOptions menu = menu_options(workload, options);
  const std::vector<std::shared_ptr<const Layer>> layers = layers_by_id(workload);
  check_start(workload, options);
  FirstCuts first;
  first.menus = cut_menus(workload, menu);
  if (!options.start.empty() && options.samples == 1) {
    Partition& partition = first.partitions.emplace_back();
    for (std::size_t i = 0; i < layers.size(); ++i)
      partition.push_back(index_of(first.menus[i], start_of(*layers[i], options.start, 1)));
  }
  const LoopNames names = names_of(layers, menu);
  const std::vector<Cut> uniform = uniform_hints(names);
  std::set<Partition> known(first.partitions.begin(), first.partitions.end());
  const auto add = [&](const Cut& hints, std::int64_t most_pieces, const CutLoop* samples) {
    Partition partition;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Cut cut = fitted(hints, *layers[i], most_pieces);
      partition.push_back(
          index_of(first.menus[i], samples != nullptr ? with_sample_cut(cut, *layers[i], *samples) : cut));
    }
    if (known.insert(partition).second) first.partitions.push_back(std::move(partition));
  };
  for (const Cut& hints : uniform) add(hints, menu.most_pieces, nullptr);
  if (options.samples == 1) return first;

  first.of_one_sample = std::exchange(first.partitions, {});
  for (std::size_t i = 0; i < layers.size(); ++i) {
    first.cuts_of_one_sample.push_back(static_cast<int>(first.menus[i].size()));
    const CutMenu others = sample_cuts(*layers[i], menu);
    first.menus[i].insert(first.menus[i].end(), others.begin(), others.end());
    add_grids(*layers[i], names, options.samples, cores,
              samples_of_plan(layers.size(), static_cast<std::size_t>(cores), options.samples,
                              most_nodes_of(options, layers.size())),
              first.menus[i]);
  }
  if (!options.start.empty()) {
    Partition& partition = first.partitions.emplace_back();
    for (std::size_t i = 0; i < layers.size(); ++i)
      partition.push_back(index_of(first.menus[i], start_of(*layers[i], options.start, options.samples)));
  }
  const CutLoop together{samples_loop, 1}, spread{samples_loop, options.samples, true};
  add({}, 1, &spread);
  for (const Cut& hints : uniform) add(hints, menu.most_pieces_of_all, &together);
  if (first.partitions.empty()) first.partitions = first.of_one_sample;
  return first;
}

}  // namespace zz::core
