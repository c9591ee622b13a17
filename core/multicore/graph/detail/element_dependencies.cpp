#include "core/multicore/graph/detail/element_dependencies.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/compat/python_set_order.hpp"
#include "core/multicore/graph/detail/box_dependencies.hpp"
#include "core/multicore/graph/detail/piece_data.hpp"

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

std::int64_t element_count(std::span<const std::int64_t> shape) {
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
      const std::int64_t rows = element_count({shape.data(), axis});
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

namespace {

/// Walks the elements of pieces of one operand.
class PieceElements {
 public:
  /// `extents` are those of the data, by dimensions of the brackets.
  PieceElements(const CutLayer& cut_layer, int operand, Shape extents, const Rules& rules)
      : axes_(piece_intervals(cut_layer, operand, rules)),
        extents_(std::move(extents)),
        strides_(row_major_strides(extents_)) {}

  /// Calls visit(first, last + 1) for each interval of elements that lie one behind the other, ascending.
  template <class Visit>
  void for_each_run(const PieceCounters& counters, Visit visit) const {
    walk(0, 0, counters, visit);
  }

 private:
  template <class Visit>
  void walk(std::size_t axis, std::int64_t index, const PieceCounters& counters, Visit& visit) const {
    if (axis == axes_.size()) {
      visit(index, index + 1);
      return;
    }
    for (const Range& range : axes_[axis].at(axes_[axis].position(counters))) {
      const std::int64_t low = std::max<std::int64_t>(range.low, 0),
                         high = std::min(range.high, extents_[axis]);
      if (axis + 1 == axes_.size()) {
        if (low < high) visit(index + low, index + high);
        continue;
      }
      for (std::int64_t at = low; at < high; ++at)
        walk(axis + 1, index + at * strides_[axis], counters, visit);
    }
  }

  std::vector<PieceIntervals> axes_;
  Shape extents_, strides_;
};

bool owns_image_loops(const Layer& layer) {
  const auto has_data = [&](const char* name) {
    return std::any_of(layer.relations.begin(), layer.relations.end(),
                       [&](const DimensionRelation& relation) { return relation.data == name; });
  };
  return layer.loop_index("B") >= 0 && layer.loop_index("OX") >= 0 && layer.loop_index("OY") >= 0 &&
         has_data("IX") && has_data("IY");
}

std::int64_t extent_along(const Shape& shape, std::int64_t axis) {
  const std::int64_t counted = axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis;
  return counted < 0 || counted >= static_cast<std::int64_t>(shape.size()) ? 0 : shape[counted];
}

}  // namespace

/// By dimensions of the brackets.
Shape ElementDependencies::extents(const CutLayer& cut_layer, int operand) const {
  Shape shape;
  const std::vector<std::string>& dimensions = cut_layer.layer->operands[operand].dimensions;
  const std::vector<PieceAxis> axes = axes_of_operand(cut_layer, operand);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int loop = cut_layer.layer->loop_index(dimensions[i]);
    shape.push_back(rules_.padding_is_data && loop >= 0 ? cut_layer.layer->loops[loop].size
                                                        : axes[i].extent);
  }
  return shape;
}

/// As operators between layers see the data: groups and their channels are one axis.
Shape ElementDependencies::data_shape(const CutLayer& cut_layer, int operand) const {
  const Layer& layer = *cut_layer.layer;
  Shape shape = extents(cut_layer, operand);
  const std::vector<std::string>& dimensions = layer.operands[operand].dimensions;
  if (rules_.reshaped_data_repeated) {
    if (!owns_image_loops(layer) || shape.size() < 4) return shape;
    // Width before height, although the data lie the other way round.
    const Shape image = {layer.loop_size("B"), -1, shape[shape.size() - 1], shape[shape.size() - 2]};
    return changed_shape(shape, {ShapeChange::Kind::reshape, image, {}, 0}, {}, Rules{});
  }
  const auto group = std::find(dimensions.begin(), dimensions.end(), "G") - dimensions.begin();
  const auto channel =
      std::find(dimensions.begin(), dimensions.end(), operand == 0 ? "K" : "C") - dimensions.begin();
  const auto count = static_cast<std::ptrdiff_t>(dimensions.size());
  if (group == count || channel == count || std::abs(group - channel) != 1) return shape;
  shape[std::min(group, channel)] *= shape[std::max(group, channel)];
  shape.erase(shape.begin() + std::max(group, channel));
  return shape;
}

