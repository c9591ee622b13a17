#include "core/search/fused/fused_network.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "core/search/fused/detail/tensor_matches.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

/// Axis names by union-find; a set never has two parts of one layer.
class AxisSets {
 public:
  explicit AxisSets(const std::vector<int>& layer_of_part) : parent_(layer_of_part.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (const int layer : layer_of_part) layers_.push_back({layer});
  }
  int find(int part) {
    while (parent_[part] != part) part = parent_[part] = parent_[parent_[part]];
    return part;
  }
  void join(int a, int b) {
    a = find(a), b = find(b);
    if (a == b) return;
    if (std::any_of(layers_[b].begin(), layers_[b].end(),
                    [&](int layer) { return layers_[a].count(layer) > 0; }))
      return;
    parent_[b] = a;
    layers_[a].insert(layers_[b].begin(), layers_[b].end());
  }

 private:
  std::vector<int> parent_;
  std::vector<std::set<int>> layers_;
};

/// The loops of all layers, cut into axes.
class AxisParts {
 public:
  AxisParts(const std::vector<NetworkLayer>& layers, std::vector<LoopMatch>& matches) {
    cuts_.resize(layers.size());
    for (;;) {
      for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        cuts_[layer].clear();
        for (const LoopDimension& loop : layers[layer].layer->loops) cuts_[layer].push_back({1, loop.size});
      }
      spread(matches);
      const std::size_t before = matches.size();
      std::erase_if(matches, [&](const LoopMatch& match) {
        return !is_chain(cuts_[match.from_layer][match.from]) || !is_chain(cuts_[match.to_layer][match.to]);
      });
      if (matches.size() == before) break;
    }
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      first_.emplace_back();
      for (const auto& cuts : cuts_[layer]) {
        first_[layer].push_back(static_cast<int>(layer_of.size()));
        layer_of.insert(layer_of.end(), cuts.size() > 1 ? cuts.size() - 1 : 1, static_cast<int>(layer));
      }
    }
  }

  /// Calls use(inside, size, part) for each part of a loop, from the innermost one outwards.
  template <class Use>
  void each(int layer, int loop, const Use& use) const {
    int part = first_[layer][loop];
    const std::set<std::int64_t>& cuts = cuts_[layer][loop];
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut, ++part)
      use(*cut, *std::next(cut) / *cut, part);
  }
  bool is_one(int layer, int loop) const { return cuts_[layer][loop].size() <= 2; }
  /// The part of a loop that begins with `inside` elements below it.
  int at(int layer, int loop, std::int64_t inside) const {
    const std::set<std::int64_t>& cuts = cuts_[layer][loop];
    return first_[layer][loop] + static_cast<int>(std::distance(cuts.begin(), cuts.find(inside)));
  }

  std::vector<int> layer_of;  ///< by part

 private:
  static bool is_chain(const std::set<std::int64_t>& cuts) {
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut)
      if (*std::next(cut) % *cut != 0) return false;
    return true;
  }
  /// Cuts inside of an axis are cuts of it in both layers.
  void spread(const std::vector<LoopMatch>& matches) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const LoopMatch& match : matches) {
        auto& from = cuts_[match.from_layer][match.from];
        auto& to = cuts_[match.to_layer][match.to];
        const auto copy = [&](std::set<std::int64_t>& of, std::int64_t of_inside,
                              std::set<std::int64_t>& into, std::int64_t into_inside) {
          changed = of.insert(of_inside).second || changed;
          changed = of.insert(of_inside * match.size).second || changed;
          for (const std::int64_t cut : std::set<std::int64_t>(of)) {
            if (cut < of_inside || cut > of_inside * match.size || cut % of_inside != 0) continue;
            changed = into.insert(cut / of_inside * into_inside).second || changed;
          }
        };
        copy(from, match.from_inside, to, match.to_inside);
        copy(to, match.to_inside, from, match.from_inside);
      }
    }
  }

  std::vector<std::vector<std::set<std::int64_t>>> cuts_;  ///< by layer and loop
  std::vector<std::vector<int>> first_;
};

/// Iterations that the unrolling leaves of a loop's parts for time, from the innermost part outwards. 1
/// where the unrolling does not divide.
std::vector<std::int64_t> left_of_parts(std::int64_t in_time, const std::vector<std::int64_t>& sizes) {
  const std::int64_t all = product(sizes);
  std::vector<std::int64_t> left(sizes.size(), 1);
  if (in_time < 1 || all % in_time != 0) return left;
  std::int64_t unrolled = all / in_time;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (unrolled % sizes[i] == 0) {
      unrolled /= sizes[i];
    } else if (sizes[i] % unrolled == 0) {
      left[i] = sizes[i] / unrolled;
      unrolled = 1;
    } else {
      return std::vector<std::int64_t>(sizes.size(), 1);
    }
  }
  return left;
}

