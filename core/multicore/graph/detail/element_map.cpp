#include "core/multicore/graph/detail/element_map.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numeric>

#include "core/base/diagnostics.hpp"

namespace zz::core {
namespace {

std::size_t checked_axis(std::int64_t axis, const Shape& shape, std::size_t most, const char* what) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t counted = axis < 0 ? axis + rank : axis;
  if (counted < 0 || counted > static_cast<std::int64_t>(most))
    throw InputError(fmt::format("{} along axis {} of data of shape {}", what, axis, shape_text(shape)));
  return static_cast<std::size_t>(counted);
}

Shape reshaped(const Shape& from, const Shape& wanted, const Rules& rules) {
  Shape to;
  int open = -1;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0 && rules.reshaped_data_repeated) continue;
    if (wanted[i] == -1) open = static_cast<int>(to.size());
    to.push_back(wanted[i] == 0 && i < from.size() ? from[i] : wanted[i]);
  }
  const std::int64_t total = element_count(from);
  if (open >= 0) {
    to[open] = 1;
    const std::int64_t others = element_count(to);
    to[open] = others == 0 ? 0 : total / others;
  }
  if (element_count(to) != total)
    throw InputError(
        fmt::format("data of shape {} cannot take the shape {}", shape_text(from), shape_text(wanted)));
  return to;
}

std::vector<std::size_t> permutation_of(const Shape& shape, const ShapeChange& change) {
  std::vector<std::size_t> permutation(shape.size());
  std::iota(permutation.rbegin(), permutation.rend(), 0);
  if (change.indices.empty()) return permutation;
  std::vector<bool> used(shape.size(), false);
  bool fits = change.indices.size() == shape.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i) {
    permutation[i] = checked_axis(change.indices[i], shape, shape.size() - 1, "transposing");
    fits = !used[permutation[i]];
    used[permutation[i]] = true;
  }
  if (!fits)
    throw InputError(fmt::format("axes {} are no permutation of those of data of shape {}",
                                 shape_text(change.indices), shape_text(shape)));
  return permutation;
}

/// Elements before `axis` (as one), along it, and behind it (as one).
struct AroundAxis {
  std::int64_t before = 1, along = 1, behind = 1;
  AroundAxis(const Shape& shape, std::size_t axis) : along(shape[axis]) {
    for (std::size_t i = 0; i < axis; ++i) before *= shape[i];
    for (std::size_t i = axis + 1; i < shape.size(); ++i) behind *= shape[i];
  }
};

void check_view(const Shape& shape, const ShapeChange& view) {
  bool fits = view.indices.size() == view.shape.size();
  std::int64_t low = view.first, high = view.first;
  for (std::size_t axis = 0; fits && axis < view.shape.size(); ++axis) {
    std::int64_t span = 0;
    fits = view.shape[axis] >= 0 &&
           !__builtin_mul_overflow(std::max<std::int64_t>(0, view.shape[axis] - 1), view.indices[axis],
                                   &span) &&
           !__builtin_add_overflow(span < 0 ? low : high, span, span < 0 ? &low : &high);
  }
  if (fits && (element_count(view.shape) == 0 || (low >= 0 && high < element_count(shape)))) return;
  throw InputError(fmt::format("a view of shape {} does not lie within data of shape {}",
                               shape_text(view.shape), shape_text(shape)));
}

ElementMap viewed(const ElementMap& data, const ShapeChange& view) {
  ElementMap to{view.shape, {}};
  to.writer.reserve(element_count(to.shape));
  const std::int64_t row = to.shape.empty() ? 1 : to.shape.back();
  const std::int64_t step = view.indices.empty() ? 0 : view.indices.back();
  for_each_row(to.shape, view.indices, view.first, [&](std::int64_t first) {
    for (std::int64_t i = 0; i < row; ++i) to.writer.push_back(data.writer[first + i * step]);
  });
  return to;
}

