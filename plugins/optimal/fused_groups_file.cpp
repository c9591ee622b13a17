#include "plugins/optimal/fused_groups_file.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/base/nearest_name.hpp"
#include "core/cost/cost_model.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/search/fused/exchange_memories.hpp"
#include "core/search/fused/fused_check.hpp"
#include "core/search/fused/fused_latency.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/temporal/mapping_check.hpp"

namespace zz::plugins {
namespace {

using core::yaml::MapReader;
using core::yaml::Node;
using Role = core::FusedOperand::Role;

/// Parts of one loop are numbered from the innermost one.
int part_of(const core::FusedNetwork& network, std::size_t layer, int axis) {
  int part = 0;
  const core::LayerAxis& wanted = *network.axis_of(static_cast<int>(layer), axis);
  for (const core::LayerAxis& own : network.axes[layer]) {
    if (own.axis == axis) break;
    part += own.dimension == wanted.dimension ? 1 : 0;
  }
  return part;
}

std::string text_of(const core::SpatialUnrolling& unrolling) {
  std::vector<std::string> dimensions;
  for (const core::ArrayUnrolling& dimension : unrolling.dimensions) {
    std::vector<std::string> loops;
    for (const core::SpatialLoop& loop : dimension.loops)
      loops.push_back(fmt::format("[{}, {}]", core::json_string(loop.dimension), loop.factor));
    dimensions.push_back(
        fmt::format("{}: [{}]", core::json_string(dimension.array_dimension), fmt::join(loops, ", ")));
  }
  return fmt::format("{{{}}}", fmt::join(dimensions, ", "));
}

void add_layer(std::string& text, const core::FusedNetwork& network, std::size_t index,
               const core::FusedLayer& member) {
  const core::NetworkLayer& own = network.layers[index];
  const core::Layer& layer = *own.layer;
  std::vector<std::string> loops, cuts, shared, places;
  for (int loop = 0; loop < member.mapping.loops; ++loop)
    loops.push_back(fmt::format("[{}, {}]",
                                core::json_string(layer.loops[member.mapping.dimension[loop]].name),
                                member.mapping.size[loop]));
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
    const std::string name = core::json_string(layer.operands[operand].name);
    const std::size_t levels = member.problem.fractional->operands[operand].levels.size() - 1;
    const auto& all = member.mapping.stationary[operand];
    std::vector<int> ends(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(levels));
    cuts.push_back(fmt::format("{}: [{}]", name, fmt::join(ends, ", ")));
    const core::FusedOperand& of = member.operands[operand];
    if (of.role == Role::brought) continue;
    places.push_back(
        fmt::format("{}: [{}, {}]", name, of.role == Role::kept ? "kept" : "exchanged", of.depth));
  }
  for (const core::SharedLoop& loop : member.shared) {
    const int dimension = network.axis_of(static_cast<int>(index), loop.axis)->dimension;
    const int part = part_of(network, index, loop.axis);
    shared.push_back(fmt::format("[{}, {}{}]", core::json_string(layer.loops[dimension].name),
                                 loop.iterations, part > 0 ? fmt::format(", {}", part) : ""));
  }
  text += fmt::format(
      "  - name: {}\n    unfused_energy: {:#}\n    unrolling: {}\n    loops: [{}]\n    cuts: {{{}}}\n",
      core::json_string(layer.name), own.by_itself->energy, text_of(own.unrolling()),
      fmt::join(loops, ", "), fmt::join(cuts, ", "));
  if (own.is_enlarged()) text += "    enlarged: true\n";
  if (!shared.empty())
    text += fmt::format("    shared: [{}]\n    with_next: {}\n", fmt::join(shared, ", "), member.with_next);
  if (!places.empty()) text += fmt::format("    places: {{{}}}\n", fmt::join(places, ", "));
}

}  // namespace

std::string fused_groups_yaml(const FusedResult& found, const std::string& heading) {
  const core::FusedOptimum& optimum = found.optimum;
  const core::FusedNetwork& network = optimum.network;
  const int exchange_memory = core::exchange_memory_of(optimum.mapping);
  std::string text = fmt::format(
      "# {}\nobjective: {}\nvalue: {:#}\nlower_bound: {:#}\nunfused: {:#}\nhome: {}\n", heading,
      core::word_of(found.objective), optimum.value, optimum.lower_bound, optimum.unfused,
      exchange_memory < 0 ? "\"\""
                          : core::json_string(core::exchange_memory_name(network, exchange_memory)));
  if (const auto [from, to] = network.enlarged_sizes; to > from)
    text += fmt::format("enlarged: [{}, {}]\n", from, to);
  text += "layers:\n";
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer)
    add_layer(text, network, layer, optimum.mapping.layers[layer]);
  return text;
}

