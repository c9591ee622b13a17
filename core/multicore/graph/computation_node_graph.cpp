#include "core/multicore/graph/computation_node_graph.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "core/base/diagnostics.hpp"

namespace zz::core {
namespace {

/// Dependencies by one of their ends, in order of construction: a counting sort.
void sort_by_end(const std::vector<Dependency>& dependencies, int Dependency::*end, std::size_t nodes,
                 std::vector<int>& begin, std::vector<int>& sorted) {
  begin.assign(nodes + 1, 0);
  for (const Dependency& dependency : dependencies) ++begin[dependency.*end + 1];
  for (std::size_t node = 0; node < nodes; ++node) begin[node + 1] += begin[node];
  std::vector<int> next(begin.begin(), begin.end() - 1);
  sorted.resize(dependencies.size());
  for (std::size_t i = 0; i < dependencies.size(); ++i)
    sorted[next[dependencies[i].*end]++] = static_cast<int>(i);
}

/// In units that are read at a glance.
std::string bytes_text(double bytes) {
  constexpr double giga = 1e9, mega = 1e6;
  return bytes < giga ? fmt::format("{:.0f} MB", bytes / mega) : fmt::format("{:.1f} GB", bytes / giga);
}

std::string name_of(const ComputationNodeGraph& graph, std::size_t node) {
  const CutLayer& cut_layer = graph.layers[graph.nodes[node].layer];
  return fmt::format("node {} of layer {} '{}'", graph.nodes[node].sub_id, cut_layer.layer->id,
                     cut_layer.layer->name);
}

void check_node_order(const ComputationNodeGraph& graph) {
  std::vector<char> named(graph.nodes.size(), 0);
  for (const int node : graph.node_order) {
    if (node < 0 || static_cast<std::size_t>(node) >= graph.nodes.size()) {
      throw InputError(fmt::format("the order of the computation nodes names number {}; expected 0 to {}",
                                   node, static_cast<std::int64_t>(graph.nodes.size()) - 1));
    }
    if (named[node]) {
      throw InputError(
          fmt::format("the order of the computation nodes names {} twice", name_of(graph, node)));
    }
    named[node] = 1;
  }
  const auto missing = std::find(named.begin(), named.end(), 0);
  if (missing == named.end()) return;
  throw InputError(fmt::format("the order of the computation nodes leaves out {}",
                               name_of(graph, static_cast<std::size_t>(missing - named.begin()))));
}

class GraphCheck {
 public:
  explicit GraphCheck(const ComputationNodeGraph& graph) : graph_(graph) {}

  void check_all() {
    std::size_t first = 0;
    at("samples", 0);
    require(graph_.samples >= 1, "must be 1 or more");
    for (std::size_t i = 0; i < graph_.layers.size(); ++i) {
      at("layers", i);
      check_layer(graph_.layers[i], first);
      if (i > 0 && graph_.layers[i].layer->id <= graph_.layers[i - 1].layer->id)
        fail("layers must ascend by their ids");
      first += static_cast<std::size_t>(graph_.layers[i].node_count);
    }
    at("nodes", graph_.nodes.size());
    require(first == graph_.nodes.size(), "the layers have another number of nodes in all");
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      at("tensors", i);
      const PieceTensor& tensor = graph_.tensors[i];
      require_position(tensor.layer, graph_.layers.size(), "layer");
      require_position(tensor.operand, graph_.layers[tensor.layer].layer->operands.size(), "operand");
      require_position(tensor.first_node, graph_.nodes.size(), "first_node");
      require(tensor.bits >= 0, "bits must not be negative");
    }
    for (std::size_t i = 0; i < graph_.dependencies.size(); ++i) {
      at("dependencies", i);
      const Dependency& dependency = graph_.dependencies[i];
      require_position(dependency.from, graph_.nodes.size(), "from");
      require_position(dependency.to, graph_.nodes.size(), "to");
      const Layer& layer = *graph_.layers[graph_.nodes[dependency.to].layer].layer;
      if (dependency.operand != -1) require_position(dependency.operand, layer.operands.size(), "operand");
    }
    check_order();
  }

 private:
  void check_layer(const CutLayer& cut_layer, std::size_t first) {
    require(cut_layer.layer != nullptr && cut_layer.piece != nullptr, "needs a layer and a tile");
    const Layer& layer = *cut_layer.layer;
    require(
        layer.operands.size() <= most_operands && cut_layer.piece->operands.size() == layer.operands.size(),
        "its layer and its tile must have the same operands, three at most");
    for (const SmallerPiece& smaller : cut_layer.smaller_pieces)
      require(smaller.piece != nullptr && smaller.piece->operands.size() == layer.operands.size(),
              "its smaller tiles must be layers with the same operands");
    require(cut_layer.loop_sizes.empty() || cut_layer.loop_sizes.size() == layer.loops.size(),
            "needs a size for each loop of the layer");
    std::int64_t pieces = 1;
    for (const NodeLoop& loop : cut_layer.outer_loops) {
      require_position(loop.loop, layer.loops.size(), "outer_loops.loop");
      require(loop.count >= 1 && loop.count <= std::int64_t{1} << 31, "outer_loops.count is out of range");
      pieces = pieces > std::int64_t{1} << 31 ? pieces : pieces * loop.count;
    }
    require(cut_layer.samples >= 1 && graph_.samples % cut_layer.samples == 0,
            "samples must divide those of the graph");
    const int repeats = graph_.samples / cut_layer.samples;
    require(cut_layer.node_count % repeats == 0 && pieces == cut_layer.node_count / repeats,
            "node_count is not what the outer loops and the samples make");
    for (const int constant : cut_layer.constants)
      require_position(constant, layer.operands.size(), "constants");
    require(cut_layer.first_node >= 0 && static_cast<std::size_t>(cut_layer.first_node) == first &&
                first + static_cast<std::size_t>(cut_layer.node_count) <= graph_.nodes.size(),
            "its nodes do not follow those of the layer before");
    for (int sub_id = 0; sub_id < cut_layer.node_count; ++sub_id) check_node(cut_layer, sub_id);
  }

