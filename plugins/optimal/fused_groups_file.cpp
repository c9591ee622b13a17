#include "plugins/optimal/fused_groups_file.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/cost/cost_model.hpp"
#include "core/schema/fused_groups.hpp"
#include "core/search/fused/exchange_memories.hpp"
#include "core/search/fused/fused_check.hpp"
#include "core/search/fused/fused_latency.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/temporal/mapping_check.hpp"

namespace zz::plugins {
namespace {

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

core::GroupedLayer grouped(const core::FusedNetwork& network, std::size_t index,
                           const core::FusedLayer& member) {
  const core::NetworkLayer& own = network.layers[index];
  const core::Layer& layer = *own.layer;
  core::GroupedLayer made;
  made.name = layer.name;
  made.unfused_energy = own.by_itself->energy;
  made.unrolling = own.unrolling();
  made.enlarged = own.is_lengthened();
  made.with_next = member.with_next;
  for (int loop = 0; loop < member.mapping.loops; ++loop)
    made.loops.push_back(
        {layer.loops[member.mapping.dimension[loop]].name, std::int64_t{member.mapping.size[loop]}});
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
    const std::string& name = layer.operands[operand].name;
    const std::size_t levels = member.problem.fractional->operands[operand].levels.size() - 1;
    const auto& all = member.mapping.stationary[operand];
    made.level_ends.push_back({name, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(levels)}});
    const core::FusedOperand& of = member.operands[operand];
    if (of.role != Role::brought)
      made.roles.push_back({name, of.role == Role::kept ? "kept" : "exchanged", of.depth, "", {}});
  }
  for (const core::SharedLoop& loop : member.shared) {
    const int dimension = network.axis_of(static_cast<int>(index), loop.axis)->dimension;
    made.shared.push_back(
        {layer.loops[dimension].name, loop.iterations, part_of(network, index, loop.axis)});
  }
  return made;
}

}  // namespace

std::string fused_groups_yaml(const FusedResult& found, const std::string& heading) {
  const core::FusedOptimum& optimum = found.optimum;
  const core::FusedNetwork& network = optimum.network;
  const int exchange_memory = core::exchange_memory_of(optimum.mapping);
  core::FusedGroups groups;
  groups.objective = core::word_of(found.objective);
  groups.value = optimum.value;
  groups.lower_bound = optimum.lower_bound;
  groups.unfused = optimum.unfused;
  if (exchange_memory >= 0) groups.exchange_memory = core::exchange_memory_name(network, exchange_memory);
  if (const auto [from, to] = network.lengths; to > from) groups.enlarged = {from, to};
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer)
    groups.layers.push_back(grouped(network, layer, optimum.mapping.layers[layer]));
  return core::fused_groups_text(groups, heading);
}

namespace {

/// Reads a file for layers that are known.
class GroupsReader {
 public:
  GroupsReader(const core::Workload& workload, const std::vector<GivenLayer>& placed,
               const core::CostModelOptions& options, core::Diagnostics& diagnostics)
      : workload_(workload), placed_(placed), options_(options), diagnostics_(diagnostics) {}

  FusedResult read(const Node& file) {
    groups_ = core::read_fused_groups(file, diagnostics_);
    if (!groups_.objective.empty()) read_objective(groups_.objective, groups_.mark_of("objective"));
    given_.optimum.lower_bound = groups_.lower_bound;
    given_.optimum.unfused = groups_.unfused;
    if (groups_.lower_bound < 0)
      diagnostics_.error(groups_.mark_of("lower_bound"), "'lower_bound' of groups must not be negative");
    diagnostics_.throw_if_errors();
    find_layers();
    diagnostics_.throw_if_errors();
    make_network();
    if (!groups_.enlarged.empty()) enlarge();
    if (!groups_.exchange_memory.empty()) find_exchange_memory();
    for (std::size_t at = 0; at < placed_.size() && !diagnostics_.has_errors(); ++at) read_member(at);
    diagnostics_.throw_if_errors();
    check();
    sum();
    return std::move(given_);
  }

