#include "core/multicore/check/detail/dependency_rules.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/base/interruption.hpp"
#include "core/workload/workload.hpp"

namespace zz::core::check {
namespace {

using Extents = std::vector<std::int64_t>;

/// Where an element comes from.
struct Origin {
  std::int64_t layer = -1;   ///< id; -1: no layer makes it
  std::int64_t element = 0;  ///< of the layer's output, in row-major order
};

/// Looks back through the operators without cost from what a layer reads to the layers that made it,
/// element by element.
class Origins {
 public:
  explicit Origins(const Workload& workload);

  /// The only layer behind `source`, when nothing between moves an element; -1 otherwise.
  std::int64_t unmoved(std::int64_t source) const;
  /// True if elements behind `source` can be looked up: their operators say where they put them, and as
  /// many elements leave each as the next one reads.
  bool traceable(std::int64_t source, std::int64_t elements) const;
  /// The origin of an element that `source` passes on; of an element that comes from a whole row, that of
  /// its first or last element. Only where traceable().
  Origin of(std::int64_t source, std::int64_t element, bool last_of_row) const;
  /// True if a whole row stands behind some element.
  bool by_rows(std::int64_t source) const;

 private:
  std::optional<Extents> extents_of(std::int64_t id) const;
  std::optional<Extents> extents_made(const PassThroughNode& node) const;

  std::unordered_map<std::int64_t, const Layer*> layers_;
  std::unordered_map<std::int64_t, const PassThroughNode*> operators_;
  mutable std::unordered_map<std::int64_t, std::optional<Extents>> known_;
};

using Kind = ShapeChange::Kind;

std::int64_t product(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

Extents coordinates_of(std::int64_t element, const Extents& extents) {
  Extents at(extents.size(), 0);
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    at[axis] = element % extents[axis];
    element /= extents[axis];
  }
  return at;
}

std::int64_t element_at(const Extents& at, const Extents& extents) {
  std::int64_t element = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) element = element * extents[axis] + at[axis];
  return element;
}

Extents permutation(const ShapeChange& change, std::size_t axes) {
  if (change.indices.size() == axes) return change.indices;
  Extents reversed(axes);
  for (std::size_t i = 0; i < axes; ++i) reversed[i] = static_cast<std::int64_t>(axes - 1 - i);
  return reversed;
}

/// Elements behind the axis, all together.
std::int64_t behind(const Extents& extents, std::int64_t axis) {
  std::int64_t elements = 1;
  for (std::size_t i = axis + 1; i < extents.size(); ++i) elements *= extents[i];
  return elements;
}

/// Extents of the data of an operand as other layers see them: groups (G) and the channels of a group are
/// one axis.
Extents data_extents(const Layer& layer, int operand) {
  Extents extents;
  const std::vector<std::string>& names = layer.operands[operand].dimensions;
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    const auto relation =
        std::find_if(layer.relations.begin(), layer.relations.end(),
                     [&](const DimensionRelation& entry) { return entry.data == names[axis]; });
    const std::int64_t extent =
        relation != layer.relations.end() ? relation->size : layer.loop_size(names[axis]);
    const std::string channels = operand == 0 ? "K" : "C";
    const bool joined = axis > 0 && ((names[axis] == channels && names[axis - 1] == "G") ||
                                     (names[axis] == "G" && names[axis - 1] == channels));
    if (joined)
      extents.back() *= extent;
    else
      extents.push_back(extent);
  }
  return extents;
}

Origins::Origins(const Workload& workload) {
  for (const auto& layer : workload.layers) layers_.emplace(layer->id, layer.get());
  for (const PassThroughNode& node : workload.pass_through) operators_.emplace(node.id, &node);
}

std::int64_t Origins::unmoved(std::int64_t source) const {
  for (std::size_t steps = 0; steps <= operators_.size(); ++steps) {
    if (layers_.count(source) != 0) return source;
    const auto found = operators_.find(source);
    if (found == operators_.end()) return -1;
    const PassThroughNode& node = *found->second;
    if (node.shape_change.kind != Kind::none || node.sources.size() != 1) return -1;
    source = node.sources.front();
  }
  return -1;
}

