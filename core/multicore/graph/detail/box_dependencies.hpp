#pragma once
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/graph/detail/piece_data.hpp"

namespace zz::core {

/// Collects the dependencies between layers, each once: two nodes have one dependency for each operand.
/// With `one_for_each_pair` (Rules::addition_operands_mixed) two nodes have a single one, which has the
/// operand and bits of the last one added and the position of the first.
class DependencyList {
 public:
  DependencyList(ComputationNodeGraph& to, bool one_for_each_pair)
      : graph_(to), list_(to.dependencies), one_for_each_pair_(one_for_each_pair) {}

  /// From now on `add` is for nodes of these two layers and this operand. Until the next begin each call of
  /// `add` must have another pair of nodes.
  void begin(int producer_layer, int consumer_layer, int operand);
  /// To be called before so many are made. Throws InputError when the graph would become too large.
  void expect(std::int64_t count) const;
  void add(int from, int to, std::int64_t bits);

 private:
  using Span = std::pair<std::size_t, std::size_t>;

  static std::uint64_t key(int from, int to) {
    return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
  }
  void close();

  const ComputationNodeGraph& graph_;
  std::vector<Dependency>& list_;  // of the graph
  bool one_for_each_pair_;
  int operand_ = -1;
  std::pair<int, int> layers_{-1, -1};
  std::size_t opened_at_ = 0;
  std::map<std::pair<int, int>, std::vector<Span>> spans_;  ///< of the list, by layers
  std::unordered_map<std::uint64_t, std::size_t> earlier_;  ///< of the same layers, by nodes
};

/// Data that one layer writes and another reads unchanged in shape.
struct DataFlow {
  int producer = 0, consumer = 0;  ///< indices into ComputationNodeGraph::layers
  int operand = 0;                 ///< of the consumer
  /// Operators between the layers may have changed the number of elements along an axis in an unknown way.
  /// Along axes where the two sides differ, every node then depends on every node.
  bool maybe_resized = false;
};

/// By sub_id, whether a node of the producer finishes outputs: whether it is the last one of the reduction
/// loops. `sizes` are those of the loops.
std::vector<bool> finishing_nodes(const CutLayer& producer, const std::vector<std::int64_t>& sizes);

/// Adds a dependency for each finishing node of the producer and each node of the consumer that touch a
/// common element. Pieces are boxes, so that axes can be compared one by one. Time and memory are linear in
/// the pieces along an axis and in the dependencies found.
///
/// Throws InputError when output and operand have different numbers of axes.
void add_box_dependencies(const ComputationNodeGraph& graph, const DataFlow& flow, const Rules& rules,
                          DependencyList& to);

}  // namespace zz::core
