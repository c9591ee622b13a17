#include "core/multicore/explain/detail/changed_machine.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/compat/rules.hpp"
#include "core/cost/cost_model.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/multicore/schedule/capacity_check.hpp"

namespace zz::core {
namespace {

bool reads(const Port& port) { return port.type != PortType::write; }
bool writes(const Port& port) { return port.type != PortType::read; }

/// The core with other memories.
template <class Change>
std::shared_ptr<const Accelerator> changed_core(const Accelerator& core, const Change& change) {
  auto changed = std::make_shared<Accelerator>(core);
  for (Memory& memory : changed->memories) change(memory);
  return changed;
}

/// The mapping of a node on a core where fewer operands stream: the loops that the off-chip memory had are
/// those of the memory below it.
void end_at(OperandTemporalMapping& mapping, std::size_t levels) {
  for (std::vector<int>* cuts : {&mapping.allocated, &mapping.stationary}) {
    if (cuts->size() <= levels || levels == 0) continue;
    const int all = cuts->back();
    cuts->resize(levels);
    cuts->back() = all;
  }
}

void end_at(OperandSpatialMapping& mapping, std::size_t levels) {
  while (mapping.levels.size() > levels + 1) {
    const std::vector<UnrolledLoop> top = std::move(mapping.levels.back());
    mapping.levels.pop_back();
    mapping.levels.back().insert(mapping.levels.back().end(), top.begin(), top.end());
  }
}

/// A node costed again with its mapping.
std::shared_ptr<const Evaluation> evaluated_again(const Evaluation& before,
                                                  const CoreCostQuestion& question) {
  if (!before.layer || !before.spatial_mapping || !before.spatial_mapping_int || !before.temporal_mapping ||
      !before.cost_model)
    throw NoResult(fmt::format("what {} costs then is not known: its cost does not tell by which mapping",
                               question.where));
  SpatialMapping fractional = *before.spatial_mapping, whole = *before.spatial_mapping_int;
  auto temporal = std::make_shared<TemporalMapping>(*before.temporal_mapping);
  for (std::size_t operand = 0; operand < temporal->operands.size(); ++operand) {
    const std::string& name = before.layer->memory_operand(static_cast<int>(operand));
    const auto levels = static_cast<std::size_t>(
        std::count_if(question.accelerator->memories.begin(), question.accelerator->memories.end(),
                      [&](const Memory& memory) { return memory.holds(name); }));
    end_at(temporal->operands[operand], levels);
    end_at(fractional.operands[operand], levels);
    end_at(whole.operands[operand], levels);
  }
  const CostModel model(question.accelerator, before.layer,
                        std::make_shared<const SpatialMapping>(std::move(fractional)),
                        std::make_shared<const SpatialMapping>(std::move(whole)), *before.cost_model);
  return std::make_shared<const Evaluation>(model.evaluate(std::move(temporal)));
}

/// The costs of the same nodes on changed cores. Only nodes that stream, or did, have others.
std::shared_ptr<const CoreCosts> costs_on(const Schedule& schedule,
                                          const std::shared_ptr<const MultiCoreAccelerator>& accelerator,
                                          bool offchip_changed) {
  auto costs = std::make_shared<CoreCosts>(*schedule.costs);
  const Rules rules = rules_of(schedule.rules);
  const std::vector<OperandBits> needs = capacity_needs(*schedule.graph, rules);
  const CoreCostPlan plan(accelerator, schedule.graph, rules);
  for (std::size_t layer = 0; layer < costs->layers.size(); ++layer) {
    const std::vector<std::shared_ptr<const Layer>> pieces = node_pieces(schedule.graph->layers[layer]);
    for (std::size_t shape = 0; shape < pieces.size(); ++shape) {
      std::vector<CoreCost>& on =
          shape == 0 ? costs->layers[layer].on : costs->layers[layer].smaller[shape - 1].on;
      for (CoreCost& cost : on) {
        if (cost.streamed.empty()) continue;
        const std::vector<int> streamed =
            too_large_operands(*pieces[shape], *accelerator->cores[cost.core], needs[layer]);
        if (streamed.size() == cost.streamed.size() && !offchip_changed) continue;
        const int question = plan.question_of(static_cast<int>(layer), static_cast<int>(shape), cost.core);
        if (question < 0 || !cost.evaluation)
          throw NoResult("costs of nodes that stream do not tell by which mapping");
        cost = plan.cost_of(static_cast<int>(layer), static_cast<int>(shape), cost.core,
                            evaluated_again(*cost.evaluation, plan.questions()[question]));
      }
    }
  }
  return costs;
}

}  // namespace

bool touches_offchip(const MultiCoreAccelerator& accelerator, int link) {
  const auto offchip = accelerator.offchip_core;
  const Link& wire = accelerator.links[link];
  if (!offchip) return false;
  if (wire.sender == *offchip || wire.receiver == *offchip) return true;
  return std::any_of(accelerator.connections.begin(), accelerator.connections.end(),
                     [&](const Connection& way) {
                       return way.link == link && (way.from == *offchip || way.to == *offchip);
                     });
}

bool is_offchip_port(const MultiCoreAccelerator& accelerator, int link) {
  const auto offchip = accelerator.offchip_core;
  const Link& wire = accelerator.links[link];
  if (!offchip || (wire.sender != *offchip && wire.receiver != *offchip)) return false;
  const auto& memories = accelerator.cores[*offchip]->memories;
  return std::any_of(memories.begin(), memories.end(), [&](const Memory& memory) {
    return std::any_of(memory.ports.begin(), memory.ports.end(),
                       [&](const Port& port) { return port.bandwidth() == wire.bandwidth; });
  });
}

ChangedMachine with_wider_links(const Schedule& schedule, const std::vector<int>& links,
                                std::int64_t factor) {
  auto accelerator = std::make_shared<MultiCoreAccelerator>(*schedule.accelerator);
  bool read = false, written = false;
  for (const int link : links) {
    Link& wire = accelerator->links[link];
    wire.bandwidth *= static_cast<double>(factor);
    wire.unit_energy *= static_cast<double>(factor);
    if (!is_offchip_port(*schedule.accelerator, link)) continue;
    read = read || wire.bidirectional || wire.sender == *accelerator->offchip_core;
    written = written || wire.bidirectional || wire.receiver == *accelerator->offchip_core;
  }
  if (read || written) {
    auto& core = accelerator->cores[*accelerator->offchip_core];
    core = changed_core(*core, [&](Memory& memory) {
      for (Port& port : memory.ports)
        if ((read && reads(port)) || (written && writes(port))) port.bandwidth_max *= factor;
    });
  }
  accelerator->derive();
  auto costs = read || written ? costs_on(schedule, accelerator, true) : schedule.costs;
  return {std::move(accelerator), schedule.graph, std::move(costs)};
}

ChangedMachine with_larger_memory(const Schedule& schedule, const std::string& core,
                                  const std::string& memory, std::int64_t factor) {
  auto accelerator = std::make_shared<MultiCoreAccelerator>(*schedule.accelerator);
  std::vector<bool> changes(accelerator->cores.size(), false);
  for (std::size_t i = 0; i < changes.size(); ++i) changes[i] = accelerator->cores[i]->name == core;
  for (const TopMemory& top : accelerator->top_memories) {
    if (top.name != memory) continue;
    const bool shared = std::any_of(top.cores.begin(), top.cores.end(), [&](int i) { return changes[i]; });
    if (shared)
      for (const int i : top.cores) changes[i] = true;
  }
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!changes[i]) continue;
    accelerator->cores[i] = changed_core(*accelerator->cores[i], [&](Memory& one) {
      if (one.name == memory) one.size *= factor;
    });
  }
  accelerator->derive();
  auto costs = costs_on(schedule, accelerator, false);
  return {std::move(accelerator), schedule.graph, std::move(costs)};
}