 private:
  void read_objective(const std::string& word, const core::SourceMark& mark) {
    if (const auto known = core::objective_of_word(word))
      given_.objective = *known;
    else
      diagnostics_.error(
          mark, fmt::format("'objective' of groups is '{}'; it must be one of energy, latency, edp", word));
  }

  /// Finds for each entry the first layer of its name that no entry before has.
  void find_layers() {
    if (groups_.layers.size() != placed_.size()) {
      diagnostics_.error(groups_.mark_of("layers"),
                         fmt::format("the groups are of {} layers, but the network has {}",
                                     groups_.layers.size(), placed_.size()));
      return;
    }
    for (const core::GroupedLayer& entry : groups_.layers) {
      std::vector<std::string> names;
      int found = -1;
      for (int at = 0; at < static_cast<int>(placed_.size()) && found < 0; ++at) {
        names.push_back(placed_[at].layer->name);
        if (names.back() == entry.name && std::find(order_.begin(), order_.end(), at) == order_.end())
          found = at;
      }
      if (found < 0)
        diagnostics_.error(entry.mark,
                           fmt::format("there is no layer '{}' that is not yet mapped", entry.name),
                           core::suggestion(entry.name, names));
      order_.push_back(found);
    }
  }

  /// The network in the order of the file.
  void make_network() {
    std::vector<core::NetworkLayer> layers(placed_.size());
    for (std::size_t at = 0; at < placed_.size(); ++at) {
      const core::GroupedLayer& entry = groups_.layers[at];
      const GivenLayer& given = placed_[order_[at]];
      core::MappedLayer alone;
      alone.layer = given.layer;
      alone.unrolling = entry.unrolling;
      alone.energy = entry.unfused_energy;
      unroll(entry, given.accelerator, alone);
      core::NetworkLayer& layer = layers[order_[at]] = core::NetworkLayer(std::move(alone));
      layer.set = given.set;
      layer.in_common = given.in_common;
    }
    diagnostics_.throw_if_errors();
    given_.optimum.network = core::reordered(core::fused_network(workload_, std::move(layers)), order_);
    for (const core::NetworkTensor& tensor : given_.optimum.network.tensors) {
      const int first = tensor.uses.front().layer;
      if (first > tensor.producer) continue;
      diagnostics_.error(groups_.layers[first].mark,
                         fmt::format("'{}' runs before '{}', whose result it reads", name_of(first),
                                     name_of(tensor.producer)));
    }
    diagnostics_.throw_if_errors();
  }

  /// Makes the layer's problem. A hint of a mapping file is lowered where it is too large; here that is
  /// wrong.
  void unroll(const core::GroupedLayer& entry, const std::shared_ptr<const core::Accelerator>& accelerator,
              core::MappedLayer& layer) {
    std::vector<std::string> loops;
    for (const core::LoopDimension& loop : layer.layer->loops) loops.push_back(loop.name);
    for (const core::ArrayUnrolling& along : layer.unrolling.dimensions) {
      const core::ArrayDimension* array = accelerator->array.find(along.array_dimension);
      for (const core::SpatialLoop& loop : along.loops) {
        if (layer.layer->loop_index(loop.dimension) < 0)
          diagnostics_.error(entry.mark,
                             fmt::format("'unrolling' of layer '{}' has a loop {} that the layer lacks",
                                         layer.layer->name, loop.dimension),
                             core::suggestion(loop.dimension, loops));
        else if (array != nullptr && loop.factor > array->size)
          diagnostics_.error(
              entry.mark,
              fmt::format("'unrolling' of layer '{}' unrolls {} {} times on {} of {} units",
                          layer.layer->name, loop.dimension, loop.factor, array->name, array->size));
      }
    }
    try {
      layer.problem = core::unrolled_problem(*layer.layer, accelerator, layer.unrolling, options_);
      check_of(layer.problem);
    } catch (const core::InputError& wrong) {
      diagnostics_.error(entry.mark, wrong.what());
    }
  }

