#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::core {

/// Effect of an operator without cost on the places of its data. It decides which layers depend on which.
struct ShapeChange {
  enum class Kind {
    none,       ///< each element of the result comes from the element in its place
    reshape,    ///< the same elements in the same order
    transpose,  ///< axes in another order
    flatten,    ///< two axes, the second one begins at `axis`
    gather,     ///< elements `indices` along `axis`
    concat,     ///< sources one behind the other along `axis`
    view,       ///< elements at regular distances: slices, repetitions, axes of blocks
    pad,        ///< constants around the data, or borders cut off
    rows,       ///< each element of the result comes from all elements of its row
    all,        ///< each element of the result may come from any element
  } kind = Kind::none;
  std::vector<std::int64_t> shape;  ///< of the result; not for transpose, flatten, all
  /// transpose: the permutation, empty: all axes reversed. gather: what is taken along the axis. concat:
  /// where along the axis the data of each of the node's sources begin; what none of them covers are
  /// constants. view: elements of the data between neighbours along each axis of the result. pad: where
  /// along each axis the data begin, negative: what is cut off.
  std::vector<std::int64_t> indices;
  /// flatten, gather, concat; not negative. rows: the axes of a row begin here.
  std::int64_t axis = 0;
  std::int64_t first = 0;  ///< view: the element of the data that comes first
  /// The shape in which the operator reads its data; empty: as the layer or operator before wrote them.
  std::vector<std::int64_t> from = {};

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

/// An operator that multiplies, or may do so, and has no cost.
struct UncostedNode {
  std::string name;
  std::string type;                            ///< operator type as in the file
  std::string reason;                          ///< "the operator is unknown"
  std::optional<std::int64_t> mac_count = {};  ///< multiply-accumulates; none when nobody knows
};

/// Data that a network keeps for as long as it runs, in elements, as far as who made it knows. Layers do
/// not say it: several may read one tensor, and some of it, as a table of embeddings, none.
struct StoredData {
  double parameters = 0;   ///< all trained numbers; 0: those of the layers
  double cached = 0;       ///< keys and values of earlier tokens
  double cached_bits = 0;  ///< of one of these; 0: as a weight has
  double inputs = 0;       ///< data given at run time

  bool operator==(const StoredData&) const = default;
};

/// A network: layers and pass-through nodes in the order of the file, with data-flow edges.
struct Workload {
  std::string name;  ///< stem of the file
  std::vector<std::shared_ptr<const Layer>> layers;
  std::vector<PassThroughNode> pass_through;
  std::vector<UncostedNode> uncosted;  ///< missing in an estimate; all of them are pass-through nodes, too
  /// (producer id, consumer id), in the order in which the reader met them; duplicates removed.
  std::vector<std::pair<std::int64_t, std::int64_t>> edges;
  /// Ids of all nodes in file order.
  std::vector<std::int64_t> node_order;
  std::optional<StoredData> stored = {};  ///< not saved; none: what the layers have
  /// Results that come out of the network at once, for rates: elements of its batch, or tokens of a
  /// language model. 0: not known. Not saved.
  double frames = 0, tokens = 0;

  /// Share of the multiply-accumulates that uncosted nodes have, 0 to 1; none when those of one of them are
  /// unknown.
  std::optional<double> missing_mac_share() const;
  const Layer* layer(std::int64_t id) const;  ///< nullptr when the id is none of a layer
  /// Ids of all nodes in Kahn's order by generations: a generation lists its nodes in the order in which
  /// their last predecessor released them. Throws InputError when the graph has a cycle.
  std::vector<std::int64_t> topological_order() const;
  /// topological_order() without the pass-through nodes: the order in which layers are mapped.
  std::vector<std::shared_ptr<const Layer>> layers_in_order() const;
};

/// Elements of the batch by the loops: B of the first layer, which takes what comes in; 1 where it has
/// none.
double batch_of_loops(const Workload& workload);

/// Makes the loop B of every layer that long, and counts so many frames. A layer without that loop gets it
/// around its others: its output has it, and each input that is no weight. Throws InputError with the
/// layers all of whose inputs are constant: nothing says which of them has a batch.
void set_batch(Workload& workload, std::int64_t batch);

/// The problem of a workload that was made or edited, by the rules of files, beginning with the field: an
/// id that stands twice or is not in node_order, an edge from or to nothing, a circle. Empty for a sound
/// one.
std::string workload_problem(const Workload& workload);

/// Splits the layers into groups of neighbours in which no name comes twice, also as savers write names
/// into file names ("/" becomes "_"). Returns the length of each group.
///
/// Layers of one name share their result files, and those of the last layer must remain. So the layers of a
/// group may be mapped at the same time, and groups follow each other.
std::vector<std::uint32_t> groups_of_distinct_names(
    const std::vector<std::shared_ptr<const Layer>>& layers);

}  // namespace zz::core