namespace {

/// Reads a file for layers that are known.
class GroupsReader {
 public:
  GroupsReader(const core::Workload& workload, const std::vector<GivenLayer>& placed,
               const core::CostModelOptions& options)
      : workload_(workload), placed_(placed), options_(options) {}

  FusedResult read(const Node& file) {
    MapReader map(file, "groups", diagnostics_);
    std::string exchange_memory, objective;
    double value = 0;
    if (map.required("objective", objective)) read_objective(objective, *file.find("objective"));
    map.required("value", value);
    map.required("lower_bound", given_.optimum.lower_bound);
    if (given_.optimum.lower_bound < 0)
      diagnostics_.error(file.find("lower_bound")->mark, "'lower_bound' of groups must not be negative");
    map.required("unfused", given_.optimum.unfused);
    map.required("home", exchange_memory);
    map.optional("enlarged", enlarged_);
    const Node* layers = map.required("layers");
    map.finish();
    diagnostics_.throw_if_errors();
    if (core::yaml::expect_list(*layers, "'layers' of groups", diagnostics_)) read_entries(*layers);
    diagnostics_.throw_if_errors();
    make_network();
    if (const Node* sizes = file.find("enlarged")) enlarge(*sizes);
    find_exchange_memory(exchange_memory, *file.find("home"));
    for (std::size_t at = 0; at < entries_.size() && !diagnostics_.has_errors(); ++at) read_member(at);
    diagnostics_.throw_if_errors();
    check(file);
    sum(value);
    return std::move(given_);
  }

 private:
  struct Entry {
    const Node *node = nullptr, *loops = nullptr, *cuts = nullptr, *shared = nullptr, *places = nullptr;
    std::size_t placed = 0;  ///< the layer, among those of the network in their order
    core::SpatialUnrolling unrolling;
    double unfused = 0;
    std::int64_t with_next = 0;
    bool enlarged = false;
  };
  /// "[K, 4]", or with the number of a part "[K, 4, 1]".
  struct NamedNumber {
    std::string name;
    std::int64_t number = 0, part = 0;
  };
  static constexpr std::size_t with_part = 3;  ///< items

  bool read_pair(const Node& node, const std::string& what, NamedNumber& pair, std::size_t most = 2) {
    if (!node.is_list() || node.items.size() < 2 || node.items.size() > most) {
      diagnostics_.error(node.mark, fmt::format("{} must be a name and a number, as [K, 4], but found {}",
                                                what, node.describe()));
      return false;
    }
    return core::yaml::read(node.items[0], what, pair.name, diagnostics_) &&
           core::yaml::read(node.items[1], what, pair.number, diagnostics_);
  }

  bool read_pairs(const Node& list, const std::string& what, std::vector<NamedNumber>& pairs,
                  std::size_t most = 2) {
    if (!core::yaml::expect_short_list(list, what, diagnostics_)) return false;
    bool all = true;
    for (const Node& item : list.items) {
      NamedNumber& pair = pairs.emplace_back();
      all = read_pair(item, what, pair, most) &&
            (item.items.size() < with_part ||
             core::yaml::read(item.items[2], what, pair.part, diagnostics_)) &&
            all;
    }
    return all;
  }

  void read_entries(const Node& list) {
    if (list.items.size() != placed_.size()) {
      diagnostics_.error(list.mark, fmt::format("the groups are of {} layers, but the network has {}",
                                                list.items.size(), placed_.size()));
      return;
    }
    for (std::size_t index = 0; index < placed_.size(); ++index) {
      Entry& entry = entries_.emplace_back();
      entry.node = &list.items[index];
      std::string name;
      MapReader map(*entry.node, fmt::format("layer {}", index), diagnostics_);
      if (map.required("name", name)) find_layer(name, entry);
      map.required("unfused_energy", entry.unfused);
      if (const Node* unrolling = map.required("unrolling"))
        read_unrolling(*unrolling, map.what("unrolling"), entry.unrolling);
      entry.loops = map.required("loops");
      entry.cuts = map.required("cuts");
      entry.shared = map.optional("shared");
      map.optional("with_next", entry.with_next);
      entry.places = map.optional("places");
      map.optional("enlarged", entry.enlarged);
      map.finish();
    }
  }