  /// By the rules of the searches; throws InputError for an unrolling that they would not have.
  static core::MappingCheck check_of(const core::MappingProblem& problem) {
    return {*problem.layer, *problem.accelerator, *problem.fractional, problem.options.rules};
  }

  /// Enlarges the layers that say so.
  void enlarge() {
    const std::vector<std::int64_t>& sizes = groups_.enlarged;
    const core::SourceMark& mark = groups_.mark_of("enlarged");
    core::FusedNetwork& network = given_.optimum.network;
    const bool two =
        sizes.size() == 2 && sizes[0] > 0 && sizes[1] > sizes[0] && sizes[1] - sizes[0] < sizes[0];
    if (!two) {
      diagnostics_.error(mark,
                         "'enlarged' of groups must be the size of an axis and a larger one, "
                         "less than twice as large, as [2048, 2052]");
      diagnostics_.throw_if_errors();
    }
    const std::int64_t from = sizes[0], to = sizes[1];
    for (std::size_t index = 0; index < network.layers.size(); ++index)
      for (const core::LayerAxis& axis : network.axes[index])
        if (axis.size == from && axis.left > 1 && to % (from / axis.left) != 0)
          diagnostics_.error(mark,
                             fmt::format("'{}' cannot have {} for {}: it unrolls this axis {} times",
                                         name_of(static_cast<int>(index)), to, from, from / axis.left));
    diagnostics_.throw_if_errors();
    network = core::lengthened(network, from, to);
    for (std::size_t index = 0; index < network.layers.size(); ++index) {
      core::NetworkLayer& layer = network.layers[index];
      if (groups_.layers[index].enlarged && !layer.is_lengthened())
        diagnostics_.error(
            groups_.layers[index].mark,
            fmt::format("'{}' has no axis of {} that could be enlarged", layer.layer->name, from));
      else if (!groups_.layers[index].enlarged)
        layer.shorten();
    }
    diagnostics_.throw_if_errors();
  }

  const std::string& name_of(int layer) const { return given_.optimum.network.layers[layer].layer->name; }

  /// Finds the memory of that name among those of the array.
  void find_exchange_memory() {
    const std::string& name = groups_.exchange_memory;
    const auto on_array = std::find_if(placed_.begin(), placed_.end(), [](const GivenLayer& layer) {
      return layer.set >= 0 && layer.in_common.empty();
    });
    const std::vector<std::string> possible = on_array == placed_.end()
                                                  ? std::vector<std::string>()
                                                  : core::exchange_memories(*on_array->accelerator);
    if (std::find(possible.begin(), possible.end(), name) == possible.end()) {
      diagnostics_.error(groups_.mark_of("exchange_memory"),
                         fmt::format("layers cannot exchange tensors in memory '{}'", name),
                         core::suggestion(name, possible));
      diagnostics_.throw_if_errors();
    }
    exchange_memory_ = on_array->accelerator->memory_index(name);
    given_.optimum.network =
        core::seen_from_exchange_memory(std::move(given_.optimum.network), exchange_memory_);
  }

  /// False: in another one than the exchange memory, which is told.
  bool is_in_exchange_memory(const core::GroupRole& role, const std::string& what) {
    if (role.memory.empty() || role.memory == groups_.exchange_memory) return true;
    diagnostics_.error(
        role.mark,
        fmt::format(
            "{} is in '{}', and 'exchange_memory' of groups is '{}': two memories at once are gone, "
            "because no shipped accelerator has two in which tensors can be exchanged; search for "
            "groups again, with `groups: auto`",
            what, role.memory, groups_.exchange_memory));
    return false;
  }

