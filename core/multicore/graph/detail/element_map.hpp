#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
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

/// Of element maps; four bytes each. docs/limits.md names it.
inline constexpr std::int64_t most_mapped_elements = std::int64_t{1} << 27;

/// The largest std::int64_t stands for any number beyond it.
std::int64_t element_count(const Shape& shape);

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

}  // namespace zz::core
