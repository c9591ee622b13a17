#include "core/search/fused/fused_network.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "core/search/fused/detail/tensor_origins.hpp"
#include "core/search/temporal/loop_factors.hpp"

namespace zz::core {
namespace {

/// All ways in which each dimension of the coarse side is a product of dimensions of the fine one, in their
/// order; at most two.
std::vector<std::vector<AxisMatch>> splits(const std::vector<std::int64_t>& coarse,
                                           const std::vector<std::int64_t>& fine) {
  std::vector<std::vector<AxisMatch>> found;
  std::vector<int> owner(fine.size(), -1);
  std::vector<std::int64_t> left = coarse;
  const std::function<void(std::size_t)> place = [&](std::size_t index) {
    if (found.size() > 1) return;
    if (index == fine.size()) {
      if (std::any_of(left.begin(), left.end(), [](std::int64_t size) { return size != 1; })) return;
      std::vector<AxisMatch>& matches = found.emplace_back();
      std::vector<std::int64_t> inside(coarse.size(), 1);
      for (std::size_t i = fine.size(); i-- > 0;) {
        const auto of = static_cast<std::size_t>(owner[i]);
        matches.push_back({owner[i], static_cast<int>(i), inside[of], 1, fine[i]});
        inside[of] *= fine[i];
      }
      return;
    }
    for (std::size_t of = 0; of < coarse.size(); ++of) {
      if (fine[index] == 1 || left[of] % fine[index] != 0) continue;
      left[of] /= fine[index];
      owner[index] = static_cast<int>(of);
      place(index + 1);
      left[of] *= fine[index];
    }
  };
  place(0);
  return found;
}

/// Rows and columns as heads, rows of several queries, and elements.
std::vector<AxisMatch> grouped_rows(const std::vector<std::int64_t>& coarse,
                                    const std::vector<std::int64_t>& fine) {
  if (coarse.size() != 2 || fine.size() != 3) return {};
  const std::int64_t rows = coarse[0], queries = fine[1] / rows;
  if (fine[1] % rows != 0 || queries < 2 || fine[0] * queries * fine[2] != coarse[1]) return {};
  return {{0, 1, 1, 1, rows},
          {1, 2, 1, 1, fine[2]},
          {1, 1, fine[2], rows, queries},
          {1, 0, fine[2] * queries, 1, fine[0]}};
}

std::vector<AxisMatch> turned(std::vector<AxisMatch> matches) {
  for (AxisMatch& match : matches) {
    std::swap(match.from, match.to);
    std::swap(match.from_inside, match.to_inside);
  }
  return matches;
}

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

std::vector<AxisMatch> match_axes(const std::vector<std::int64_t>& from,
                                  const std::vector<std::int64_t>& to) {
  // Axes of one element say nothing.
  std::vector<int> of_from, of_to;
  std::vector<std::int64_t> a, b;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] > 1) of_from.push_back(static_cast<int>(i)), a.push_back(from[i]);
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] > 1) of_to.push_back(static_cast<int>(i)), b.push_back(to[i]);
  if (product(a) != product(b)) return {};
  std::vector<AxisMatch> matches;
  if (a == b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      matches.push_back({static_cast<int>(i), static_cast<int>(i), 1, 1, a[i]});
  } else {
    const bool finer = b.size() >= a.size();
    const auto ways = finer ? splits(a, b) : splits(b, a);
    if (ways.size() > 1) return {};
    if (!ways.empty())
      matches = finer ? ways.front() : turned(ways.front());
    else
      matches = finer ? grouped_rows(a, b) : turned(grouped_rows(b, a));
  }
  for (AxisMatch& match : matches) {
    match.from = of_from[static_cast<std::size_t>(match.from)];
    match.to = of_to[static_cast<std::size_t>(match.to)];
  }
  return matches;
}

