#include "core/multicore/graph/detail/element_dependencies.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/compat/python_set_order.hpp"
#include "core/multicore/graph/detail/box_dependencies.hpp"
#include "core/multicore/graph/detail/piece_intervals.hpp"

namespace zz::core {
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
    const ShapeChange& change = walk_.pass_through(id)->shape_change;
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
    const PassThroughNode& node = *walk_.pass_through(id);
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
                                                                        int operand) const {
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
  std::vector<Meeting> found = meetings(map, graph_.layers[path.producer], consumer, operand);
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