  void check_node(const CutLayer& cut_layer, int sub_id) {
    const ComputationNode& node = graph_.nodes[cut_layer.first_node + sub_id];
    const bool own = node.sub_id == sub_id && node.layer >= 0 &&
                     static_cast<std::size_t>(node.layer) < graph_.layers.size() &&
                     &graph_.layers[node.layer] == &cut_layer;
    if (!own) fail(fmt::format("node {} of the graph is not its own", cut_layer.first_node + sub_id));
    require_position(node.group, static_cast<std::size_t>(cut_layer.group_count), "group");
    require_position(node.shape, 1 + cut_layer.smaller_pieces.size(), "shape");
    for (const int tensor : node.tensors)
      if (tensor != -1) require_position(tensor, graph_.tensors.size(), "tensors");
  }

  void check_order() {
    at("node_order", 0);
    require(graph_.node_order.size() == graph_.nodes.size(), "must name each node once");
    std::vector<char> named(graph_.nodes.size());
    for (const int node : graph_.node_order) {
      require_position(node, graph_.nodes.size(), "the entry");
      if (named[node] != 0) fail(fmt::format("node {} is named twice", node));
      named[node] = 1;
    }
  }

  void at(const char* list, std::size_t item) {
    list_ = list;
    item_ = item;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("graph of computation nodes: {}[{}]: {}", list_, item_, what));
  }
  void require(bool holds, const char* what) const {
    if (!holds) fail(what);
  }
  void require_position(int position, std::size_t count, const char* what) const {
    if (position < 0 || static_cast<std::size_t>(position) >= count)
      fail(fmt::format("{}: there is no number {} among {}", what, position, count));
  }

  const ComputationNodeGraph& graph_;
  const char* list_ = "";
  std::size_t item_ = 0;
};

}  // namespace

void check_graph_bytes(std::int64_t nodes, std::int64_t dependencies, const std::string& what) {
  if (nodes <= most_graph_bytes / bytes_of_node &&
      dependencies <= (most_graph_bytes - nodes * bytes_of_node) / bytes_of_dependency)
    return;
  const double bytes = static_cast<double>(nodes) * static_cast<double>(bytes_of_node) +
                       static_cast<double>(dependencies) * static_cast<double>(bytes_of_dependency);
  throw InputError(std::vector<Diagnostic>{
      {Severity::error,
       {},
       fmt::format("{} would be cut into {} computation nodes{}, which take {}; at most {} are possible",
                   what, nodes, dependencies > 0 ? fmt::format(" with {} dependencies", dependencies) : "",
                   bytes_text(bytes), bytes_text(static_cast<double>(most_graph_bytes))),
       "cut fewer loops, or into fewer pieces"}});
}

int ComputationNodeGraph::layer_index(std::int64_t id) const {
  const auto found = std::lower_bound(
      layers.begin(), layers.end(), id,
      [](const CutLayer& cut_layer, std::int64_t wanted) { return cut_layer.layer->id < wanted; });
  return found == layers.end() || found->layer->id != id ? -1 : static_cast<int>(found - layers.begin());
}

void ComputationNodeGraph::index() {
  check_node_order(*this);
  sort_by_end(dependencies, &Dependency::to, nodes.size(), predecessor_begin, predecessors);
  sort_by_end(dependencies, &Dependency::from, nodes.size(), successor_begin, successors);

  std::vector<int> unfinished(nodes.size());
  topological_order.clear();
  topological_order.reserve(nodes.size());
  for (const int node : node_order) {
    unfinished[node] = predecessor_begin[node + 1] - predecessor_begin[node];
    if (unfinished[node] == 0) topological_order.push_back(node);
  }
  // A queue keeps the generations apart: what one releases comes after all of it.
  for (std::size_t next = 0; next < topological_order.size(); ++next) {
    const int node = topological_order[next];
    for (int i = successor_begin[node]; i < successor_begin[node + 1]; ++i) {
      const int successor = dependencies[successors[i]].to;
      if (--unfinished[successor] == 0) topological_order.push_back(successor);
    }
  }
  if (topological_order.size() == nodes.size()) return;
  const auto stuck =
      std::find_if(node_order.begin(), node_order.end(), [&](int node) { return unfinished[node] > 0; });
  throw InputError(fmt::format("computation nodes wait for each other in a circle, among them {}",
                               name_of(*this, static_cast<std::size_t>(*stuck))));
}

void check_graph(const ComputationNodeGraph& graph) { GraphCheck(graph).check_all(); }

}  // namespace zz::core
