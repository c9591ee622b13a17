#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "core/multicore/graph/detail/element_dependencies.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/thorough.hpp"

// Random small networks, executed iteration by iteration: who reads what whom wrote must be the
// dependencies.
namespace zz::test {
namespace {

using core::ComputationNodeGraph;
using core::CutLayer;
using core::Layer;
using core::ShapeChange;
using Index = std::vector<std::int64_t>;

/// Node of an iteration of the loops, from the definition of the outer loops.
int node_of(const CutLayer& cut_layer, const Index& at) {
  std::vector<std::int64_t> piece(at.size());
  for (std::size_t loop = 0; loop < at.size(); ++loop) {
    std::int64_t pieces = 1;
    for (const core::NodeLoop& outer : cut_layer.outer_loops)
      if (outer.loop == static_cast<int>(loop)) pieces *= outer.count;
    piece[loop] = at[loop] / ((cut_layer.layer->loops[loop].size + pieces - 1) / pieces);
  }
  std::int64_t sub_id = 0, weight = 1;
  for (const core::NodeLoop& outer : cut_layer.outer_loops) {
    sub_id += piece[outer.loop] % outer.count * weight;
    piece[outer.loop] /= outer.count;
    weight *= outer.count;
  }
  return cut_layer.first_node + static_cast<int>(sub_id);
}

template <class Visit>
void for_each_index(const Index& sizes, Visit visit) {
  Index at(sizes.size(), 0);
  for (;;) {
    visit(at);
    std::size_t axis = sizes.size();
    while (axis > 0 && ++at[axis - 1] == sizes[axis - 1]) at[--axis] = 0;
    if (axis == 0) return;
  }
}

Index sizes_of(const Layer& layer) {
  Index sizes;
  for (const core::LoopDimension& loop : layer.loops) sizes.push_back(loop.size);
  return sizes;
}

/// Element of an operand that an iteration touches, with groups and channels as one axis; nothing outside
/// of the data.
bool touched(const Layer& layer, int operand, const Index& at, Index& element) {
  element.clear();
  std::int64_t group = 0;
  for (const std::string& name : layer.operands[operand].dimensions) {
    if (name == "G") {
      group = at[layer.loop_index("G")];
    } else if (name == "IY" || name == "IX") {
      const core::DimensionRelation& relation = layer.relations[name == "IY" ? 0 : 1];
      const std::int64_t value = relation.stride * at[layer.loop_index(relation.output_loop)] +
                                 relation.dilation * at[layer.loop_index(relation.filter_loop)] -
                                 relation.padding_low;
      if (value < 0 || value >= relation.size) return false;
      element.push_back(value);
    } else {
      const int loop = layer.loop_index(name);
      const bool channel = layer.loop_index("G") >= 0 && (name == "K" || name == "C");
      element.push_back(channel ? group * layer.loops[loop].size + at[loop] : at[loop]);
    }
  }
  return true;
}

struct Data {
  Index shape;
  std::map<Index, int> writer;  ///< by element
};

/// The last write of each node.
Data run(const Layer& layer, const CutLayer& cut_layer) {
  Data data;
  for_each_index(sizes_of(layer), [&](const Index& at) {
    Index element;
    touched(layer, 0, at, element);
    auto [entry, is_new] = data.writer.try_emplace(element, node_of(cut_layer, at));
    // Partial sums are added in the order of the nodes.
    entry->second = std::max(entry->second, node_of(cut_layer, at));
    data.shape.resize(element.size());
    for (std::size_t i = 0; i < element.size(); ++i)
      data.shape[i] = std::max(data.shape[i], element[i] + 1);
  });
  return data;
}

Data reshaped(const Data& data, const Index& shape) {
  Data result{shape, {}};
  std::vector<const int*> in_order;
  for_each_index(data.shape, [&](const Index& at) {
    const auto found = data.writer.find(at);
    in_order.push_back(found == data.writer.end() ? nullptr : &found->second);
  });
  std::size_t next = 0;
  for_each_index(shape, [&](const Index& at) {
    if (const int* writer = in_order[next++]) result.writer[at] = *writer;
  });
  return result;
}

/// An operator chosen at random, and what it makes of the data.
Data changed_at_random(const Data& data, ShapeChange& change, std::mt19937& random) {
  const auto axis = static_cast<std::size_t>(random() % data.shape.size());
  Data result;
  switch (random() % 8) {
    case 0: {
      change.kind = ShapeChange::Kind::transpose;
      std::vector<std::int64_t> order(data.shape.size());
      for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = static_cast<std::int64_t>(order.size() - 1 - i);
      if (random() % 2 == 0) {
        std::shuffle(order.begin(), order.end(), random);
        change.indices = order;
      }
      for (const std::int64_t from : order) result.shape.push_back(data.shape[from]);
      for (const auto& [at, writer] : data.writer) {
        Index to;
        for (const std::int64_t from : order) to.push_back(at[from]);
        result.writer[to] = writer;
      }
      return result;
    }
    case 1: {
      change.kind = ShapeChange::Kind::flatten;
      change.axis = static_cast<std::int64_t>(random() % (data.shape.size() + 1));
      Index shape = {1, 1};
      for (std::size_t i = 0; i < data.shape.size(); ++i)
        shape[static_cast<std::int64_t>(i) < change.axis ? 0 : 1] *= data.shape[i];
      return reshaped(data, shape);
    }
    case 2: {
      change.kind = ShapeChange::Kind::gather;
      change.axis = static_cast<std::int64_t>(axis);
      result.shape = data.shape;
      result.shape[axis] = 1 + static_cast<std::int64_t>(random() % 3);
      for (std::int64_t i = 0; i < result.shape[axis]; ++i)
        change.indices.push_back(static_cast<std::int64_t>(random() % data.shape[axis]));
      change.shape = result.shape;
      for_each_index(result.shape, [&](const Index& at) {
        Index from = at;
        from[axis] = change.indices[at[axis]];
        if (const auto found = data.writer.find(from); found != data.writer.end())
          result.writer[at] = found->second;
      });
      return result;
    }
    case 3: {
      change.kind = ShapeChange::Kind::concat;
      change.axis = static_cast<std::int64_t>(axis);
      const std::int64_t constants = 1 + static_cast<std::int64_t>(random() % 2);
      change.indices = {constants};
      result.shape = data.shape;
      result.shape[axis] += constants;
      change.shape = result.shape;
      for (const auto& [at, writer] : data.writer) {
        Index to = at;
        to[axis] += constants;
        result.writer[to] = writer;
      }
      return result;
    }
    case 4: {  // some of the elements along each axis, backwards or repeated
      change.kind = ShapeChange::Kind::view;
      change.from = data.shape;
      Index step(data.shape.size()), first(data.shape.size());
      const Index strides = core::row_major_strides(data.shape);
      for (std::size_t i = 0; i < data.shape.size(); ++i) {
        step[i] = static_cast<std::int64_t>(random() % 4) - 1;
        const std::int64_t length = data.shape[i];
        const std::int64_t most = step[i] == 0 ? 3 : (length - 1) / std::abs(step[i]) + 1;
        result.shape.push_back(1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)));
        first[i] = step[i] < 0 ? length - 1 : 0;
        change.indices.push_back(step[i] * strides[i]);
        change.first += first[i] * strides[i];
      }
      change.shape = result.shape;
      for_each_index(result.shape, [&](const Index& at) {
        Index from = first;
        for (std::size_t i = 0; i < at.size(); ++i) from[i] += at[i] * step[i];
        if (const auto found = data.writer.find(from); found != data.writer.end())
          result.writer[at] = found->second;
      });
      return result;
    }
    case 5: {  // constants before and behind, or borders cut off
      change.kind = ShapeChange::Kind::pad;
      for (const std::int64_t length : data.shape) {
        change.indices.push_back(length == 1 ? 1 : static_cast<std::int64_t>(random() % 3) - 1);
        result.shape.push_back(std::max<std::int64_t>(
            1, length + change.indices.back() + static_cast<std::int64_t>(random() % 3) - 1));
      }
      change.shape = result.shape;
      for (const auto& [at, writer] : data.writer) {
        Index to = at;
        bool inside = true;
        for (std::size_t i = 0; i < to.size(); ++i) {
          to[i] += change.indices[i];
          inside = inside && to[i] >= 0 && to[i] < result.shape[i];
        }
        if (inside) result.writer[to] = writer;
      }
      return result;
    }
    default: {
      change.kind = ShapeChange::Kind::reshape;
      std::int64_t count = 1;
      for (const std::int64_t extent : data.shape) count *= extent;
      Index shape(random() % 2 == 0 ? 2 : 4, 1);
      for (std::int64_t prime = 2; count > 1; ++prime)
        for (; count % prime == 0; count /= prime) shape[random() % shape.size()] *= prime;
      change.shape = shape;
      if (random() % 2 == 0) change.shape[random() % shape.size()] = -1;
      return reshaped(data, shape);
    }
  }
}

