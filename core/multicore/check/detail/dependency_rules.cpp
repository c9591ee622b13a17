#include "core/multicore/check/detail/dependency_rules.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/multicore/check/detail/origins.hpp"

namespace zz::core::partition_check {
namespace {

/// Elements that are followed one by one, for one operand of a layer.
constexpr std::int64_t most_followed = std::int64_t{1} << 18;

/// What a node waits for, for one operand: nodes of the graph, ascending.
using Writers = std::vector<int>;

/// How much is known about the writers of what a node reads.
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

  /// Coordinates of a node along each axis of the data: groups and channels are one.
  std::vector<std::vector<std::int64_t>> coordinates(int layer, int operand, int sub_id) const {
    const NodeBoxes& boxes = boxes_[layer];
    std::vector<std::vector<std::int64_t>> axes;
    const std::vector<std::string>& names = boxes.layer().operands[operand].dimensions;
    const std::string channels = operand == 0 ? "K" : "C";
    for (int axis = 0; axis < boxes.axes(operand); ++axis) {
      std::vector<std::int64_t> values;
      for (const Range& range : boxes.touched(sub_id, operand, axis))
        for (std::int64_t value = range.low; value < range.high; ++value) values.push_back(value);
      const bool joined = axis > 0 && ((names[axis] == channels && names[axis - 1] == "G") ||
                                       (names[axis] == "G" && names[axis - 1] == channels));
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

  /// The loops of the output at coordinates of the data.
  void set_loops(int layer, std::size_t data_axis, std::int64_t value,
                 std::vector<std::int64_t>& loops) const {
    const NodeBoxes& boxes = boxes_[layer];
    const std::vector<std::string>& names = boxes.layer().operands[0].dimensions;
    std::size_t axis = 0, seen = 0;
    const auto joins = [&](std::size_t at) {
      return at + 1 < names.size() &&
             ((names[at] == "G" && names[at + 1] == "K") || (names[at] == "K" && names[at + 1] == "G"));
    };
    for (; seen < data_axis; ++seen) axis += joins(axis) ? 2 : 1;
    const auto set = [&](std::size_t at, std::int64_t to) {
      if (const int loop = boxes.loop_of_output_axis(static_cast<int>(at)); loop >= 0) loops[loop] = to;
    };
    if (!joins(axis)) return set(axis, value);
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
    const auto axes = coordinates(layer, operand, sub_id);
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
    auto axes = coordinates(layer, operand, sub_id);
    std::int64_t elements = 1;
    for (const auto& values : axes) elements *= static_cast<std::int64_t>(values.size());
    const bool corners = elements * boxes.cut_layer().node_count > most_followed;
    if (corners) {
      for (auto& values : axes)
        if (values.size() > 2) values = {values.front(), values[values.size() / 2], values.back()};
    }
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

}  // namespace zz::core::partition_check