  void read_objective(const std::string& word, const Node& node) {
    if (const auto known = core::objective_of_word(word))
      given_.objective = *known;
    else
      diagnostics_.error(
          node.mark,
          fmt::format("'objective' of groups is '{}'; it must be one of energy, latency, edp", word));
  }

  /// The first layer of that name that no entry before has.
  void find_layer(const std::string& name, Entry& entry) {
    std::vector<std::string> names;
    for (entry.placed = 0; entry.placed < placed_.size(); ++entry.placed) {
      names.push_back(placed_[entry.placed].layer->name);
      const bool taken = std::any_of(entries_.begin(), entries_.end() - 1,
                                     [&](const Entry& before) { return before.placed == entry.placed; });
      if (names.back() == name && !taken) return;
    }
    diagnostics_.error(entry.node->mark, fmt::format("there is no layer '{}' that is not yet mapped", name),
                       core::suggestion(name, names));
  }

  void read_unrolling(const Node& node, const std::string& what, core::SpatialUnrolling& unrolling) {
    if (!core::yaml::expect_short_map(node, what, diagnostics_)) return;
    for (const auto& [dimension, loops] : node.entries) {
      std::vector<NamedNumber> pairs;
      if (!read_pairs(loops, what, pairs)) continue;
      core::ArrayUnrolling& along = unrolling.dimensions.emplace_back();
      along.array_dimension = dimension;
      for (const NamedNumber& pair : pairs) along.loops.push_back({pair.name, pair.number});
    }
  }

  /// The network in the order of the file.
  void make_network() {
    std::vector<core::NetworkLayer> layers(placed_.size());
    std::vector<int> order;
    for (const Entry& entry : entries_) {
      const GivenLayer& given = placed_[entry.placed];
      core::MappedLayer alone;
      order.push_back(static_cast<int>(entry.placed));
      alone.layer = given.layer;
      alone.unrolling = entry.unrolling;
      alone.energy = entry.unfused;
      unroll(entry, alone);
      core::NetworkLayer& layer = layers[entry.placed] = core::NetworkLayer(std::move(alone));
      layer.set = given.set;
      layer.in_common = given.in_common;
    }
    diagnostics_.throw_if_errors();
    given_.optimum.network = core::reordered(core::fused_network(workload_, std::move(layers)), order);
    for (const core::NetworkTensor& tensor : given_.optimum.network.tensors) {
      const int first = tensor.uses.front().layer;
      if (first > tensor.producer) continue;
      diagnostics_.error(entries_[first].node->mark,
                         fmt::format("'{}' runs before '{}', whose result it reads", name_of(first),
                                     name_of(tensor.producer)));
    }
    diagnostics_.throw_if_errors();
  }

  /// Makes the layer's problem. A hint of a mapping file is lowered where it is too large; here that is
  /// wrong.
  void unroll(const Entry& entry, core::MappedLayer& layer) {
    const std::shared_ptr<const core::Accelerator>& accelerator = placed_[entry.placed].accelerator;
    std::vector<std::string> loops;
    for (const core::LoopDimension& loop : layer.layer->loops) loops.push_back(loop.name);
    for (const core::ArrayUnrolling& along : layer.unrolling.dimensions) {
      const core::ArrayDimension* array = accelerator->array.find(along.array_dimension);
      for (const core::SpatialLoop& loop : along.loops) {
        if (layer.layer->loop_index(loop.dimension) < 0)
          diagnostics_.error(entry.node->mark,
                             fmt::format("'unrolling' of layer '{}' has a loop {} that the layer lacks",
                                         layer.layer->name, loop.dimension),
                             core::suggestion(loop.dimension, loops));
        else if (array != nullptr && loop.factor > array->size)
          diagnostics_.error(
              entry.node->mark,
              fmt::format("'unrolling' of layer '{}' unrolls {} {} times on {} of {} units",
                          layer.layer->name, loop.dimension, loop.factor, array->name, array->size));
      }
    }
    try {
      layer.problem = core::unrolled_problem(*layer.layer, accelerator, layer.unrolling, options_);
      check_of(layer.problem);
    } catch (const core::InputError& wrong) {
      diagnostics_.error(entry.node->mark, wrong.what());
    }
  }