/// The data after an operator that reads them from `from`, which a concatenation may do more than once.
ElementMap ElementDependencies::after(const PassThroughNode& node, std::int64_t from,
                                      const ElementMap& data) const {
  const ShapeChange& change = node.shape_change;
  if (change.kind != ShapeChange::Kind::concat) return data.changed(change, {}, rules_);
  ElementMap joined;
  for (std::size_t source = 0; source < node.sources.size(); ++source) {
    if (node.sources[source] != from) continue;
    if (source >= change.indices.size())
      throw InputError(fmt::format("it does not say where the data of operator {} begin", from));
    const std::int64_t before = change.indices[source];
    const std::int64_t behind =
        extent_along(change.shape, change.axis) - before - extent_along(data.shape, change.axis);
    const ElementMap part = data.changed(change, {before, std::max<std::int64_t>(0, behind)}, rules_);
    if (joined.writer.size() != part.writer.size()) {
      joined = part;
      continue;
    }
    for (std::size_t i = 0; i < part.writer.size(); ++i)
      if (part.writer[i] >= 0) joined.writer[i] = part.writer[i];
  }
  return joined;
}

ElementMap ElementDependencies::written_by(const CutLayer& producer) const {
  const Shape own = extents(producer, 0);
  const PieceElements elements(producer, 0, own, rules_);
  ElementMap map{data_shape(producer, 0), std::vector<int>(mapped_element_count(own), -1)};
  std::vector<std::int64_t> sizes = producer.loop_sizes;
  if (rules_.padding_is_data)
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = producer.layer->loops[i].size;
  const std::vector<bool> finishing = finishing_nodes(producer, sizes);
  PieceCounters counters(producer);
  for (int p = 0; p < producer.node_count; ++p, counters.advance()) {
    end_if_interrupted();
    if (!finishing[p]) continue;
    elements.for_each_run(counters, [&](std::int64_t first, std::int64_t end) {
      std::fill(map.writer.begin() + first, map.writer.begin() + end, producer.first_node + p);
    });
  }
  return map;
}

std::int64_t ElementDependencies::work_of(const LayerPath& path) const {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const CutLayer& consumer = graph_.layers[path.consumer];
  std::int64_t work = 0, elements = element_count(extents(graph_.layers[path.producer], 0));
  const auto add = [&](std::int64_t count) { work = count > largest - work ? largest : work + count; };
  add(elements);
  for (const std::int64_t id : path.through) {
    const ShapeChange& change = network_.pass_through(id)->shape_change;
    if (change.kind == ShapeChange::Kind::none) continue;
    if (!change.shape.empty() && change.kind != ShapeChange::Kind::reshape)
      elements = element_count(change.shape);
    add(elements);
  }
  // Nodes that overlap read elements several times.
  const std::int64_t piece = consumer.piece->operand_elements(path.operand, rules_);
  std::unordered_set<int> tensors;
  for (int node = consumer.first_node; node < consumer.first_node + consumer.node_count; ++node)
    if (tensors.insert(graph_.nodes[node].tensors[path.operand]).second) add(piece);
  return work;
}

ElementMap ElementDependencies::followed(const LayerPath& path) const {
  const CutLayer& producer = graph_.layers[path.producer];
  ElementMap map;
  try {
    map = written_by(producer);
  } catch (const InputError& problem) {
    throw InputError(
        fmt::format("{}: {}", layer_title(*producer.layer), problem.diagnostics().front().message));
  }
  std::int64_t from = producer.layer->id;
  for (const std::int64_t id : path.through) {
    const PassThroughNode& node = *network_.pass_through(id);
    try {
      if (node.shape_change.kind != ShapeChange::Kind::none) map = after(node, from, map);
    } catch (const InputError& problem) {
      throw InputError(fmt::format("operator {} '{}' ({}), between {} and {}: {}", id, node.name, node.type,
                                   layer_title(*producer.layer),
                                   layer_title(*graph_.layers[path.consumer].layer),
                                   problem.diagnostics().front().message));
    }
    from = id;
  }
  return map;
}

