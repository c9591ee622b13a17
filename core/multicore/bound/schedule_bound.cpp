#include "core/multicore/bound/schedule_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/multicore/bound/detail/waiting_bound.hpp"
#include "core/multicore/schedule/schedule_problem.hpp"

namespace zz::core {
namespace {

using Tables = ScheduleProblem::Tables;
using Links = std::vector<int>;

/// Bits that the nodes of a group read and write. Those that several groups share are divided among them.
struct GroupTraffic {
  struct Written {
    int producer = 0;       ///< layer
    unsigned operands = 0;  ///< bit mask: when all of these are streamed, the producer has to write it
    double bits = 0;
  };
  int layer = 0;
  std::vector<double> nodes;                      ///< by shape
  std::array<double, most_operands> constants{};  ///< by operand
  double results = 0;
  std::vector<Written> written;
};

/// Cycles that the busiest link of any schedule needs for what no allocation can avoid. Each group of nodes
/// brings its constants from the off-chip memory and writes its results there once, or streams them for
/// every node, whichever of its candidate cores moves fewer bits; streamed inputs have been written before.
///
/// By Stream's rules streams overlap at no cost, and count nothing.
class LinkBound {
 public:
  /// Constants of `resident` layers count nothing.
  explicit LinkBound(const Tables& tables, const std::vector<int>& resident = {})
      : tables_(tables),
        resident_(resident),
        streams_count_(!tables.options.rules.whole_elements_streamed) {
    for (std::size_t layer = 0; layer < tables.graph->layers.size(); ++layer) {
      inward_.push_back(unavoidable(static_cast<int>(layer), true));
      outward_.push_back(unavoidable(static_cast<int>(layer), false));
    }
    list_groups();
  }

  double cycles() const {
    std::vector<double> bits(tables_.accelerator->links.size(), 0);
    std::vector<double> least, of_core;
    for (const GroupTraffic& group : groups_) {
      least.assign(bits.size(), std::numeric_limits<double>::infinity());
      for (const CoreCost& cost : candidates(group.layer)) {
        of_core.assign(bits.size(), 0);
        add_traffic(group, cost.core, of_core);
        for (std::size_t link = 0; link < bits.size(); ++link)
          least[link] = std::min(least[link], of_core[link]);
      }
      for (std::size_t link = 0; link < bits.size(); ++link) bits[link] += least[link];
    }
    double most = 0;
    for (std::size_t link = 0; link < bits.size(); ++link) {
      const double bandwidth = tables_.accelerator->links[link].bandwidth;
      if (!std::isinf(bandwidth)) most = std::max(most, bits[link] / bandwidth);
    }
    return most;
  }

 private:
  const std::vector<CoreCost>& candidates(int layer) const { return tables_.costs->layers[layer].on; }
  /// The cost of any node: what streams is the same for all shapes.
  const NodeCost& cost(int layer, int core) const { return tables_.node_cost(layer, 0, core); }

  /// Links on the way from (or to) the off-chip memory for every candidate core of a layer.
  Links unavoidable(int layer, bool inward) const {
    std::vector<int> cores;
    for (const CoreCost& candidate : candidates(layer)) {
      cores.push_back(candidate.core);
      if (!inward) cores.push_back(tables_.sender_of_output(layer, candidate.core));
    }
    Links common, both;
    bool first = true;
    for (const int core : cores) {
      Links route = inward ? tables_.route(tables_.offchip_core, core).distinct
                           : tables_.route(core, tables_.offchip_core).distinct;
      std::sort(route.begin(), route.end());
      if (first) {
        common = route;
      } else {
        both.clear();
        std::set_intersection(common.begin(), common.end(), route.begin(), route.end(),
                              std::back_inserter(both));
        common = both;
      }
      first = false;
    }
    return common;
  }

  void list_groups() {
    groups_.resize(tables_.groups.size());
    for (int node = 0; node < tables_.node_count; ++node) {
      GroupTraffic& group = groups_[tables_.group_of[node]];
      group.layer = tables_.layer_of[node];
      group.nodes.resize(1 + tables_.graph->layers[group.layer].smaller_pieces.size());
      ++group.nodes[tables_.graph->nodes[node].shape];
      if (tables_.writes_result[node] && tables_.output_of[node] >= 0)
        group.results += tables_.tensor_bits[tables_.output_of[node]];
    }
    for (int tensor = 0; tensor < tables_.tensor_count; ++tensor) {
      const double bits = tables_.tensor_bits[tensor];
      const auto readers = tables_.readers[tensor];
      if (tables_.is_output[tensor]) {
        if (streams_count_ && !tables_.is_result[tensor]) charge_first_reader(tensor);
        continue;
      }
      const int operand = tables_.graph->tensors[tensor].operand,
                layer = tables_.graph->tensors[tensor].layer;
      if (tables_.is_shared[tensor] &&
          std::find(resident_.begin(), resident_.end(), layer) != resident_.end())
        continue;
      for (const TensorReader& reader : readers)
        groups_[reader.group].constants[operand] += bits / static_cast<double>(readers.size());
    }
  }

  /// An output that a reader streams has to be off-chip. The first layer that may do so pays for all.
  void charge_first_reader(int tensor) {
    const int producer = tables_.graph->tensors[tensor].layer;
    for (const CoreCost& candidate : candidates(producer))
      if (cost(producer, candidate.core).streams(0)) return;  // its own streams count
    int layer = -1;
    double groups = 0;
    const auto pays = [&](const TensorReader& reader) { return groups_[reader.group].layer == layer; };
    for (const TensorReader& reader : tables_.readers[tensor]) {
      if (layer < 0 && may_stream(reader)) layer = groups_[reader.group].layer;
      if (layer >= 0 && pays(reader)) ++groups;
    }
    if (layer < 0) return;
    for (const TensorReader& reader : tables_.readers[tensor]) {
      if (!pays(reader)) continue;
      groups_[reader.group].written.push_back(
          {producer, operands_under(reader), tables_.tensor_bits[tensor] / groups});
    }
  }