std::optional<Extents> Origins::extents_of(std::int64_t id) const {
  if (const auto layer = layers_.find(id); layer != layers_.end()) return data_extents(*layer->second, 0);
  const auto [known, fresh] = known_.try_emplace(id);
  if (!fresh) return known->second;
  const auto node = operators_.find(id);
  if (node == operators_.end()) return {};
  const std::optional<Extents> made = extents_made(*node->second);
  return known_[id] = made;
}

/// Nothing where the operator does not say what it makes of what reaches it.
std::optional<Extents> Origins::extents_made(const PassThroughNode& node) const {
  const ShapeChange& change = node.shape_change;
  if (change.kind == Kind::all || node.sources.empty()) return {};
  if (change.kind == Kind::concat) {
    if (change.indices.size() < node.sources.size() ||
        change.axis >= static_cast<std::int64_t>(change.shape.size()))
      return {};
    for (const std::int64_t source : node.sources) {
      const std::optional<Extents> part = extents_of(source);
      if (!part || part->size() != change.shape.size()) return {};
    }
    return change.shape;
  }
  if (node.sources.size() != 1) return {};
  std::optional<Extents> read = extents_of(node.sources.front());
  if (!read) return {};
  if (!change.from.empty()) {
    if (product(change.from) != product(*read)) return {};
    read = change.from;
  }
  switch (change.kind) {
    case Kind::none:
      return read;
    case Kind::reshape: {
      Extents made = change.shape;
      std::int64_t open = -1, rest = 1;
      for (std::size_t axis = 0; axis < made.size(); ++axis) {
        if (made[axis] == 0 && axis < read->size()) made[axis] = (*read)[axis];
        if (made[axis] < 0)
          open = static_cast<std::int64_t>(axis);
        else
          rest *= made[axis];
      }
      if (open >= 0 && rest > 0) made[open] = product(*read) / rest;
      if (product(made) != product(*read)) return {};
      return made;
    }
    case Kind::flatten: {
      const std::int64_t rest = change.axis == 0 ? product(*read) : behind(*read, change.axis - 1);
      return rest == 0 ? std::optional<Extents>() : Extents{product(*read) / rest, rest};
    }
    case Kind::transpose: {
      Extents made;
      for (const std::int64_t axis : permutation(change, read->size())) made.push_back((*read)[axis]);
      return made;
    }
    case Kind::gather: {
      if (change.axis >= static_cast<std::int64_t>(read->size())) return {};
      Extents made = *read;
      made[change.axis] = static_cast<std::int64_t>(change.indices.size());
      return product(change.shape) == product(made) && !change.shape.empty() ? change.shape : made;
    }
    default:
      return change.shape;
  }
}

bool Origins::traceable(std::int64_t source, std::int64_t elements) const {
  const std::optional<Extents> extents = extents_of(source);
  return extents && product(*extents) == elements;
}

bool Origins::by_rows(std::int64_t source) const {
  const auto node = operators_.find(source);
  if (node == operators_.end()) return false;
  if (node->second->shape_change.kind == Kind::rows) return true;
  return std::any_of(node->second->sources.begin(), node->second->sources.end(),
                     [&](std::int64_t before) { return by_rows(before); });
}