  void read_member(std::size_t index) {
    const core::GroupedLayer& entry = groups_.layers[index];
    const core::NetworkLayer& own = given_.optimum.network.layers[index];
    const std::string of = fmt::format("of layer '{}'", own.layer->name);
    core::FusedLayer member;
    find_shared(index, entry, "'shared' " + of, member);
    const auto shared = static_cast<std::int64_t>(member.shared.size());
    if (entry.with_next < 0 || entry.with_next > shared)
      diagnostics_.error(entry.mark, fmt::format("'with_next' {} must be in [0, {}], but is {}", of, shared,
                                                 entry.with_next));
    member.with_next = static_cast<int>(entry.with_next);
    for (const core::GroupRole& role : entry.roles) find_role(index, role, "'roles' " + of, member);
    if (diagnostics_.has_errors()) return;
    member.problem = core::seen_in_group(own, member);
    core::TemporalMapping mapping;
    for (const core::GroupLoop& loop : entry.loops) mapping.loops.push_back({loop.dimension, loop.size});
    find_level_ends(entry, *own.layer, "'level_ends' " + of, mapping);
    if (diagnostics_.has_errors()) return;
    const core::CostModel model = core::model_of(member.problem);
    try {
      member.mapping = model.compact(mapping);
    } catch (const core::InputError& wrong) {
      diagnostics_.error(entry.mark, wrong.what());
      return;
    }
    const core::Score score = model.score(member.mapping);
    member.energy = score.energy_total;
    member.latency = score.latency_total2;
    given_.optimum.mapping.layers.push_back(std::move(member));
  }