/// Axes of a layer, with what the unrolling of its problem leaves of them.
std::vector<LayerAxis> axes_under(std::vector<LayerAxis> axes, const MappingProblem& problem) {
  const std::vector<RemainingLoop> remaining =
      remaining_loops(*problem.layer, *problem.fractional, problem.options.rules);
  for (std::size_t first = 0, end = 0; first < axes.size(); first = end) {
    const int loop = axes[first].dimension;
    std::vector<std::int64_t> sizes;
    for (; end < axes.size() && axes[end].dimension == loop; ++end) sizes.push_back(axes[end].size);
    std::int64_t in_time = 1;
    for (const RemainingLoop& of : remaining)
      if (of.dimension == loop) in_time = of.size;
    const std::vector<std::int64_t> left = left_of_parts(in_time, sizes);
    for (std::size_t part = 0; part < sizes.size(); ++part) axes[first + part].left = left[part];
  }
  return axes;
}

}  // namespace

MappedLayer mapped_alone(std::shared_ptr<const Layer> layer, const JointOptimum& optimum,
                         Objective objective) {
  const JointOptimum& pair = optimum.chosen();
  MappedLayer mapped;
  mapped.unrolling = pair.unrolling;
  mapped.problem = pair.problem;
  Layer own = *layer;
  own.mapping.spatial_mapping = pair.unrolling;
  mapped.problem.layer = std::make_shared<const Layer>(std::move(own));
  mapped.layer = std::move(layer);
  mapped.value = value_of(objective, pair.energy, pair.latency);
  mapped.lower_bound = optimum.certificate.lower_bound;
  mapped.mapping = pair.certificate.mapping;
  mapped.energy = pair.energy;
  mapped.latency = pair.latency;
  return mapped;
}

const LayerAxis* axis_in(const std::vector<LayerAxis>& axes, int axis) {
  for (const LayerAxis& own : axes)
    if (own.axis == axis) return &own;
  return nullptr;
}

FusedNetwork reordered(const FusedNetwork& network, const std::vector<int>& order) {
  FusedNetwork found;
  std::vector<int> position(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) {
    const auto layer = static_cast<std::size_t>(order[at]);
    position[layer] = static_cast<int>(at);
    found.layers.push_back(network.layers[layer]);
    found.axes.push_back(network.axes[layer]);
    found.at_.push_back(network.at_[layer]);
  }
  found.axis_names = network.axis_names;
  found.lengths = network.lengths;
  found.tensors = network.tensors;
  for (NetworkTensor& tensor : found.tensors) {
    tensor.producer = position[tensor.producer];
    for (NetworkTensor::Use& use : tensor.uses) use.layer = position[use.layer];
    std::stable_sort(
        tensor.uses.begin(), tensor.uses.end(),
        [](const NetworkTensor::Use& a, const NetworkTensor::Use& b) { return a.layer < b.layer; });
  }
  return found;
}

const Accelerator* array_of(const FusedNetwork& network) {
  for (const NetworkLayer& layer : network.layers)
    if (layer.set >= 0 && !layer.on_vector_unit()) return layer.problem.accelerator.get();
  return nullptr;
}

FusedNetwork seen_from_exchange_memory(FusedNetwork network, int exchange_memory) {
  constexpr int alone = -1;
  for (NetworkLayer& layer : network.layers)
    if (layer.memory(exchange_memory) < 0) layer.set = alone;
  for (NetworkTensor& tensor : network.tensors) {
    const NetworkLayer& producer = network.layers[tensor.producer];
    for (const NetworkTensor::Use& use : tensor.uses) {
      const NetworkLayer& reader = network.layers[use.layer];
      if (!tensor.exchangeable || (producer.set >= 0 && reader.set >= 0)) continue;
      tensor.exchangeable = false;
      tensor.obstacle = fmt::format("'{}' and '{}' do not both have the exchange memory",
                                    producer.layer->name, reader.layer->name);
    }
  }
  return network;
}

