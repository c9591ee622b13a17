#include "core/fusion/detail/element_map.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numeric>

#include "core/diagnostics/diagnostics.hpp"

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
  }
  return shape;
}

ElementMap ElementMap::changed(const ShapeChange& change, const ConcatNeighbours& neighbours,
                               const Rules& rules) const {
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
