#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/multicore/graph/detail/box_dependencies.hpp"
#include "core/multicore/graph/detail/network_paths.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

using Shape = std::vector<std::int64_t>;

/// Elements between neighbours along each axis, in row-major order.
inline Shape row_major_strides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

/// Calls visit(index) for the first element of every row (along the last axis) of a box of that shape, in
/// order. The index of the box's first element is `index`; `strides` are those of the data around it.
template <class Visit>
void for_each_row(const Shape& box, const Shape& strides, std::int64_t index, Visit visit) {
  for (const std::int64_t extent : box)
    if (extent <= 0) return;
  Shape at(box.size(), 0);
  for (;;) {
    visit(index);
    std::size_t axis = box.empty() ? 0 : box.size() - 1;
    for (;;) {
      if (axis == 0) return;
      --axis;
      index += strides[axis];
      if (++at[axis] < box[axis]) break;
      index -= strides[axis] * box[axis];
      at[axis] = 0;
    }
  }
}

/// Limit of element maps; four bytes each. docs/limits.md names it.
inline constexpr std::int64_t most_mapped_elements = std::int64_t{1} << 27;

/// The largest std::int64_t stands for any number beyond it.
std::int64_t element_count(std::span<const std::int64_t> shape);

/// The same for an element map. Throws InputError beyond most_mapped_elements.
std::int64_t mapped_element_count(const Shape& shape);

/// "[1, 64, 56, 56]", for messages.
std::string shape_text(const Shape& shape);

/// Elements along the axis of a concatenation that other inputs fill, before and behind the data.
struct ConcatNeighbours {
  std::int64_t before = 0, behind = 0;
};

/// The shape after a change of data of that shape; ShapeChange::from is not looked at. In a reshape, 0
/// keeps the extent of that axis (with Rules::reshaped_data_repeated it is left out) and -1 is what the
/// other axes leave. Throws InputError saying what does not fit.
Shape changed_shape(const Shape& shape, const ShapeChange& change, const ConcatNeighbours& neighbours,
                    const Rules& rules);

/// The node that writes each element of a tensor, in row-major order; -1: none. Four bytes an element.
struct ElementMap {
  Shape shape;
  std::vector<int> writer;

  /// The map of the data after an operator that changes their shape. Throws as changed_shape() and
  /// mapped_element_count(), for data that do not have as many elements as ShapeChange::from says, for
  /// `all`, and for rows that several nodes write: their elements come from several nodes.
  ElementMap changed(const ShapeChange& change, const ConcatNeighbours& neighbours,
                     const Rules& rules) const;
  /// The same elements in another shape with as many axes: cut off, or filled up with -1. Throws as
  /// mapped_element_count().
  ElementMap resized(const Shape& to) const;
};

/// Dependencies between layers with reshapes, transpositions and the like between them. Follows each
/// element from the node that writes it to the nodes that read it. Time is linear in the elements of
/// distinct pieces, memory in the elements of one tensor.
class ElementDependencies {
 public:
  /// All must live as long; `warnings` receives a sentence where sizes do not fit exactly.
  ElementDependencies(ComputationNodeGraph& graph, const NetworkPaths& network, const Rules& rules,
                      std::vector<std::string>& warnings)
      : graph_(graph), network_(network), rules_(rules), warnings_(warnings) {}

  /// Adds the dependencies of one path, by producer, then consumer.
  ///
  /// Throws InputError, and adds nothing, when elements cannot be followed: their shapes do not fit, there
  /// are too many, or an operator makes each element from several.
  void add(const LayerPath& path, DependencyList& to);

  /// Elements that are looked at for one path: the ones that the producer writes, the ones
  /// that the consumer reads, and
  /// the results of all operators between them. The largest std::int64_t stands for any number beyond it.
  std::int64_t work_of(const LayerPath& path) const;

 private:
  /// Two nodes with a common element; `element` is the first one in row-major order.
  struct Meeting {
    std::int64_t element = 0;
    int from = 0, to = 0;
  };

  Shape extents(const CutLayer& cut_layer, int operand) const;
  Shape data_shape(const CutLayer& cut_layer, int operand) const;
  ElementMap written_by(const CutLayer& producer) const;
  ElementMap after(const PassThroughNode& node, std::int64_t from, const ElementMap& data) const;
  ElementMap followed(const LayerPath& path) const;
  int fit(ElementMap& map, const LayerPath& path) const;
  std::vector<Meeting> meetings(const ElementMap& map, const CutLayer& producer, const CutLayer& consumer,
                                int operand, const DependencyList& to) const;
  void count_again(const CutLayer& cut_layer);

  ComputationNodeGraph& graph_;
  const NetworkPaths& network_;
  const Rules& rules_;
  std::vector<std::string>& warnings_;
};

}  // namespace zz::core