std::int64_t between(std::mt19937& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

std::vector<core::CutLoop> random_hints(std::mt19937& random) {
  std::vector<core::CutLoop> hints;
  std::vector<std::string> names = {"B", "G", "K", "C", "OY", "OX", "FY", "FX", "D"};
  std::shuffle(names.begin(), names.end(), random);
  names.resize(random() % 8);
  for (const std::string& name : names) {
    hints.push_back({name, between(random, 1, 4)});
    if (random() % 4 == 0) hints.back().count.reset();
  }
  return hints;
}

/// A convolution that reads data of a shape of four axes.
ConvSizes random_conv(const Index& shape, std::mt19937& random) {
  ConvSizes sizes;
  sizes.b = shape[0];
  std::vector<std::int64_t> groups;
  for (std::int64_t g = 1; g <= shape[1]; ++g)
    if (shape[1] % g == 0) groups.push_back(g);
  sizes.g = groups[random() % groups.size()];
  sizes.c = shape[1] / sizes.g;
  sizes.k = between(random, 1, 4);
  sizes.iy = shape[2];
  sizes.ix = shape[3];
  sizes.stride = between(random, 1, 3);
  sizes.dilation = between(random, 1, 2);
  sizes.padding = between(random, 0, 2);
  sizes.fy = between(random, 1, 3);
  sizes.fx = between(random, 1, 2);
  sizes.oy = std::max<std::int64_t>(
      1, (sizes.iy + 2 * sizes.padding - sizes.dilation * (sizes.fy - 1) - 1) / sizes.stride + 1);
  sizes.ox = std::max<std::int64_t>(
      1, (sizes.ix + 2 * sizes.padding - sizes.dilation * (sizes.fx - 1) - 1) / sizes.stride + 1);
  return sizes;
}

void check_sums(const Layer& layer, const ComputationNodeGraph& graph, const CutLayer& cut_layer) {
  std::map<Index, std::set<int>> adding;
  for_each_index(sizes_of(layer), [&](const Index& at) {
    Index element;
    touched(layer, 0, at, element);
    adding[element].insert(node_of(cut_layer, at));
  });
  for (const auto& [element, nodes] : adding) {
    for (const int node : nodes) {
      CHECK(graph.nodes[node].group == graph.nodes[*nodes.begin()].group);
      CHECK(graph.nodes[node].final_output == (node == *nodes.rbegin()));
      CHECK(graph.nodes[node].tensors[0] == graph.nodes[*nodes.begin()].tensors[0]);
    }
  }
  std::map<int, std::int64_t> written;
  for (int n = cut_layer.first_node; n < cut_layer.first_node + cut_layer.node_count; ++n)
    written[graph.nodes[n].tensors[0]] = graph.tensors[graph.nodes[n].tensors[0]].bits;
  std::int64_t bits = 0;
  for (const auto& [tensor, size] : written) bits += size;
  CHECK(bits == static_cast<std::int64_t>(adding.size()) * layer.final_output_precision);
}

}  // namespace

