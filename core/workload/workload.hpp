#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::core {

/// How an operator without cost changes the shape of its data. It decides which layers depend on which.
struct ShapeChange {
  enum class Kind { none, reshape, transpose, flatten, gather, concat } kind = Kind::none;
  std::vector<std::int64_t> shape;  ///< reshape, gather, concat: of the result
  /// transpose: the permutation, empty: all axes reversed. gather: what is taken along the axis. concat:
  /// where along the axis the data of each of the node's sources begin; what none of them covers are
  /// constants.
  std::vector<std::int64_t> indices;
  std::int64_t axis = 0;  ///< flatten, gather, concat; not negative

  bool operator==(const ShapeChange&) const = default;
};

/// An operator that is kept for connectivity but has no cost: an activation, a reshape, ...
struct PassThroughNode {
  std::int64_t id = 0;
  std::string name;
  std::string type;                   ///< lower case operator type
  std::vector<std::int64_t> sources;  ///< ids of the nodes before it
  /// Elements that the operator writes, 0 when its shape is unknown: how much of the network an
  /// estimate leaves out.
  std::int64_t output_elements = 0;
  ShapeChange shape_change;  ///< read by the stages for several cores only; else of kind none
};

/// A network: layers and pass-through nodes in the order of the file, with data-flow edges.
struct Workload {
  std::string name;  ///< stem of the file
  std::vector<std::shared_ptr<const Layer>> layers;
  std::vector<PassThroughNode> pass_through;
  /// (producer id, consumer id), in the order in which the reader met them; duplicates removed.
  std::vector<std::pair<std::int64_t, std::int64_t>> edges;
  /// Ids of all nodes in file order.
  std::vector<std::int64_t> node_order;

  const Layer* layer(std::int64_t id) const;  ///< nullptr when the id is none of a layer
  /// Ids of all nodes in Kahn's order by generations: a generation lists its nodes in the order in which
  /// their last predecessor released them. Throws InputError when the graph has a cycle.
  std::vector<std::int64_t> topological_order() const;
  /// topological_order() without the pass-through nodes: the order in which layers are mapped.
  std::vector<std::shared_ptr<const Layer>> layers_in_order() const;
};

/// What is wrong with a workload that was made or edited, by the rules of files, beginning with the field:
/// an id that stands twice or is not in node_order, an edge from or to nothing, a circle. Empty for a sound
/// one.
std::string workload_problem(const Workload& workload);

}  // namespace zz::core