ElementMap padded(const ElementMap& data, const ShapeChange& pad) {
  ElementMap to{pad.shape, std::vector<int>(element_count(pad.shape), -1)};
  const Shape from_strides = row_major_strides(data.shape), to_strides = row_major_strides(to.shape);
  Shape common;
  std::int64_t from = 0, into = 0;
  for (std::size_t axis = 0; axis < data.shape.size(); ++axis) {
    const std::int64_t begin = pad.indices[axis];
    const std::int64_t low = std::max<std::int64_t>(0, begin);
    common.push_back(std::min(to.shape[axis], begin + data.shape[axis]) - low);
    from += (low - begin) * from_strides[axis];
    into += low * to_strides[axis];
  }
  std::vector<std::int64_t> from_rows;
  for_each_row(common, from_strides, from, [&](std::int64_t first) { from_rows.push_back(first); });
  const std::int64_t row = common.empty() ? 1 : common.back();
  std::size_t next = 0;
  for_each_row(common, to_strides, into, [&](std::int64_t first) {
    std::copy_n(data.writer.begin() + from_rows[next++], row, to.writer.begin() + first);
  });
  return to;
}

ElementMap by_rows(const ElementMap& data, const ShapeChange& change) {
  std::int64_t rows = 1;
  for (std::int64_t axis = 0; axis < change.axis; ++axis) rows *= data.shape[axis];
  const std::int64_t length = rows == 0 ? 0 : element_count(data.shape) / rows;
  const std::int64_t made = rows == 0 ? 0 : element_count(change.shape) / rows;
  ElementMap to{change.shape, {}};
  to.writer.reserve(element_count(to.shape));
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto begin = data.writer.begin() + row * length, end = begin + length;
    int writer = -1;
    for (auto at = begin; at != end; ++at) {
      if (*at < 0 || *at == writer) continue;
      if (writer >= 0) throw InputError("several computation nodes write a row of its data");
      writer = *at;
    }
    to.writer.insert(to.writer.end(), made, writer);
  }
  return to;
}

}  // namespace

std::string shape_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  bool fits = true;
  for (const std::int64_t extent : shape) {
    if (extent <= 0) return 0;
    fits = fits && !__builtin_mul_overflow(count, extent, &count);
  }
  return fits ? count : std::numeric_limits<std::int64_t>::max();
}

std::int64_t mapped_element_count(const Shape& shape) {
  const std::int64_t count = element_count(shape);
  if (count <= most_mapped_elements) return count;
  throw InputError(
      fmt::format("data of shape {} have more than {} elements, which is the most that can be followed "
                  "through operators "
                  "that change the shape",
                  shape_text(shape), most_mapped_elements));
}

Shape changed_shape(const Shape& shape, const ShapeChange& change, const ConcatNeighbours& neighbours,
                    const Rules& rules) {
  switch (change.kind) {
    case ShapeChange::Kind::none:
      return shape;
    case ShapeChange::Kind::reshape:
      return reshaped(shape, change.shape, rules);
    case ShapeChange::Kind::transpose: {
      Shape to;
      for (const std::size_t axis : permutation_of(shape, change)) to.push_back(shape[axis]);
      return to;
    }
    case ShapeChange::Kind::flatten: {
      const std::size_t axis = checked_axis(change.axis, shape, shape.size(), "flattening");
      std::int64_t before = 1;
      for (std::size_t i = 0; i < axis; ++i) before *= shape[i];
      const std::int64_t total = element_count(shape);
      return {before, before == 0 ? 0 : total / before};
    }
    case ShapeChange::Kind::gather: {
      const std::size_t axis = checked_axis(change.axis, shape, shape.size() - 1, "gathering");
      for (const std::int64_t index : change.indices)
        if (index < -shape[axis] || index >= shape[axis])
          throw InputError(fmt::format("gathering takes index {} of axis {} of data of shape {}", index,
                                       change.axis, shape_text(shape)));
      Shape to = shape;
      to[axis] = static_cast<std::int64_t>(change.indices.size());
      // A single index takes the axis away, which only the file knows.
      return element_count(change.shape) == element_count(to) ? change.shape : to;
    }
    case ShapeChange::Kind::concat: {
      Shape to = shape;
      to[checked_axis(change.axis, shape, shape.size() - 1, "joining")] +=
          neighbours.before + neighbours.behind;
      return to;
    }
    case ShapeChange::Kind::view:
      check_view(shape, change);
      return change.shape;
    case ShapeChange::Kind::pad:
      if (change.indices.size() == shape.size() && change.shape.size() == shape.size()) return change.shape;
      throw InputError(fmt::format("data of shape {} cannot be padded to {}", shape_text(shape),
                                   shape_text(change.shape)));
    case ShapeChange::Kind::rows: {
      const std::size_t axis = checked_axis(change.axis, shape, shape.size(), "rows");
      const std::int64_t rows = element_count({shape.begin(), shape.begin() + axis});
      if (rows == 0 || element_count(change.shape) % rows == 0) return change.shape;
      throw InputError(fmt::format("{} rows of data of shape {} cannot make the shape {}", rows,
                                   shape_text(shape), shape_text(change.shape)));
    }
    case ShapeChange::Kind::all:
      throw InputError("any element of the result may come from any element of the data");
  }
  return shape;
}