Origin Origins::of(std::int64_t source, std::int64_t element, bool last_of_row) const {
  for (;;) {
    if (layers_.count(source) != 0) return {source, element};
    const PassThroughNode& node = *operators_.at(source);
    const ShapeChange& change = node.shape_change;
    const Extents made = *extents_of(source);
    std::int64_t next = node.sources.front();
    Extents read = change.from.empty() || change.kind == Kind::concat ? *extents_of(next) : change.from;
    switch (change.kind) {
      case Kind::transpose: {
        const Extents at = coordinates_of(element, made), axes = permutation(change, read.size());
        Extents from(read.size());
        for (std::size_t axis = 0; axis < axes.size(); ++axis) from[axes[axis]] = at[axis];
        element = element_at(from, read);
        break;
      }
      case Kind::gather: {
        const std::int64_t inner = behind(read, change.axis);
        const auto taken = static_cast<std::int64_t>(change.indices.size());
        std::int64_t index = change.indices[element / inner % taken];
        if (index < 0) index += read[change.axis];
        element = (element / inner / taken * read[change.axis] + index) * inner + element % inner;
        break;
      }
      case Kind::concat: {
        Extents at = coordinates_of(element, made);
        bool found = false;
        for (std::size_t i = 0; i < node.sources.size() && !found; ++i) {
          const Extents part = *extents_of(node.sources[i]);
          const std::int64_t along = at[change.axis] - change.indices[i];
          if (along < 0 || along >= part[change.axis]) continue;
          found = true;
          at[change.axis] = along;
          next = node.sources[i];
          element = element_at(at, part);
        }
        if (!found) return {};
        break;
      }
      case Kind::view: {
        const Extents at = coordinates_of(element, made);
        element = change.first;
        for (std::size_t axis = 0; axis < at.size(); ++axis) element += at[axis] * change.indices[axis];
        break;
      }
      case Kind::pad: {
        Extents at = coordinates_of(element, made);
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
          at[axis] -= change.indices[axis];
          if (at[axis] < 0 || at[axis] >= read[axis]) return {};
        }
        element = element_at(at, read);
        break;
      }
      case Kind::rows: {
        std::int64_t rows = 1;
        for (std::int64_t axis = 0; axis < change.axis; ++axis) rows *= read[axis];
        const std::int64_t row = element / (product(made) / rows), length = product(read) / rows;
        element = row * length + (last_of_row ? length - 1 : 0);
        break;
      }
      default:
        break;  // the same elements in the same order
    }
    source = next;
  }
}

/// Elements that are followed one by one, for one operand of a layer.
constexpr std::int64_t most_followed = std::int64_t{1} << 18;

/// The nodes of the graph that a node waits for, for one operand; ascending.
using Writers = std::vector<int>;

/// Extent of the knowledge about the writers of what a node reads.
enum class Knowledge { exact, at_least };

class Rules {
 public:
  Rules(const Workload& workload, const ComputationNodeGraph& graph, const std::vector<NodeBoxes>& boxes,
        Findings& findings)
      : graph_(graph), boxes_(boxes), findings_(findings), origins_(workload) {
    for (std::size_t layer = 0; layer < boxes.size(); ++layer)
      layer_by_id_[boxes[layer].layer().id] = static_cast<int>(layer);
    sort_dependencies();
  }

  void check() {
    for (std::size_t layer = 0; layer < boxes_.size() && !findings_.full(); ++layer)
      for (std::size_t operand = 1; operand < boxes_[layer].layer().operands.size(); ++operand)
        check(static_cast<int>(layer), static_cast<int>(operand));
  }

 private:
  std::string name(int node) const {
    return fmt::format("node {} of layer {}", graph_.nodes[node].sub_id, graph_.layer_id(node));
  }

  /// The writers that each node names, by operand; what is wrong with single entries.
  void sort_dependencies() {
    waits_for_.resize(graph_.nodes.size());
    for (const Dependency& dependency : graph_.dependencies) {
      const ComputationNode &from = graph_.nodes[dependency.from], &to = graph_.nodes[dependency.to];
      if (dependency.operand < 0) continue;  // the order of a group
      if (dependency.operand == 0 || from.layer == to.layer ||
          dependency.operand >= static_cast<int>(boxes_[to.layer].layer().operands.size())) {
        findings_.add("dependency",
                      fmt::format("{} waits for {} because of operand {}, which brings it nothing",
                                  name(dependency.to), name(dependency.from), dependency.operand));
        continue;
      }
      if (dependency.bits != from.produced_bits)
        findings_.add("dependency",
                      fmt::format("{} waits for {} bits of {}, which writes {}", name(dependency.to),
                                  dependency.bits, name(dependency.from), from.produced_bits));
      waits_for_[dependency.to][dependency.operand].push_back(dependency.from);
    }
    for (std::size_t node = 0; node < waits_for_.size(); ++node) {
      for (Writers& writers : waits_for_[node]) {
        std::sort(writers.begin(), writers.end());
        const auto twice = std::adjacent_find(writers.begin(), writers.end());
        if (twice == writers.end()) continue;
        findings_.add("dependency", fmt::format("{} waits for {} twice for one operand",
                                                name(static_cast<int>(node)), name(*twice)));
        writers.erase(std::unique(writers.begin(), writers.end()), writers.end());
      }
    }
  }