  /// The position of the operand of that name in the layer; -1: it has none, which is told.
  int operand_of(const core::Layer& layer, const std::string& name, const std::string& what,
                 const core::SourceMark& mark) {
    std::vector<std::string> names;
    for (const core::LayerOperand& operand : layer.operands) names.push_back(operand.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<int>(found - names.begin());
    diagnostics_.error(mark, fmt::format("unknown key '{}' of {}", name, what),
                       core::suggestion(name, names));
    return -1;
  }

  void find_level_ends(const core::GroupedLayer& entry, const core::Layer& layer, const std::string& what,
                       core::TemporalMapping& mapping) {
    const core::SourceMark& mark = entry.mark_of("level_ends");
    const auto most = static_cast<std::int64_t>(mapping.loops.size());
    for (const core::GroupLevelEnds& given : entry.level_ends) {
      const std::vector<std::int64_t>& ends = given.ends;
      operand_of(layer, given.operand, what, mark);
      if (std::any_of(ends.begin(), ends.end(), [&](std::int64_t end) { return end < 0 || end > most; }))
        diagnostics_.error(mark,
                           fmt::format("'{}' of {} must be numbers of loops from 0 to {}, but is [{}]",
                                       given.operand, what, most, fmt::join(ends, ", ")));
    }
    for (const core::LayerOperand& operand : layer.operands) {
      const auto given =
          std::find_if(entry.level_ends.begin(), entry.level_ends.end(),
                       [&](const core::GroupLevelEnds& one) { return one.operand == operand.name; });
      if (given == entry.level_ends.end()) {
        diagnostics_.error(mark, fmt::format("'{}' is missing in {}", operand.name, what));
        continue;
      }
      const std::vector<int> ends(given->ends.begin(), given->ends.end());
      mapping.operands.push_back({operand.name, ends, ends});
    }
  }

  void find_shared(std::size_t index, const core::GroupedLayer& entry, const std::string& what,
                   core::FusedLayer& member) {
    const core::Layer& layer = *given_.optimum.network.layers[index].layer;
    for (const core::GroupLoop& loop : entry.shared) {
      const int dimension = layer.loop_index(loop.dimension);
      std::int64_t part = loop.part;
      const core::LayerAxis* found = nullptr;
      for (const core::LayerAxis& axis : given_.optimum.network.axes[index])
        if (axis.dimension == dimension && part-- == 0) found = &axis;
      if (found == nullptr || loop.size < 1)
        diagnostics_.error(entry.mark_of("shared"), fmt::format("{} has no loop {} with {} iterations",
                                                                what, loop.dimension, loop.size));
      else
        member.shared.push_back({found->axis, loop.size});
    }
  }

  void find_role(std::size_t index, const core::GroupRole& given, const std::string& of,
                 core::FusedLayer& member) {
    const core::NetworkLayer& own = given_.optimum.network.layers[index];
    const int operand = operand_of(*own.layer, given.operand, of, given.mark);
    const std::string what = fmt::format("'{}' of {}", given.operand, of);
    if (operand < 0 || !is_in_exchange_memory(given, what)) return;
    const bool exchanged = given.role == "exchanged";
    const auto shared = static_cast<std::int64_t>(member.shared.size());
    if (!exchanged && given.role != "kept")
      diagnostics_.error(given.mark,
                         fmt::format("{} must be exchanged or kept, but is '{}'", what, given.role));
    else if (given.depth < 0 || given.depth > shared)
      diagnostics_.error(given.mark, fmt::format("{}: the depth must be in [0, {}], but is {}", what,
                                                 shared, given.depth));
    else if (const std::string why = reason_to_leave(index, operand, exchanged); !why.empty())
      diagnostics_.error(given.mark, fmt::format("{}: {}", what, why));
    member.operands[operand] = {exchanged ? Role::exchanged : Role::kept, static_cast<int>(given.depth)};
    member.exchange_memory = exchange_memory_;
  }

  /// Why the operand cannot be in the exchange memory; "" when it can.
  std::string reason_to_leave(std::size_t index, int operand, bool exchanged) const {
    if (exchange_memory_ < 0) return "there is no 'exchange_memory'";
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

  void check() {
    const std::vector<std::string> wrong =
        core::fused_violations(given_.optimum.network, given_.optimum.mapping);
    for (const std::string& one : wrong) diagnostics_.error(groups_.mark, one);
    for (std::size_t index = 0; index < placed_.size() && wrong.empty(); ++index) check_room(index);
    diagnostics_.throw_if_errors();
  }

  /// All memories have room, without the exchange memory, which layers share.
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
        diagnostics_.error(groups_.layers[index].mark,
                           fmt::format("while '{}' runs, '{}' of {} bits must hold {}: {} bits too many",
                                       member.problem.layer->name, memory.name, memory.size, room.bits,
                                       room.bits - capacity));
    }
  }

  void sum() {
    core::FusedOptimum& optimum = given_.optimum;
    for (std::size_t index = 0; index < placed_.size(); ++index) {
      const core::FusedLayer& member = optimum.mapping.layers[index];
      optimum.energy += member.energy;
      optimum.latency += core::fused_latency(optimum.network, static_cast<int>(index), member);
    }
    optimum.value = core::value_of(given_.objective, optimum.energy, optimum.latency.evaluated);
    optimum.lower_bound = std::min(optimum.lower_bound, optimum.value);
    given_.as_written = std::abs(optimum.value - groups_.value) <= core::rounding_tolerance * groups_.value;
  }

  const core::Workload& workload_;
  const std::vector<GivenLayer>& placed_;
  const core::CostModelOptions& options_;
  core::Diagnostics& diagnostics_;
  core::FusedGroups groups_;
  std::vector<int> order_;    ///< by entry the layer, among those of the network in their order
  int exchange_memory_ = -1;  ///< a memory of the array
  FusedResult given_;
};

}  // namespace

FusedResult read_fused_groups(const Node& file, const core::Workload& workload,
                              const std::vector<GivenLayer>& layers, const core::CostModelOptions& options,
                              core::Diagnostics& diagnostics) {
  return GroupsReader(workload, layers, options, diagnostics).read(file);
}

}  // namespace zz::plugins