ElementMap ElementMap::changed(const ShapeChange& change, const ConcatNeighbours& neighbours,
                               const Rules& rules) const {
  if (!change.from.empty() && change.from != shape) {
    if (element_count(change.from) != element_count(shape))
      throw InputError(fmt::format("it reads data of shape {}, but what comes has the shape {}",
                                   shape_text(change.from), shape_text(shape)));
    ShapeChange same_axes = change;
    same_axes.from.clear();
    return ElementMap{change.from, writer}.changed(same_axes, neighbours, rules);
  }
  ElementMap to{changed_shape(shape, change, neighbours, rules), {}};
  mapped_element_count(to.shape);
  switch (change.kind) {
    case ShapeChange::Kind::none:
    case ShapeChange::Kind::reshape:
    case ShapeChange::Kind::flatten:
      to.writer = writer;
      break;
    case ShapeChange::Kind::transpose: {
      const Shape own = row_major_strides(shape);
      Shape strides;
      for (const std::size_t axis : permutation_of(shape, change)) strides.push_back(own[axis]);
      to.writer.reserve(writer.size());
      const std::int64_t row = to.shape.empty() ? 1 : to.shape.back();
      const std::int64_t step = strides.empty() ? 1 : strides.back();
      for_each_row(to.shape, strides, 0, [&](std::int64_t first) {
        for (std::int64_t i = 0; i < row; ++i) to.writer.push_back(writer[first + i * step]);
      });
      break;
    }
    case ShapeChange::Kind::gather: {
      const AroundAxis around(shape, checked_axis(change.axis, shape, shape.size() - 1, "gathering"));
      for (std::int64_t i = 0; i < around.before; ++i) {
        for (const std::int64_t index : change.indices) {
          const std::int64_t taken = index < 0 ? index + around.along : index;
          const auto from = writer.begin() + (i * around.along + taken) * around.behind;
          to.writer.insert(to.writer.end(), from, from + around.behind);
        }
      }
      break;
    }
    case ShapeChange::Kind::concat: {
      const AroundAxis around(shape, checked_axis(change.axis, shape, shape.size() - 1, "joining"));
      to.writer.reserve(element_count(to.shape));
      for (std::int64_t i = 0; i < around.before; ++i) {
        to.writer.insert(to.writer.end(), neighbours.before * around.behind, -1);
        const auto from = writer.begin() + i * around.along * around.behind;
        to.writer.insert(to.writer.end(), from, from + around.along * around.behind);
        to.writer.insert(to.writer.end(), neighbours.behind * around.behind, -1);
      }
      break;
    }
    case ShapeChange::Kind::view:
      return viewed(*this, change);
    case ShapeChange::Kind::pad:
      return padded(*this, change);
    case ShapeChange::Kind::rows:
      return by_rows(*this, change);
    case ShapeChange::Kind::all:
      break;  // changed_shape() has refused it
  }
  return to;
}

ElementMap ElementMap::resized(const Shape& to_shape) const {
  ElementMap to{to_shape, std::vector<int>(mapped_element_count(to_shape), -1)};
  Shape common;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    common.push_back(std::min(shape[axis], to_shape[axis]));
  std::vector<std::int64_t> from_rows, to_rows;
  for_each_row(common, row_major_strides(shape), 0,
               [&](std::int64_t first) { from_rows.push_back(first); });
  for_each_row(common, row_major_strides(to_shape), 0,
               [&](std::int64_t first) { to_rows.push_back(first); });
  const std::int64_t row = common.empty() ? 1 : common.back();
  for (std::size_t i = 0; i < from_rows.size(); ++i)
    std::copy_n(writer.begin() + from_rows[i], row, to.writer.begin() + to_rows[i]);
  return to;
}

}  // namespace zz::core