/// Gives the map the shape of the operand that reads it, and returns that operand.
int ElementDependencies::fit(ElementMap& map, const LayerPath& path) const {
  const CutLayer& consumer = graph_.layers[path.consumer];
  const Layer& layer = *consumer.layer;
  if (rules_.addition_operands_mixed && map.shape != data_shape(consumer, path.operand)) {
    for (const int other : fed_operands(layer))
      if (map.shape == data_shape(consumer, other)) return other;
  }
  const Shape wanted = data_shape(consumer, path.operand);
  if (map.shape == wanted) return path.operand;
  const std::string what =
      fmt::format("{} reads data of shape {} as {}, but what comes from {} has the shape {}",
                  layer_title(layer), shape_text(wanted), layer.operands[path.operand].name,
                  layer_title(*graph_.layers[path.producer].layer), shape_text(map.shape));
  if (element_count(map.shape) == element_count(wanted)) {
    map.shape = wanted;
  } else if (rules_.reshaped_data_repeated && map.shape.size() == wanted.size()) {
    warnings_.push_back(what + "; elements that are missing are taken as constant");
    map = map.resized(wanted);
  } else {
    throw InputError(what);
  }
  return path.operand;
}

std::vector<ElementDependencies::Meeting> ElementDependencies::meetings(const ElementMap& map,
                                                                        const CutLayer& producer,
                                                                        const CutLayer& consumer,
                                                                        int operand,
                                                                        const DependencyList& to) const {
  const PieceElements elements(consumer, operand, extents(consumer, operand), rules_);
  // Nodes that share the tensor read the same elements: these are looked at once.
  std::unordered_map<int, std::vector<int>> readers_of;
  for (int node = consumer.first_node; node < consumer.first_node + consumer.node_count; ++node)
    readers_of[graph_.nodes[node].tensors[operand]].push_back(node);

  std::vector<Meeting> found;
  std::vector<int> seen_in(producer.node_count, -1);
  PieceCounters counters(consumer);
  for (int c = 0; c < consumer.node_count; ++c, counters.advance()) {
    end_if_interrupted();
    const int node = consumer.first_node + c;
    const int tensor = graph_.nodes[node].tensors[operand];
    if (graph_.tensors[tensor].first_node != node) continue;
    const std::vector<int>& readers = readers_of[tensor];
    elements.for_each_run(counters, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t element = first; element < end; ++element) {
        const int writer = map.writer[element];
        if (writer < 0 || seen_in[writer - producer.first_node] == tensor) continue;
        seen_in[writer - producer.first_node] = tensor;
        for (const int reader : readers) found.push_back({element, writer, reader});
        to.expect(static_cast<std::int64_t>(found.size()));
      }
    });
  }
  return found;
}

/// Counts what the nodes of a layer write as if none of it had been counted yet.
void ElementDependencies::count_again(const CutLayer& cut_layer) {
  const Layer& layer = *cut_layer.layer;
  const std::int64_t precision =
      layer.final_output_precision > 0 ? layer.final_output_precision : layer.operands[0].precision;
  const std::int64_t bits = cut_layer.piece->operand_elements(0, rules_) * precision;
  std::unordered_set<int> counted;
  for (int n = cut_layer.first_node; n < cut_layer.first_node + cut_layer.node_count; ++n) {
    ComputationNode& node = graph_.nodes[n];
    if (node.final_output && counted.insert(node.tensors[0]).second) node.produced_bits += bits;
  }
}

void ElementDependencies::add(const LayerPath& path, DependencyList& to) {
  const CutLayer& consumer = graph_.layers[path.consumer];
  ElementMap map = followed(path);
  const int operand = fit(map, path);
  std::vector<Meeting> found = meetings(map, graph_.layers[path.producer], consumer, operand, to);
  to.begin(path.producer, path.consumer, operand);
  if (rules_.reshaped_data_repeated) {
    count_again(graph_.layers[path.producer]);
    count_again(consumer);
  }
  if (!rules_.dependencies_in_set_order) {
    std::sort(found.begin(), found.end(), [](const Meeting& a, const Meeting& b) {
      return std::pair(a.from, a.to) < std::pair(b.from, b.to);
    });
    for (const Meeting& meeting : found)
      to.add(meeting.from, meeting.to, graph_.nodes[meeting.from].produced_bits);
    return;
  }
  std::sort(found.begin(), found.end(), [](const Meeting& a, const Meeting& b) {
    return std::pair(a.element, b.to) < std::pair(b.element, a.to);
  });
  std::vector<std::pair<NodeIdentity, NodeIdentity>> pairs;
  for (const Meeting& meeting : found)
    pairs.push_back({{graph_.layer_id(meeting.from), graph_.nodes[meeting.from].sub_id},
                     {graph_.layer_id(meeting.to), graph_.nodes[meeting.to].sub_id}});
  for (const std::size_t i : python_set_order(pairs))
    to.add(found[i].from, found[i].to, graph_.nodes[found[i].from].produced_bits);
}

}  // namespace zz::core
