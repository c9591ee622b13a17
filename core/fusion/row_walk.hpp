#pragma once
#include <cstdint>
#include <vector>

namespace zz::core {

using Shape = std::vector<std::int64_t>;

/// Distance between neighbours along each axis when elements lie row by row, the last axis densest.
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

}  // namespace zz::core