  /// By the rules of the searches; throws InputError for an unrolling that they would not have.
  static core::MappingCheck check_of(const core::MappingProblem& problem) {
    return {*problem.layer, *problem.accelerator, *problem.fractional, problem.options.rules};
  }

  /// Enlarges the layers that say so.
  void enlarge(const Node& sizes) {
    core::FusedNetwork& network = given_.optimum.network;
    const bool two = enlarged_.size() == 2 && enlarged_[0] > 0 && enlarged_[1] > enlarged_[0] &&
                     enlarged_[1] - enlarged_[0] < enlarged_[0];
    if (!two) {
      diagnostics_.error(sizes.mark,
                         "'enlarged' of groups must be the size of an axis and a larger one, "
                         "less than twice as large, as [2048, 2052]");
      diagnostics_.throw_if_errors();
    }
    const std::int64_t from = enlarged_[0], to = enlarged_[1];
    for (std::size_t index = 0; index < network.layers.size(); ++index)
      for (const core::LayerAxis& axis : network.axes[index])
        if (axis.size == from && to % (from / axis.left) != 0)
          diagnostics_.error(sizes.mark,
                             fmt::format("'{}' cannot have {} for {}: it unrolls this axis {} times",
                                         name_of(static_cast<int>(index)), to, from, from / axis.left));
    diagnostics_.throw_if_errors();
    network = core::enlarged(network, from, to);
    for (std::size_t index = 0; index < network.layers.size(); ++index) {
      core::NetworkLayer& layer = network.layers[index];
      if (entries_[index].enlarged && !layer.is_enlarged())
        diagnostics_.error(
            entries_[index].node->mark,
            fmt::format("'{}' has no axis of {} that could be enlarged", layer.layer->name, from));
      else if (!entries_[index].enlarged)
        layer.shrink();
    }
    diagnostics_.throw_if_errors();
  }

  const std::string& name_of(int layer) const { return given_.optimum.network.layers[layer].layer->name; }

  /// The memory of that name, as index into those of the array; -1: it cannot be an exchange memory, which
  /// is told.
  int exchange_memory_named(const std::string& name, const Node& node) {
    const auto on_array = std::find_if(placed_.begin(), placed_.end(), [](const GivenLayer& layer) {
      return layer.set >= 0 && layer.in_common.empty();
    });
    const std::vector<std::string> possible = on_array == placed_.end()
                                                  ? std::vector<std::string>()
                                                  : core::exchange_memories(*on_array->accelerator);
    if (std::find(possible.begin(), possible.end(), name) != possible.end())
      return on_array->accelerator->memory_index(name);
    diagnostics_.error(node.mark, fmt::format("memory '{}' cannot be the exchange memory of tensors", name),
                       core::suggestion(name, possible));
    return -1;
  }

  void find_exchange_memory(const std::string& name, const Node& node) {
    if (!name.empty()) exchange_memory_ = exchange_memory_named(name, node);
    diagnostics_.throw_if_errors();
    if (exchange_memory_ >= 0)
      given_.optimum.network =
          core::seen_from_exchange_memory(std::move(given_.optimum.network), exchange_memory_);
  }

  /// Files of zz before the first release say of a place in which of two memories it is, as
  /// "[kept, 1, scratchpad]". False: in another one than the exchange memory, which is told.
  bool is_in_exchange_memory(const Node& place, const std::string& what) {
    if (place.items.size() < with_part) return true;
    std::string memory;
    if (!core::yaml::read(place.items[2], what, memory, diagnostics_)) return false;
    const core::FusedNetwork& network = given_.optimum.network;
    const std::string exchange_memory =
        exchange_memory_ < 0 ? "" : core::exchange_memory_name(network, exchange_memory_);
    if (memory == exchange_memory) return true;
    diagnostics_.error(
        place.mark,
        fmt::format(
            "{} is in '{}', and 'home' of groups is '{}': two memories at once are gone, "
            "because no "
            "shipped accelerator has two that can be an exchange memory; search for groups again, with "
            "`groups: auto`",
            what, memory, exchange_memory));
    return false;
  }