namespace {

/// A match between loops of two layers.
struct LoopMatch {
  int tensor, use;
  int from_layer, from, to_layer, to;  ///< layers, and their loops
  std::int64_t from_inside, to_inside, size;
};

/// Rows that one layer writes and a window of another one slides along.
struct WindowMatch {
  int tensor, use;
  int from_layer, from, to_layer, to;  ///< layers, and the loops over the rows that they make
  SlidingWindow window;                ///< without axis
};

/// A dimension of an operand's brackets.
struct DataDimension {
  int loop = -1;  ///< that walks it alone; -1: none
  std::int64_t size = 1;
  const DimensionRelation* window = nullptr;  ///< that slides along it
};

/// The loop of a window that is one element wide and moves by one: it walks the data alone. -1: none does.
int walking_loop(const Layer& layer, const DimensionRelation& window) {
  const int loop = layer.loop_index(window.output_loop);
  const bool alone = layer.loop_size(window.filter_loop) == 1 && window.stride == 1;
  return alone && loop >= 0 && layer.loops[loop].size == window.size ? loop : -1;
}

/// Those of an operand, in the order of its brackets.
std::vector<DataDimension> dimensions_of(const Layer& layer, int operand) {
  std::vector<DataDimension> dimensions;
  for (const std::string& name : layer.operands[operand].dimensions) {
    const int loop = layer.loop_index(name);
    const bool slides =
        loop >= 0 && layer.loops[loop].size > 1 && layer.relevancy(operand, loop) != Relevancy::relevant;
    if (loop >= 0) dimensions.push_back({slides ? -1 : loop, layer.loops[loop].size});
    for (const DimensionRelation& window : layer.relations)
      if (loop < 0 && window.data == name)
        dimensions.push_back({walking_loop(layer, window), window.size, &window});
  }
  return dimensions;
}

std::vector<std::int64_t> sizes_of(const std::vector<DataDimension>& dimensions) {
  std::vector<std::int64_t> sizes;
  for (const DataDimension& dimension : dimensions) sizes.push_back(dimension.size);
  return sizes;
}

/// Each element of the layer's result comes from all elements of its row, as of a normalisation. Softmax
/// may go on with a part of a row, as an online softmax does.
bool normalises_rows(const Layer& layer) {
  static const std::set<std::string> others = {"logsoftmax", "hardmax", "cumsum", "cumprod"};
  return layer.vector_work &&
         (layer.type.find("norm") != std::string::npos || others.count(layer.type) > 0);
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
  AxisParts(const std::vector<UnrolledLayer>& layers, std::vector<LoopMatch>& matches) {
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

/// What the unrolling leaves of a loop's parts for time, from the innermost part outwards. 1 where the
/// unrolling does not divide.
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

}  // namespace

UnrolledLayer mapped_alone(std::shared_ptr<const Layer> layer,
                           const std::shared_ptr<const Accelerator>& accelerator,
                           const JointOptions& options) {
  const JointOptimum optimum = find_joint_optimum(*layer, accelerator, options);
  UnrolledLayer mapped;
  mapped.layer = std::move(layer);
  mapped.unrolling = optimum.unrolling;
  mapped.problem = optimum.problem;
  mapped.unfused = optimum.certificate.value;
  mapped.unfused_bound = optimum.certificate.lower_bound;
  mapped.mapping = optimum.certificate.mapping;
  mapped.energy = optimum.energy;
  mapped.latency = optimum.latency;
  return mapped;
}

const LayerAxis* FusedNetwork::axis_of(int layer, int axis) const {
  for (const LayerAxis& own : axes[static_cast<std::size_t>(layer)])
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
  found.enlarged_sizes = network.enlarged_sizes;
  found.tensors = network.tensors;
  for (NetworkTensor& tensor : found.tensors) {
    tensor.producer = position[static_cast<std::size_t>(tensor.producer)];
    for (NetworkTensor::Use& use : tensor.uses) use.layer = position[static_cast<std::size_t>(use.layer)];
    std::stable_sort(
        tensor.uses.begin(), tensor.uses.end(),
        [](const NetworkTensor::Use& a, const NetworkTensor::Use& b) { return a.layer < b.layer; });
  }
  return found;
}

const Accelerator* array_of(const FusedNetwork& network) {
  for (const UnrolledLayer& layer : network.layers)
    if (layer.set >= 0 && !layer.on_vector_unit()) return layer.problem.accelerator.get();
  return nullptr;
}

FusedNetwork seen_from_home(FusedNetwork network, int home) {
  constexpr int alone = -1;
  for (UnrolledLayer& layer : network.layers)
    if (layer.memory(home) < 0) layer.set = alone;
  for (NetworkTensor& tensor : network.tensors) {
    const UnrolledLayer& producer = network.layers[static_cast<std::size_t>(tensor.producer)];
    for (const NetworkTensor::Use& use : tensor.uses) {
      const UnrolledLayer& reader = network.layers[static_cast<std::size_t>(use.layer)];
      if (!tensor.exchangeable || (producer.set >= 0 && reader.set >= 0)) continue;
      tensor.exchangeable = false;
      tensor.obstacle =
          fmt::format("'{}' and '{}' do not both have the home", producer.layer->name, reader.layer->name);
    }
  }
  return network;
}

FusedNetwork enlarged(const FusedNetwork& network, std::int64_t from, std::int64_t to) {
  FusedNetwork found = network;
  found.enlarged_sizes = {from, to};
  std::set<int> along_windows;
  for (std::size_t index = 0; index < found.layers.size(); ++index)
    for (const LayerAxis& axis : found.axes[index])
      if (const Layer& layer = *found.layers[index].layer;
          layer.relation_of_loop(layer.loops[static_cast<std::size_t>(axis.dimension)].name) >= 0)
        along_windows.insert(axis.axis);
  for (std::size_t index = 0; index < found.layers.size(); ++index) {
    UnrolledLayer& own = found.layers[index];
    if (own.set < 0) continue;
    Layer layer = *own.layer;
    for (LayerAxis& axis : found.axes[index]) {
      LoopDimension& loop = layer.loops[static_cast<std::size_t>(axis.dimension)];
      if (axis.size != from || along_windows.count(axis.axis) > 0) continue;
      loop.size = loop.size / from * to;
      axis.left = axis.left * to / from;
      axis.size = to;
    }
    if (layer == *own.layer) continue;
    own.enlarged_from = std::make_shared<const UnrolledLayer>(own);
    own.problem = unrolled_problem(layer, own.problem.accelerator, own.unrolling, own.problem.options);
    own.layer = std::make_shared<const Layer>(std::move(layer));
  }
  return found;
}

FusedNetwork fused_network(const Workload& workload, std::vector<UnrolledLayer> layers) {
  FusedNetwork network;
  network.layers = std::move(layers);
  const int count = static_cast<int>(network.layers.size());
  std::map<std::int64_t, int> index_of;
  for (int i = 0; i < count; ++i) index_of[network.layers[i].layer->id] = i;
  network.at_.assign(network.layers.size(), {-1, -1, -1});

  TensorOrigins origins(workload, index_of);
  std::vector<LoopMatch> matches;
  std::vector<WindowMatch> windows;
  for (int i = 0; i < count; ++i) {
    const Layer& layer = *network.layers[i].layer;
    const auto add_use = [&](int operand, const TensorOrigin& origin, bool mixed) {
      const int producer = index_of.at(origin.layer);
      if (producer >= i) return;
      const Layer& from = *network.layers[producer].layer;
      int& tensor = network.at_[producer][0];
      if (tensor < 0) {
        tensor = static_cast<int>(network.tensors.size());
        network.tensors.push_back({producer, {}, true, ""});
      }
      NetworkTensor& exchanged = network.tensors[tensor];
      const auto forbid = [&](std::string why) {
        exchanged.exchangeable = false;
        if (exchanged.obstacle.empty()) exchanged.obstacle = std::move(why);
      };
      const bool added = operand == NetworkTensor::added;
      if (!added && !exchanged.uses.empty() && exchanged.uses.back().layer == i)
        forbid(fmt::format("'{}' reads it twice", layer.name));
      exchanged.uses.push_back({i, operand, {}});
      if (!added && network.at_[i][operand] < 0) network.at_[i][operand] = tensor;
      // What is added meets the layer's own result.
      const LayerOperand& reads = layer.operands[added ? 0 : operand];
      const std::int64_t bits = added ? layer.final_output_precision : reads.precision;
      const std::vector<DataDimension> written = dimensions_of(from, 0);
      const std::vector<DataDimension> read = dimensions_of(layer, added ? 0 : operand);
      const std::vector<std::int64_t> sizes = sizes_of(written), read_sizes = sizes_of(read);
      // A window with a stride may leave elements out: they are made, and nobody reads them.
      const bool same_elements = product(sizes) == product(read_sizes);
      const bool moved = origin.moved || (added && !origin.in_place);
      if (mixed) forbid(fmt::format("'{}' reads it mixed with others", layer.name));
      if (moved || (!added && reads.offchip_elements > 0) || !same_elements)
        forbid(fmt::format("'{}' reads other elements than '{}' writes", layer.name, from.name));
      if (from.final_output_precision != bits)
        forbid(fmt::format("'{}' reads {} bits where '{}' writes {}", layer.name, bits, from.name,
                           from.final_output_precision));
      if (network.layers[i].set != network.layers[producer].set || network.layers[i].set < 0)
        forbid(fmt::format("'{}' and '{}' may not be fused", from.name, layer.name));
      if (mixed || moved || !same_elements) return;
      for (const AxisMatch& match : match_axes(sizes, read_sizes)) {
        const int from_loop = written[match.from].loop, to_loop = read[match.to].loop;
        // All of a row must be there before its first element can be read.
        if ((origin.rows || (!added && normalises_rows(layer))) &&
            match.to + 1 == static_cast<int>(read.size()))
          continue;
        if (normalises_rows(from) && match.from + 1 == static_cast<int>(written.size())) continue;
        if (from_loop < 0) continue;
        if (const DimensionRelation* slides = read[match.to].window; to_loop < 0 && slides != nullptr) {
          const int rows = layer.loop_index(slides->output_loop);
          if (rows >= 0 && match.size == slides->size && match.size == written[match.from].size)
            windows.push_back(
                {tensor,
                 static_cast<int>(exchanged.uses.size()) - 1,
                 producer,
                 from_loop,
                 i,
                 rows,
                 {-1, slides->stride, slides->dilation * (layer.loop_size(slides->filter_loop) - 1),
                  slides->padding_low}});
        }
        if (to_loop < 0) continue;
        matches.push_back({tensor, static_cast<int>(exchanged.uses.size()) - 1, producer, from_loop, i,
                           to_loop, match.from_inside, match.to_inside, match.size});
      }
    };
    for (int operand = 1; operand < static_cast<int>(layer.operands.size()); ++operand) {
      const std::vector<TensorOrigin> read = origins.of(layer.operands[operand].sources);
      for (const TensorOrigin& origin : read) add_use(operand, origin, read.size() > 1);
    }
    for (const TensorOrigin& origin : origins.added(layer.id)) add_use(NetworkTensor::added, origin, false);
  }

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
    const auto remaining =
        remaining_loops(*network.layers[i].problem.layer, *network.layers[i].problem.fractional,
                        network.layers[i].problem.options.rules);
    for (int loop = 0; loop < static_cast<int>(layer.loops.size()); ++loop) {
      std::int64_t in_time = 1;
      for (const RemainingLoop& left : remaining)
        if (left.dimension == loop) in_time = left.size;
      std::vector<std::int64_t> sizes;
      std::vector<int> of_part;
      parts.each(i, loop, [&](std::int64_t, std::int64_t size, int part) {
        sizes.push_back(size);
        of_part.push_back(part);
      });
      const std::vector<std::int64_t> left = left_of_parts(in_time, sizes);
      for (std::size_t part = 0; part < sizes.size(); ++part) {
        const int set = sets.find(of_part[part]);
        const auto [entry, fresh] = number.try_emplace(set, static_cast<int>(number.size()));
        if (fresh) network.axis_names.push_back(layer.name + "." + layer.loops[loop].name);
        network.axes[i].push_back({entry->second, loop, sizes[part], left[part]});
      }
    }
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
  return network;
}

}  // namespace zz::core