namespace {

bool has(const std::vector<std::int64_t>& cores, int core) {
  return std::find(cores.begin(), cores.end(), core) != cores.end();
}

std::shared_ptr<const Layer> with_candidates(const Layer& layer, int like, const std::vector<int>& others) {
  auto changed = std::make_shared<Layer>(layer);
  std::vector<std::int64_t>& cores = changed->mapping.core_allocation;
  for (const int core : others)
    if (has(cores, like) && !has(cores, core)) cores.push_back(core);
  return changed;
}

/// One link more for a connection of the copy: a shared one is the same.
int link_of_copy(MultiCoreAccelerator& accelerator, int link, int core, int copy) {
  Link wire = accelerator.links[link];
  if (wire.sender != core && wire.receiver != core) return link;
  if (wire.sender < 0 || wire.receiver < 0) {
    // A port of the core itself: the copy has one of its own.
    for (std::size_t i = 0; i < accelerator.links.size(); ++i) {
      Link own = wire;
      if (own.sender == core) own.sender = copy;
      if (own.receiver == core) own.receiver = copy;
      if (accelerator.links[i] == own) return static_cast<int>(i);
    }
  }
  if (wire.sender == core) wire.sender = copy;
  if (wire.receiver == core) wire.receiver = copy;
  accelerator.links.push_back(wire);
  return static_cast<int>(accelerator.links.size()) - 1;
}

/// To the core itself, by a link like that to another core.
void join_to_core(MultiCoreAccelerator& accelerator, int core, int copy) {
  const std::vector<Connection> connections = accelerator.connections;
  const auto way = std::find_if(connections.begin(), connections.end(), [&](const Connection& one) {
    return one.from == core && one.to != copy && one.to != accelerator.offchip_core;
  });
  if (way == connections.end()) return;
  const Link wire = accelerator.links[way->link];
  const bool own = wire.sender >= 0 && wire.receiver >= 0;
  for (const auto& [from, to] : {std::pair(core, copy), std::pair(copy, core)}) {
    int link = way->link;
    if (own && (from == core || !wire.bidirectional)) {
      Link between = wire;
      between.sender = from;
      between.receiver = to;
      accelerator.links.push_back(between);
      link = static_cast<int>(accelerator.links.size()) - 1;
    } else if (own) {
      link = static_cast<int>(accelerator.links.size()) - 1;
    }
    accelerator.connections.push_back({from, to, link});
  }
}

void add_core(MultiCoreAccelerator& accelerator, int core) {
  const int copy = accelerator.core_count();
  accelerator.cores.push_back(accelerator.cores[core]);
  std::vector<std::pair<int, int>> copied;  // of links that join both ways
  const std::vector<Connection> before = accelerator.connections;
  for (const Connection& way : before) {
    if (way.from != core && way.to != core) continue;
    const auto known =
        std::find_if(copied.begin(), copied.end(), [&](const auto& one) { return one.first == way.link; });
    const int link =
        known != copied.end() ? known->second : link_of_copy(accelerator, way.link, core, copy);
    if (known == copied.end()) copied.emplace_back(way.link, link);
    accelerator.connections.push_back(
        {way.from == core ? copy : way.from, way.to == core ? copy : way.to, link});
  }
  join_to_core(accelerator, core, copy);
  for (std::vector<int>& sharing : accelerator.shared_memories)
    if (std::find(sharing.begin(), sharing.end(), core) != sharing.end()) sharing.push_back(copy);
  accelerator.derive();
}

void add_costs(std::vector<CoreCost>& on, int like, const std::vector<int>& others) {
  const auto of = [&](int core) {
    return std::find_if(on.begin(), on.end(), [&](const CoreCost& cost) { return cost.core == core; });
  };
  for (const int core : others) {
    if (of(like) == on.end() || of(core) != on.end()) continue;
    CoreCost same = *of(like);
    same.core = core;
    on.push_back(std::move(same));
  }
}

}  // namespace

ChangedMachine with_candidates(const Schedule& schedule, int like, const std::vector<int>& others) {
  auto graph = std::make_shared<ComputationNodeGraph>(*schedule.graph);
  for (CutLayer& layer : graph->layers) {
    layer.layer = with_candidates(*layer.layer, like, others);
    layer.piece = with_candidates(*layer.piece, like, others);
    for (SmallerPiece& piece : layer.smaller_pieces)
      piece.piece = with_candidates(*piece.piece, like, others);
  }
  auto costs = std::make_shared<CoreCosts>(*schedule.costs);
  for (CoreCosts::OfLayer& layer : costs->layers) {
    add_costs(layer.on, like, others);
    for (CoreCosts::OfShape& shape : layer.smaller) add_costs(shape.on, like, others);
  }
  return {schedule.accelerator, std::move(graph), std::move(costs)};
}

ChangedMachine with_one_core_more(const Schedule& schedule, int core) {
  auto accelerator = std::make_shared<MultiCoreAccelerator>(*schedule.accelerator);
  ChangedMachine machine = with_candidates(schedule, core, {accelerator->core_count()});
  add_core(*accelerator, core);
  machine.accelerator = std::move(accelerator);
  return machine;
}

}  // namespace zz::core