  unsigned operands_under(const TensorReader& reader) const {
    const std::vector<int>& of_layer = tables_.layer_operands[groups_[reader.group].layer];
    unsigned mask = 0;
    for (std::size_t operand = 1; operand < of_layer.size(); ++operand)
      if (of_layer[operand] == reader.memory_operand) mask |= 1u << operand;
    return mask;
  }

  bool may_stream(const TensorReader& reader) const {
    const int layer = groups_[reader.group].layer;
    const unsigned mask = operands_under(reader);
    return std::any_of(candidates(layer).begin(), candidates(layer).end(), [&](const CoreCost& candidate) {
      return (cost(layer, candidate.core).streamed & mask) == mask;
    });
  }

  /// Adds the bits of a group on a core to each link.
  void add_traffic(const GroupTraffic& group, int core, std::vector<double>& bits) const {
    const auto add = [&](const Links& links, double amount) {
      for (const int link : links) bits[link] += amount;
    };
    const NodeCost& on_core = cost(group.layer, core);
    for (int operand = 1; operand < most_operands; ++operand)
      if (!on_core.streams(operand)) add(inward_[group.layer], group.constants[operand]);
    if (!on_core.streams(0)) add(outward_[group.layer], group.results);
    if (!streams_count_ || !on_core.streamed) return;
    for (std::size_t shape = 0; shape < group.nodes.size(); ++shape) {
      const CoreCost& node = *tables_.node_cost(group.layer, static_cast<int>(shape), core).cost;
      if (on_core.streamed & ~1u)
        add(tables_.route(tables_.offchip_core, core).distinct, group.nodes[shape] * node.stream_read_bits);
      if (on_core.streams(0))
        add(tables_.route(core, tables_.offchip_core).distinct,
            group.nodes[shape] * node.stream_write_bits);
    }
    for (const GroupTraffic::Written& written : group.written) {
      if ((on_core.streamed & written.operands) == written.operands)
        add(outward_[written.producer], written.bits);
    }
  }

  const Tables& tables_;
  const std::vector<int> resident_;  ///< layers
  const bool streams_count_;
  std::vector<Links> inward_, outward_;  ///< by layer
  std::vector<GroupTraffic> groups_;
};

}  // namespace

double schedule_bound(const ScheduleProblem& problem, std::int64_t allocations, double enough) {
  const Tables& tables = problem.tables();
  const double links = without_rounding(LinkBound(tables).cycles());
  if (links >= enough) return links;
  WaitingBound waits(tables);
  return std::max(
      links, waits.least(waits.is_small() ? std::min(allocations, most_steps_of_bound / waits.steps()) : 0,
                         enough));
}

double period_bound(const ScheduleProblem& problem, const std::vector<int>& resident) {
  const Tables& tables = problem.tables();
  std::map<std::vector<int>, double> work;  // by the cores that nodes are confined to
  for (int node = 0; node < tables.node_count; ++node) {
    const NodeGroup& group = tables.groups[tables.group_of[node]];
    std::vector<int> cores{group.core};
    if (group.gene >= 0) cores = tables.genes[group.gene].cores;
    double least = std::numeric_limits<double>::infinity();
    for (const int core : cores) least = std::min(least, tables.node_cost(node, core).runtime);
    std::sort(cores.begin(), cores.end());
    work[cores] += least;
  }
  std::set<int> all;
  for (const auto& [cores, cycles] : work) all.insert(cores.begin(), cores.end());
  work.try_emplace({all.begin(), all.end()}, 0);
  double bound = LinkBound(tables, resident).cycles();
  for (const auto& [set, unused] : work) {
    double sum = 0;
    for (const auto& [cores, cycles] : work)
      if (std::includes(set.begin(), set.end(), cores.begin(), cores.end())) sum += cycles;
    bound = std::max(bound, sum / static_cast<double>(set.size()));
  }
  return without_rounding(bound);
}

AllocationBound allocation_bound(const ScheduleProblem& problem, const std::vector<int>& cores) {
  const Tables& tables = problem.tables();
  std::vector<double> load(tables.core_count, 0), streamed(tables.accelerator->links.size(), 0);
  AllocationBound bound;
  for (int node = 0; node < tables.node_count; ++node) {
    const NodeGroup& group = tables.groups[tables.group_of[node]];
    const int core = group.gene < 0 ? group.core : cores[group.gene];
    const NodeCost& cost = tables.node_cost(node, core);
    load[core] += cost.runtime;
    bound.energy += cost.onchip_energy + cost.offchip_energy;
    if (cost.read_demand > 0)
      for (const int link : tables.route(tables.offchip_core, core).distinct)
        streamed[link] += cost.cost->stream_read_bits;
    if (cost.write_demand > 0)
      for (const int link : tables.route(core, tables.offchip_core).distinct)
        streamed[link] += cost.cost->stream_write_bits;
  }
  bound.latency = *std::max_element(load.begin(), load.end());
  for (std::size_t link = 0; link < streamed.size(); ++link)
    bound.latency = std::max(bound.latency, streamed[link] / tables.accelerator->links[link].bandwidth);
  return bound;
}

}  // namespace zz::core