  void check(int layer, int operand) {
    const NodeBoxes& boxes = boxes_[layer];
    const LayerOperand& entry = boxes.layer().operands[operand];
    std::map<int, std::pair<Writers, Knowledge>> by_tensor;  // nodes that share a tensor read the same
    for (int sub_id = 0; sub_id < boxes.cut_layer().node_count && !findings_.full(); ++sub_id) {
      end_if_interrupted();
      const int node = boxes.cut_layer().first_node + sub_id;
      const Writers& named = waits_for_[node][operand];
      if (entry.sources.empty()) {
        if (!named.empty())
          findings_.add("dependency", fmt::format("{} waits for {} because of {}, which no layer makes",
                                                  name(node), name(named.front()), entry.name));
        continue;
      }
      const int tensor = graph_.nodes[node].tensors[operand];
      auto known = by_tensor.find(tensor);
      if (known == by_tensor.end()) known = by_tensor.emplace(tensor, needed(layer, operand, sub_id)).first;
      compare(node, entry.name, named, known->second.first, known->second.second);
    }
  }

  void compare(int node, const std::string& operand, const Writers& named, const Writers& needed,
               Knowledge knowledge) {
    Writers missing, other;
    std::set_difference(needed.begin(), needed.end(), named.begin(), named.end(),
                        std::back_inserter(missing));
    if (!missing.empty())
      findings_.add("dependency missing",
                    fmt::format("{} reads as {} what {} finishes, and does not wait for it", name(node),
                                operand, name(missing.front())));
    if (knowledge == Knowledge::at_least) return;
    std::set_difference(named.begin(), named.end(), needed.begin(), needed.end(),
                        std::back_inserter(other));
    for (const int writer : other) {
      if (waits_for_all(named, graph_.nodes[writer].layer)) continue;
      findings_.add("dependency", fmt::format("{} waits for {}, of which it reads nothing as {}",
                                              name(node), name(writer), operand));
      return;
    }
  }

  /// Where elements are moved, a node may wait for everything that a layer finishes.
  bool waits_for_all(const Writers& named, int layer) const {
    if (moved_from_.count(layer) == 0) return false;
    const NodeBoxes& boxes = boxes_[layer];
    for (int sub_id = 0; sub_id < boxes.cut_layer().node_count; ++sub_id)
      if (boxes.finishes(sub_id) &&
          !std::binary_search(named.begin(), named.end(), boxes.cut_layer().first_node + sub_id))
        return false;
    return true;
  }

  std::pair<Writers, Knowledge> needed(int layer, int operand, int sub_id) {
    const LayerOperand& entry = boxes_[layer].layer().operands[operand];
    if (entry.sources.size() != 1) return {{}, Knowledge::at_least};
    const std::int64_t source = entry.sources.front();
    if (const auto producer = layer_by_id_.find(origins_.unmoved(source)); producer != layer_by_id_.end()) {
      const Extents written = data_extents(boxes_[producer->second].layer(), 0);
      const Extents read = data_extents(boxes_[layer].layer(), operand);
      if (written.size() == read.size())
        return {in_boxes(layer, operand, sub_id, producer->second, written),
                written == read ? Knowledge::exact : Knowledge::at_least};
    }
    return by_elements(layer, operand, sub_id, source);
  }