  void read_member(std::size_t index) {
    const Entry& entry = entries_[index];
    const core::NetworkLayer& own = given_.optimum.network.layers[index];
    const std::string of = fmt::format("of layer '{}'", own.layer->name);
    core::FusedLayer member;
    if (entry.shared != nullptr) read_shared(index, *entry.shared, "'shared' " + of, member);
    const auto shared = static_cast<std::int64_t>(member.shared.size());
    if (entry.with_next < 0 || entry.with_next > shared)
      diagnostics_.error(entry.node->mark, fmt::format("'with_next' {} must be in [0, {}], but is {}", of,
                                                       shared, entry.with_next));
    member.with_next = static_cast<int>(entry.with_next);
    if (entry.places != nullptr) read_places(index, *entry.places, "'places' " + of, member);
    if (diagnostics_.has_errors()) return;
    member.problem = core::seen_in_group(own, member);
    core::TemporalMapping mapping;
    std::vector<NamedNumber> loops;
    if (!read_pairs(*entry.loops, "'loops' " + of, loops)) return;
    for (const NamedNumber& loop : loops) mapping.loops.push_back({loop.name, loop.number});
    MapReader cuts(*entry.cuts, "'cuts' " + of, diagnostics_);
    for (const core::LayerOperand& operand : own.layer->operands) {
      std::vector<std::int64_t> ends;
      if (!cuts.required(operand.name, ends)) continue;
      const auto most = static_cast<std::int64_t>(mapping.loops.size());
      if (std::any_of(ends.begin(), ends.end(), [&](std::int64_t end) { return end < 0 || end > most; })) {
        diagnostics_.error(entry.cuts->mark,
                           fmt::format("{} must be numbers of loops from 0 to {}, but is [{}]",
                                       cuts.what(operand.name), most, fmt::join(ends, ", ")));
        continue;
      }
      const std::vector<int> as_int(ends.begin(), ends.end());
      mapping.operands.push_back({operand.name, as_int, as_int});
    }
    cuts.finish();
    if (diagnostics_.has_errors()) return;
    const core::CostModel model = core::model_of(member.problem);
    try {
      member.mapping = model.compact(mapping);
    } catch (const core::InputError& wrong) {
      diagnostics_.error(entry.node->mark, wrong.what());
      return;
    }
    const core::Score score = model.score(member.mapping);
    member.energy = score.energy_total;
    member.latency = score.latency_total2;
    given_.optimum.mapping.layers.push_back(std::move(member));
  }

  void read_shared(std::size_t index, const Node& node, const std::string& what, core::FusedLayer& member) {
    std::vector<NamedNumber> loops;
    if (!read_pairs(node, what, loops, with_part)) return;
    const core::Layer& layer = *given_.optimum.network.layers[index].layer;
    for (const NamedNumber& loop : loops) {
      const int dimension = layer.loop_index(loop.name);
      std::int64_t part = loop.part;
      const core::LayerAxis* found = nullptr;
      for (const core::LayerAxis& axis : given_.optimum.network.axes[index])
        if (axis.dimension == dimension && part-- == 0) found = &axis;
      if (found == nullptr || loop.number < 1)
        diagnostics_.error(
            node.mark, fmt::format("{} has no loop {} with {} iterations", what, loop.name, loop.number));
      else
        member.shared.push_back({found->axis, loop.number});
    }
  }

  void read_places(std::size_t index, const Node& node, const std::string& what, core::FusedLayer& member) {
    const core::NetworkLayer& own = given_.optimum.network.layers[index];
    MapReader places(node, what, diagnostics_);
    for (std::size_t operand = 0; operand < own.layer->operands.size(); ++operand) {
      const std::string& name = own.layer->operands[operand].name;
      const Node* given = places.optional(name);
      NamedNumber pair;
      if (given == nullptr || !read_pair(*given, places.what(name), pair, with_part) ||
          !is_in_exchange_memory(*given, places.what(name)))
        continue;
      const bool exchanged = pair.name == "exchanged";
      const auto shared = static_cast<std::int64_t>(member.shared.size());
      if (!exchanged && pair.name != "kept")
        diagnostics_.error(given->mark, fmt::format("{} must be exchanged or kept, but is '{}'",
                                                    places.what(name), pair.name));
      else if (pair.number < 0 || pair.number > shared)
        diagnostics_.error(given->mark, fmt::format("{}: the depth must be in [0, {}], but is {}",
                                                    places.what(name), shared, pair.number));
      else if (const std::string why = reason_to_leave(index, static_cast<int>(operand), exchanged);
               !why.empty())
        diagnostics_.error(given->mark, fmt::format("{}: {}", places.what(name), why));
      member.operands[operand] = {exchanged ? Role::exchanged : Role::kept, static_cast<int>(pair.number)};
      member.exchange_memory = exchange_memory_;
    }
    places.finish();
  }