FusedNetwork lengthened(const FusedNetwork& network, std::int64_t size, std::int64_t length) {
  FusedNetwork found = network;
  found.lengths = {size, length};
  std::set<int> fixed;
  for (std::size_t index = 0; index < found.layers.size(); ++index) {
    const NetworkLayer& own = found.layers[index];
    const bool divides =
        own.set >= 0 && !may_have_chains(*own.layer, *own.problem.accelerator, own.problem.options.rules);
    for (const LayerAxis& axis : found.axes[index]) {
      const LoopDimension& loop = own.layer->loops[axis.dimension];
      if (divides || loop.size != axis.size || own.layer->relation_of_loop(loop.name) >= 0)
        fixed.insert(axis.axis);
    }
  }
  for (std::size_t index = 0; index < found.layers.size(); ++index) {
    NetworkLayer& own = found.layers[index];
    if (own.set < 0) continue;
    for (LayerAxis& axis : found.axes[index]) {
      if (axis.size != size || axis.left == 1 || fixed.count(axis.axis) > 0) continue;
      own.problem.lengths.resize(own.layer->loops.size());
      axis.length = length;
      axis.left = length / (size / axis.left);
      own.problem.lengths[axis.dimension] = axis.left;
    }
  }
  return found;
}

FusedNetwork fused_network(const Workload& workload, std::vector<NetworkLayer> layers) {
  FusedNetwork network;
  network.layers = std::move(layers);
  TensorMatches found = match_tensors(workload, network.layers);
  network.tensors = std::move(found.tensors);
  network.at_ = std::move(found.at);
  std::vector<LoopMatch>& matches = found.loops;
  std::vector<WindowMatch>& windows = found.windows;
  const int count = network.layers.count();

  const AxisParts parts(network.layers, matches);
  AxisSets sets(parts.layer_of);
  const auto each_pair = [&](const LoopMatch& match, const auto& use) {
    parts.each(match.from_layer, match.from, [&](std::int64_t inside, std::int64_t, int part) {
      if (inside < match.from_inside || inside >= match.from_inside * match.size) return;
      use(part, parts.at(match.to_layer, match.to, inside / match.from_inside * match.to_inside));
    });
  };
  for (const bool several : {false, true})
    for (const LoopMatch& match : matches)
      if ((network.tensors[match.tensor].uses.size() > 1) == several)
        each_pair(match, [&](int a, int b) { sets.join(a, b); });
  // Rows that stand for several axes at once are whole along windows.
  std::erase_if(windows, [&](const WindowMatch& match) {
    return !parts.is_one(match.from_layer, match.from) || !parts.is_one(match.to_layer, match.to);
  });
  for (const WindowMatch& match : windows)
    sets.join(parts.at(match.from_layer, match.from, 1), parts.at(match.to_layer, match.to, 1));

  std::map<int, int> number;
  network.axes.resize(network.layers.size());
  for (int i = 0; i < count; ++i) {
    const Layer& layer = *network.layers[i].layer;
    for (int loop = 0; loop < static_cast<int>(layer.loops.size()); ++loop) {
      parts.each(i, loop, [&](std::int64_t, std::int64_t size, int part) {
        const auto [entry, fresh] = number.try_emplace(sets.find(part), static_cast<int>(number.size()));
        if (fresh) network.axis_names.push_back(layer.name + "." + layer.loops[loop].name);
        network.axes[i].push_back({entry->second, loop, size, size, 1});
      });
    }
    network.axes[i] = axes_under(std::move(network.axes[i]), network.layers[i].problem);
  }
  for (const LoopMatch& match : matches) {
    std::vector<int>& axes = network.tensors[match.tensor].uses[match.use].axes;
    each_pair(match, [&](int a, int b) {
      if (sets.find(a) == sets.find(b)) axes.push_back(number.at(sets.find(a)));
    });
    std::sort(axes.begin(), axes.end());
  }
  for (WindowMatch& match : windows) {
    const int from = sets.find(parts.at(match.from_layer, match.from, 1));
    if (from != sets.find(parts.at(match.to_layer, match.to, 1))) continue;
    NetworkTensor::Use& use = network.tensors[match.tensor].uses[match.use];
    match.window.axis = number.at(from);
    use.axes.insert(std::upper_bound(use.axes.begin(), use.axes.end(), match.window.axis),
                    match.window.axis);
    use.windows.push_back(match.window);
  }
  // Rows of a tile wait for windows without the other rows of their blocks.
  for (NetworkTensor& tensor : network.tensors) {
    const Layer& from = *network.layers[tensor.producer].layer;
    const int loop = block_loop(from, 0, from.final_output_scale);
    if (loop < 0 || !tensor.exchangeable) continue;
    const int set = sets.find(parts.at(tensor.producer, loop, 1));
    if (std::none_of(windows.begin(), windows.end(), [&](const WindowMatch& match) {
          return sets.find(parts.at(match.from_layer, match.from, 1)) == set &&
                 sets.find(parts.at(match.to_layer, match.to, 1)) == set;
        }))
      continue;
    tensor.exchangeable = false;
    tensor.obstacle = fmt::format("windows slide along {}, along which '{}' writes blocks",
                                  from.loops[loop].name, from.name);
  }
  return network;
}

}  // namespace zz::core