  /// Coordinates of a node along each axis of the data, as `choose(data axis, whole, ranges)` takes them
  /// from the ranges of an axis. Groups and channels are one axis of the data; `whole` is true for both.
  template <class Choose>
  std::vector<std::vector<std::int64_t>> coordinates(int layer, int operand, int sub_id,
                                                     Choose choose) const {
    const NodeBoxes& boxes = boxes_[layer];
    std::vector<std::vector<std::int64_t>> axes;
    const std::vector<std::string>& names = boxes.layer().operands[operand].dimensions;
    const std::string channels = operand == 0 ? "K" : "C";
    const auto joins = [&](int axis) {
      if (axis <= 0 || axis >= static_cast<int>(names.size())) return false;
      return (names[axis] == channels && names[axis - 1] == "G") ||
             (names[axis] == "G" && names[axis - 1] == channels);
    };
    for (int axis = 0; axis < boxes.axes(operand); ++axis) {
      const bool joined = joins(axis);
      std::vector<std::int64_t> values = choose(axes.size() - (joined ? 1 : 0), joined || joins(axis + 1),
                                                boxes.touched(sub_id, operand, axis));
      if (!joined) {
        axes.push_back(std::move(values));
        continue;
      }
      std::vector<std::int64_t> both;
      for (const std::int64_t outer : axes.back())
        for (const std::int64_t inner : values) both.push_back(outer * boxes.extent(operand, axis) + inner);
      axes.back() = std::move(both);
    }
    return axes;
  }

  static std::vector<std::int64_t> all_of(const Coordinates& ranges) {
    std::vector<std::int64_t> values;
    for (const Range& range : ranges)
      for (std::int64_t value = range.low; value < range.high; ++value) values.push_back(value);
    return values;
  }

  /// The first one, one in the middle and the last one, each once.
  static std::vector<std::int64_t> some_of(const Coordinates& ranges) {
    if (ranges.empty()) return {};
    const Range& middle = ranges[ranges.size() / 2];
    std::vector<std::int64_t> values{ranges.front().low, middle.low + (middle.high - middle.low) / 2,
                                     ranges.back().high - 1};
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

  /// The output axis behind an axis of the data, and whether the next output axis belongs to it, too.
  std::pair<std::size_t, bool> output_axis(int layer, std::size_t data_axis) const {
    const std::vector<std::string>& names = boxes_[layer].layer().operands[0].dimensions;
    const auto joins = [&](std::size_t at) {
      return at + 1 < names.size() &&
             ((names[at] == "G" && names[at + 1] == "K") || (names[at] == "K" && names[at + 1] == "G"));
    };
    std::size_t axis = 0;
    for (std::size_t seen = 0; seen < data_axis; ++seen) axis += joins(axis) ? 2 : 1;
    return {axis, joins(axis)};
  }

  /// One coordinate in each piece of a layer along an axis of its output: others lead to the same nodes.
  std::vector<std::int64_t> one_in_each_piece(int layer, std::size_t data_axis,
                                              const Coordinates& ranges) const {
    const NodeBoxes& boxes = boxes_[layer];
    const auto [axis, joined] = output_axis(layer, data_axis);
    if (joined) return all_of(ranges);
    const int loop = boxes.loop_of_output_axis(static_cast<int>(axis));
    std::vector<std::int64_t> values;
    for (const Range& range : ranges) {
      const std::int64_t piece = loop < 0 ? range.high : boxes.cut_layer().piece->loops[loop].size;
      for (std::int64_t value = range.low; value < range.high; value = (value / piece + 1) * piece)
        values.push_back(value);
    }
    return values;
  }

  /// The loops of the output at coordinates of the data.
  void set_loops(int layer, std::size_t data_axis, std::int64_t value,
                 std::vector<std::int64_t>& loops) const {
    const NodeBoxes& boxes = boxes_[layer];
    const auto [axis, joined] = output_axis(layer, data_axis);
    const auto set = [&](std::size_t at, std::int64_t to) {
      if (const int loop = boxes.loop_of_output_axis(static_cast<int>(at)); loop >= 0) loops[loop] = to;
    };
    if (!joined) return set(axis, value);
    const std::int64_t inner = boxes.extent(0, static_cast<int>(axis) + 1);
    set(axis, value / inner);
    set(axis + 1, value % inner);
  }

  /// Along each axis the distinct pieces of the producer, then all their combinations.
  Writers in_boxes(int layer, int operand, int sub_id, int producer, const Extents& written) const {
    const NodeBoxes& boxes = boxes_[producer];
    const std::vector<std::int64_t> zero(boxes.layer().loops.size(), 0);
    const int base = boxes.finisher(zero);
    Writers writers{boxes.cut_layer().first_node + base};
    const auto axes =
        coordinates(layer, operand, sub_id, [&](std::size_t axis, bool whole, const Coordinates& ranges) {
          return whole ? all_of(ranges) : one_in_each_piece(producer, axis, ranges);
        });
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      std::set<int> offsets;
      std::vector<std::int64_t> loops = zero;
      for (const std::int64_t value : axes[axis]) {
        if (value >= written[axis]) continue;
        set_loops(producer, axis, value, loops);
        offsets.insert(boxes.finisher(loops) - base);
      }
      Writers combined;
      for (const int offset : offsets)
        for (const int writer : writers) combined.push_back(writer + offset);
      writers = std::move(combined);
    }
    std::sort(writers.begin(), writers.end());
    return writers;
  }