  /// Why the operand cannot be in the exchange memory; "" when it can.
  std::string reason_to_leave(std::size_t index, int operand, bool exchanged) const {
    if (exchange_memory_ < 0) return "there is no 'home'";
    const core::NetworkLayer& own = given_.optimum.network.layers[index];
    if (own.set < 0) return fmt::format("'{}' cannot be fused", own.layer->name);
    const int here = own.memory(exchange_memory_);
    if (here < 0)
      return fmt::format("'{}' runs on the vector unit, which lacks the exchange memory", own.layer->name);
    const core::Memory& memory = own.problem.accelerator->memories[here];
    const std::string& of = own.problem.layer->memory_operand(operand);
    if (!(exchanged ? core::may_be_exchanged(*own.problem.accelerator, here, of) : memory.holds(of)))
      return fmt::format("'{}' holds no {}", memory.name, of);
    if (!exchanged) return "";
    const int tensor = given_.optimum.network.tensor_at(static_cast<int>(index), operand);
    if (tensor < 0) return "no other layer writes or reads it";
    const core::NetworkTensor& what = given_.optimum.network.tensors[tensor];
    return what.exchangeable ? "" : what.obstacle;
  }

  void check(const Node& file) {
    const std::vector<std::string> wrong =
        core::fused_violations(given_.optimum.network, given_.optimum.mapping);
    for (const std::string& one : wrong) diagnostics_.error(file.mark, one);
    for (std::size_t index = 0; index < placed_.size() && wrong.empty(); ++index) check_room(index);
    diagnostics_.throw_if_errors();
  }

  /// Of all memories but the exchange memory, which layers share.
  void check_room(std::size_t index) {
    const core::FusedLayer& member = given_.optimum.mapping.layers[index];
    const core::NetworkLayer& own = given_.optimum.network.layers[index];
    for (const core::MappingCheck::Room& room : check_of(member.problem).needed_room(member.mapping)) {
      const core::Memory& memory = member.problem.accelerator->memories[room.memory];
      const int exchange_memory =
          own.set < 0 ? -1 : own.memory(core::exchange_memory_of(given_.optimum.mapping));
      if (exchange_memory >= 0 && own.problem.accelerator->memories[exchange_memory].name == memory.name)
        continue;
      const auto capacity = static_cast<double>(memory.size);
      if (!room.fits(capacity))
        diagnostics_.error(entries_[index].node->mark,
                           fmt::format("while '{}' runs, '{}' of {} bits must hold {}: {} bits too many",
                                       member.problem.layer->name, memory.name, memory.size, room.bits,
                                       room.bits - capacity));
    }
  }

  void sum(double value) {
    core::FusedOptimum& optimum = given_.optimum;
    for (std::size_t index = 0; index < placed_.size(); ++index) {
      const core::FusedLayer& member = optimum.mapping.layers[index];
      optimum.energy += member.energy;
      optimum.latency += core::fused_latency(optimum.network, static_cast<int>(index), member);
    }
    optimum.value = core::value_of(given_.objective, optimum.energy, optimum.latency.evaluated);
    optimum.lower_bound = std::min(optimum.lower_bound, optimum.value);
    given_.as_written = std::abs(optimum.value - value) <= core::rounding_tolerance * value;
  }

  const core::Workload& workload_;
  const std::vector<GivenLayer>& placed_;
  const core::CostModelOptions& options_;
  core::Diagnostics diagnostics_;
  std::vector<Entry> entries_;
  int exchange_memory_ = -1;            ///< a memory of the array
  std::vector<std::int64_t> enlarged_;  ///< size of axes, and their larger one
  FusedResult given_;
};

}  // namespace

FusedResult read_fused_groups(const Node& file, const core::Workload& workload,
                              const std::vector<GivenLayer>& layers,
                              const core::CostModelOptions& options) {
  return GroupsReader(workload, layers, options).read(file);
}

}  // namespace zz::plugins