TEST_CASE("dependencies are those of the elements, on random networks") {
  std::mt19937 random(7);
  int edges_seen = 0;
  for (int round = 0; round < daily(300, 1500); ++round) {
    CAPTURE(round);
    core::SplitOptions options;
    options.mode = 3;
    options.cut_entries = {{{0}, random_hints(random)}, {{9}, random_hints(random)}};
    ConvSizes first = random_conv(
        {between(random, 1, 2), 2 * between(random, 1, 2), between(random, 2, 6), between(random, 2, 4)},
        random);
    NetworkBuilder network;
    const Layer producer = conv_layer(0, first, -1);
    network.add(producer);

    // The operators between, followed with a writer that only says where an element was.
    Data shape_only{{first.b, first.g * first.k, first.oy, first.ox}, {}};
    for_each_index(shape_only.shape, [&](const Index& at) {
      shape_only.writer[at] = static_cast<int>(shape_only.writer.size());
    });
    Data data = shape_only;
    std::int64_t last = 0;
    const auto operators = static_cast<std::int64_t>(random() % 4);
    for (std::int64_t i = 1; i <= operators; ++i) {
      ShapeChange change;
      if (random() % 4 != 0) data = changed_at_random(data, change, random);
      network.add(i, change, {last});
      last = i;
    }
    const Layer consumer = data.shape.size() == 4
                               ? conv_layer(9, random_conv(data.shape, random), last)
                               : gemm_layer(9, data.shape[0], data.shape[1], between(random, 1, 4), last);
    if (consumer.mac_count() > 40000) continue;
    network.add(consumer);
    const auto has_loop = [&](const core::CutLoop& hint) {
      return producer.loop_index(hint.dimension) >= 0 || consumer.loop_index(hint.dimension) >= 0;
    };
    for (core::CutEntry& entry : options.cut_entries)
      entry.loops.erase(std::remove_if(entry.loops.begin(), entry.loops.end(),
                                       [&](const core::CutLoop& hint) { return !has_loop(hint); }),
                        entry.loops.end());

    const ComputationNodeGraph graph = split(network.workload(), options);
    check_sums(producer, graph, graph.layers[0]);
    check_sums(consumer, graph, graph.layers[1]);

    const Data written = run(producer, graph.layers[0]);
    std::vector<int> by_place;
    for_each_index(shape_only.shape, [&](const Index& at) { by_place.push_back(written.writer.at(at)); });
    std::set<std::tuple<int, int, int>> expected, found;
    for_each_index(sizes_of(consumer), [&](const Index& at) {
      Index element;
      if (!touched(consumer, 2, at, element)) return;
      if (const auto place = data.writer.find(element); place != data.writer.end())
        expected.emplace(by_place[place->second], node_of(graph.layers[1], at), 2);
    });
    for (const core::Dependency& edge : graph.dependencies) {
      if (edge.operand < 0) continue;
      CHECK(found.emplace(edge.from, edge.to, edge.operand).second);
      CHECK(edge.bits == graph.tensors[graph.nodes[edge.from].tensors[0]].bits);
    }
    CHECK(found == expected);
    edges_seen += static_cast<int>(found.size());
  }
  CHECK(edges_seen > daily(2000, 12000));
}

}  // namespace zz::test
