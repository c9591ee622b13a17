#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Elements that are known by their numbers, as the layers, tensors and axes of a network. A number is an
/// int, so that -1 can stand for none.
template <class Element>
class Numbered : public std::vector<Element> {
 public:
  using std::vector<Element>::vector;
  Numbered(std::vector<Element> elements) : std::vector<Element>(std::move(elements)) {}

  template <std::integral Number>
  Element& operator[](Number number) {
    return this->data()[static_cast<std::size_t>(number)];
  }
  template <std::integral Number>
  const Element& operator[](Number number) const {
    return this->data()[static_cast<std::size_t>(number)];
  }
  int count() const { return static_cast<int>(this->size()); }
};

/// A layer with its best mapping by itself.
struct MappedLayer {
  std::shared_ptr<const Layer> layer;
  SpatialUnrolling unrolling;
  MappingProblem problem;       ///< the layer with that unrolling
  double value = 0;             ///< the objective's, of that mapping
  double lower_bound = 0;       ///< no mapping by itself has less
  CompactMapping mapping = {};  ///< without loops: it is not known, as of a file of groups
  double energy = 0;            ///< pJ of that mapping
  double latency = 0;           ///< cycles of that mapping
};

/// A layer of a network as groups may have it: where it runs, unrolled as by itself, with whom.
struct NetworkLayer {
  std::shared_ptr<const MappedLayer> by_itself;
  std::shared_ptr<const Layer> layer;
  MappingProblem problem;  ///< of the layer; has lengths where axes are lengthened()
  /// Only layers of one set may exchange data on chip; negative: with no other layer.
  int set = 0;
  /// memories_in_common() of a layer on the vector unit. Empty: the layer runs on the array, or may be
  /// fused with no other.
  std::vector<int> in_common = {};

  NetworkLayer() = default;
  explicit NetworkLayer(MappedLayer alone)
      : by_itself(std::make_shared<const MappedLayer>(std::move(alone))),
        layer(by_itself->layer),
        problem(by_itself->problem) {}

  const SpatialUnrolling& unrolling() const { return by_itself->unrolling; }
  bool is_lengthened() const { return !problem.lengths.empty(); }
  /// Undoes lengthened().
  void shorten() { problem = by_itself->problem; }
  bool on_vector_unit() const { return !in_common.empty(); }
  /// The memory of the array with this index, as index into the memories of this layer's accelerator; -1:
  /// it is not there.
  int memory(int of_array) const {
    if (of_array < 0 || in_common.empty()) return of_array;
    return in_common[of_array];
  }
};

/// The layer with its best mapping by itself, as find_joint_optimum() found it for a layer that does the
/// same work (same_work).
MappedLayer mapped_alone(std::shared_ptr<const Layer> layer, const JointOptimum& optimum,
                         Objective objective);

/// An axis of the data that layers exchange, as one layer has it: a part of one of its loops.
///
/// A loop may be made of several axes, as the columns of a projection, which are heads, queries of a head
/// and elements. Loops of several layers over one axis can be shared.
struct LayerAxis {
  int axis = 0;           ///< the same number in all layers that have the axis
  int dimension = 0;      ///< index into Layer::loops
  std::int64_t size = 1;  ///< iterations
  /// Its tiles divide this: the iterations, or where the axis is lengthened() a little more.
  std::int64_t length = 1;
  std::int64_t left = 1;  ///< of the length, what the unrolling leaves for time

  bool is_ragged() const { return length > size; }
  /// The iterations of a whole tile where so many tiles divide the length.
  std::int64_t tile(std::int64_t tiles) const { return length / tiles; }
  /// Number of such tiles that cover the iterations; the last one may be shorter.
  std::int64_t covering(std::int64_t tiles) const { return (size - 1) / tile(tiles) + 1; }
};

/// The one with this number; nullptr: the layer lacks it.
const LayerAxis* axis_in(const std::vector<LayerAxis>& axes, int axis);

/// A window that slides along an axis: tile and filter of its layer read rows from
/// `stride * first row of the tile - padding` to `stride * last row - padding + reach`.
struct SlidingWindow {
  int axis = 0;
  std::int64_t stride = 1;
  std::int64_t reach = 0;    ///< from the first to the last element of the filter
  std::int64_t padding = 0;  ///< before the first row

  bool operator==(const SlidingWindow&) const = default;
};

/// A tensor that a layer writes and later ones read. The layer may have *added* other tensors to it:
/// operators without a cost that work on the elements of several tensors, as residual additions, belong to
/// the layer that makes the last of them.
struct NetworkTensor {
  static constexpr int added = -1;  ///< in the place of an operand: what a layer adds to its result
  int producer = 0;                 ///< index of the layer
  struct Use {
    int layer = 0, operand = 0;               ///< of the layer; or `added`
    std::vector<int> axes;                    ///< over which producer and this layer agree; rising
    std::vector<SlidingWindow> windows = {};  ///< along some of them
  };
  std::vector<Use> uses;  ///< by layer
  /// All uses read what is written, with the bits of finished outputs, so that it may stay on chip.
  bool exchangeable = false;
  std::string obstacle;  ///< why it is not exchangeable
};

/// Layers in the order in which they run, and what they exchange.
///
/// Axes are named by the tensors between layers: where an axis of a layer's output becomes one of the next
/// layer's input, both are one axis. A layer never has one axis twice: where two tensors would have it so
/// (keys and queries of one input are both tokens), those that one layer reads come first.
struct FusedNetwork {
  Numbered<NetworkLayer> layers;
  Numbered<NetworkTensor> tensors;
  Numbered<std::vector<LayerAxis>> axes;  ///< by layer
  Numbered<std::string> axis_names;       ///< "block0/attention/query.K" and so on; by axis
  /// Axes of the first size have the second one as their length, in layers that are lengthened. Equal:
  /// none.
  std::pair<std::int64_t, std::int64_t> lengths{1, 1};

  const LayerAxis* axis_of(int layer, int axis) const { return axis_in(axes[layer], axis); }
  /// Index of the tensor that the operand of a layer reads, or that it writes (operand 0); -1: none.
  int tensor_at(int layer, int operand) const { return at_[layer][operand]; }

 private:
  friend FusedNetwork fused_network(const Workload&, std::vector<NetworkLayer>);
  friend FusedNetwork reordered(const FusedNetwork&, const std::vector<int>&);
  Numbered<std::array<int, 3>> at_;
};

/// The network of these layers of the workload, which stand in an order that respects its edges.
FusedNetwork fused_network(const Workload& workload, std::vector<NetworkLayer> layers);

/// The network with its layers in another order, by their positions in it.
FusedNetwork reordered(const FusedNetwork& network, const std::vector<int>& order);

/// The accelerator of layers that may be fused and are not on a vector unit; nullptr: there are none.
const Accelerator* array_of(const FusedNetwork& network);

/// The network for tensors that are exchanged in this memory of the array. Layers on a vector unit that
/// lacks it are in no set.
FusedNetwork seen_from_exchange_memory(FusedNetwork network, int exchange_memory);

/// The network with tiles of the axes of one size that divide a greater length (core/search/temporal/
/// tile_lengths.hpp), in layers of sets that leave some of them for time. Not of axes along which a window
/// slides, that some layer has as a part of a loop, or whose tiles must divide it (may_have_chains()).
/// REQUIRES: a multiple of what the layers unroll of these axes.
FusedNetwork lengthened(const FusedNetwork& network, std::int64_t size, std::int64_t length);

}  // namespace zz::core