  std::pair<Writers, Knowledge> by_elements(int layer, int operand, int sub_id, std::int64_t source) {
    const NodeBoxes& boxes = boxes_[layer];
    const Extents read = data_extents(boxes.layer(), operand);
    std::int64_t all = 1;
    for (const std::int64_t extent : read) all *= extent;
    if (!origins_.traceable(source, all)) return {{}, Knowledge::at_least};
    double elements = 1;
    for (int axis = 0; axis < boxes.axes(operand); ++axis)
      elements *= static_cast<double>(count(boxes.touched(sub_id, operand, axis)));
    const bool corners = elements * boxes.cut_layer().node_count > static_cast<double>(most_followed);
    const auto axes =
        coordinates(layer, operand, sub_id, [&](std::size_t, bool, const Coordinates& ranges) {
          return corners ? some_of(ranges) : all_of(ranges);
        });
    std::set<int> writers;
    std::vector<std::size_t> at(axes.size(), 0);
    const bool empty =
        std::any_of(axes.begin(), axes.end(), [](const auto& values) { return values.empty(); });
    for (bool more = !empty; more;) {
      std::int64_t element = 0;
      for (std::size_t axis = 0; axis < axes.size(); ++axis)
        element = element * read[axis] + axes[axis][at[axis]];
      for (const bool last : {false, true})
        if (const int writer = writer_of(origins_.of(source, element, last)); writer >= 0)
          writers.insert(writer);
      more = false;
      for (std::size_t axis = axes.size(); axis-- > 0 && !more;) {
        more = ++at[axis] < axes[axis].size();
        if (!more) at[axis] = 0;
      }
    }
    const bool exact = !corners && !origins_.by_rows(source);
    return {{writers.begin(), writers.end()}, exact ? Knowledge::exact : Knowledge::at_least};
  }

  int writer_of(const Origin& origin) {
    const auto found = layer_by_id_.find(origin.layer);
    if (found == layer_by_id_.end()) return -1;
    moved_from_.insert(found->second);
    const NodeBoxes& boxes = boxes_[found->second];
    std::vector<std::int64_t> loops(boxes.layer().loops.size(), 0);
    std::int64_t element = origin.element;
    for (int axis = boxes.axes(0) - 1; axis >= 0; --axis) {
      const std::int64_t extent = boxes.extent(0, axis);
      if (const int loop = boxes.loop_of_output_axis(axis); loop >= 0) loops[loop] = element % extent;
      element /= extent;
    }
    return boxes.cut_layer().first_node + boxes.finisher(loops);
  }

  const ComputationNodeGraph& graph_;
  const std::vector<NodeBoxes>& boxes_;
  Findings& findings_;
  Origins origins_;
  std::map<std::int64_t, int> layer_by_id_;
  std::vector<std::array<Writers, most_operands>> waits_for_;  ///< by node and operand
  std::set<int> moved_from_;  ///< layers whose elements some operator moves
};

}  // namespace

void check_dependencies(const Workload& workload, const ComputationNodeGraph& graph,
                        const std::vector<NodeBoxes>& boxes, Findings& findings) {
  Rules(workload, graph, boxes, findings).check();
}

}  // namespace zz::core::check
