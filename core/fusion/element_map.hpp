#pragma once
#include <cstdint>
#include <vector>

#include "core/fusion/row_walk.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

std::int64_t element_count(const Shape& shape);

/// What of an axis other inputs of a concatenation take, before and behind the data.
struct ConcatNeighbours {
  std::int64_t before = 0, behind = 0;
};

/// The shape after a change. Of a reshape, 0 keeps the extent of that axis (in compat: is left out) and -1
/// is what the others leave. Throws InputError, saying what does not fit.
Shape changed_shape(const Shape& shape, const ShapeChange& change, const ConcatNeighbours& neighbours,
                    bool stream_compat);

/// A tensor that says of each element which node writes it, row by row; -1: none. Four bytes an element.
struct ElementMap {
  Shape shape;
  std::vector<int> writer;

  /// The map of the data after an operator that changes their shape. Throws as changed_shape.
  ElementMap changed(const ShapeChange& change, const ConcatNeighbours& neighbours,
                     bool stream_compat) const;
  /// The same elements cut or filled up with "none" to another shape of as many axes.
  ElementMap resized(const Shape& to) const;
};

}  // namespace zz::core
