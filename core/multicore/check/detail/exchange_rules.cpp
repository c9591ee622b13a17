#include "core/multicore/check/detail/exchange_rules.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace zz::core::check {
namespace {

class ExchangeCheck {
 public:
  ExchangeCheck(const Facts& facts, Findings& findings)
      : facts_(facts),
        findings_(findings),
        writers_(facts.graph.tensors.size(), 0),
        reads_(facts.graph.tensors.size(), 0) {
    for (const ComputationNode& node : facts.graph.nodes)
      if (node.tensors[0] >= 0) ++writers_[node.tensors[0]];
    for (const Dependency& dependency : facts.graph.dependencies)
      if (const int tensor = facts.graph.nodes[dependency.from].tensors[0];
          dependency.operand >= 0 && tensor >= 0)
        ++reads_[tensor];
  }

  void check_all() {
    for (const Exchange& exchange : facts_.schedule.exchanges) {
      ++exchanged_reads_[exchange.tensor];
      tensors_of_[{exchange.to, exchange.operand}].insert(exchange.tensor);
    }
    for (const Exchange& exchange : facts_.schedule.exchanges) {
      check_nodes(exchange);
      check_data(exchange);
      check_memory(exchange);
      for (const int node : {exchange.from, exchange.to}) check_cost(exchange, node);
    }
    if (findings_.empty()) check_rooms();
  }

 private:
  template <class... Values>
  void wrong(const Exchange& exchange, fmt::format_string<Values...> why, Values&&... values) {
    findings_.add("exchange",
                  fmt::format("{} stays inside of {} between {} and {}, but ",
                              facts_.tensor_name(exchange.tensor), facts_.core_name(exchange.core),
                              facts_.node_name(exchange.from), facts_.node_name(exchange.to)) +
                      fmt::format(why, std::forward<Values>(values)...));
  }

  /// Both run on the core, one after the other.
  void check_nodes(const Exchange& exchange) {
    const ScheduledNode &from = facts_.placement(exchange.from), &to = facts_.placement(exchange.to);
    if (from.core != exchange.core || to.core != exchange.core)
      wrong(exchange, "these run on core {} and core {}", from.core, to.core);
    else if (above(from.end, to.start))
      wrong(exchange, "the first one ends at {}, the other starts at {}", from.end, to.start);
  }

  /// One node writes the tensor and finishes it; all that is read of it, and as this operand, is exchanged.
  void check_data(const Exchange& exchange) {
    const ComputationNodeGraph& graph = facts_.graph;
    const ComputationNode& from = graph.nodes[exchange.from];
    const CutLayer& to = graph.layers[graph.nodes[exchange.to].layer];
    if (from.tensors[0] != exchange.tensor || !from.final_output)
      wrong(exchange, "the first one does not finish it");
    if (writers_[exchange.tensor] != 1) wrong(exchange, "{} nodes write it", writers_[exchange.tensor]);
    if (const int exchanged = exchanged_reads_[exchange.tensor]; reads_[exchange.tensor] != exchanged)
      wrong(exchange, "{} of its {} reads are inside of the core", exchanged, reads_[exchange.tensor]);
    bool reads = false;
    for (const Need& need : facts_.needs(exchange.to)) {
      if (need.operand != exchange.operand) continue;
      reads = reads || need.tensor == exchange.tensor;
      if (!tensors_of_[{exchange.to, exchange.operand}].contains(need.tensor))
        wrong(exchange, "the other reads {} as the same operand", facts_.tensor_name(need.tensor));
    }
    if (!reads) wrong(exchange, "the other does not read it as this operand");
    const Layer& writer = *graph.layers[from.layer].layer;
    const LayerOperand& read = to.layer->operands[exchange.operand];
    if (writer.final_output_precision != read.precision)
      wrong(exchange, "they have other bits for an element");
    if (writer.final_output_scale.any() || read.scale.any()) wrong(exchange, "its numbers are in blocks");
    if (facts_.streams(exchange.from, 0) || facts_.streams(exchange.to, exchange.operand))
      wrong(exchange, "it streams");
    for (const Transfer& transfer : facts_.schedule.transfers) {
      if (transfer.tensor != exchange.tensor) continue;
      wrong(exchange, "it is sent to {} at {}", facts_.core_name(transfer.receiver), transfer.start);
      return;
    }
  }

  /// The memory is below the topmost one of either operand, and has room.
  void check_memory(const Exchange& exchange) {
    const Accelerator& core = *facts_.accelerator.cores[exchange.core];
    const Memory& exchange_memory = core.memories[exchange.memory];
    const ComputationNodeGraph& graph = facts_.graph;
    if (graph.tensors[exchange.tensor].bits > exchange_memory.size)
      wrong(exchange, "'{}' has room for {} of its {} bits", exchange_memory.name, exchange_memory.size,
            graph.tensors[exchange.tensor].bits);
    if (core.instances(exchange_memory) != 1)
      wrong(exchange, "'{}' is there several times", exchange_memory.name);
    const auto check_operand = [&](int node, int operand) {
      const Layer& layer = *graph.layers[graph.nodes[node].layer].layer;
      const std::string& name = layer.memory_operand(operand);
      const auto holds = [&](const Memory& memory) { return memory.holds(name); };
      if (!holds(exchange_memory) ||
          std::none_of(core.memories.begin() + exchange.memory + 1, core.memories.end(), holds))
        wrong(exchange, "'{}' is not below the topmost memory of {}", exchange_memory.name, name);
    };
    check_operand(exchange.from, 0);
    check_operand(exchange.to, exchange.operand);
  }

  void check_cost(const Exchange& exchange, int node) {
    const CoreCost* with = facts_.spent_by[node];
    const CoreCost& without = *facts_.cost_of[node];
    if (with == nullptr)
      wrong(exchange, "{} has no cost for what it exchanges", facts_.node_name(node));
    else if (above(with->runtime, without.runtime) ||
             above(with->stream_read_bits, without.stream_read_bits) ||
             above(with->stream_write_bits, without.stream_write_bits))
      wrong(exchange, "{} then takes longer or streams more", facts_.node_name(node));
  }

  /// In each exchange memory and while each node runs, there is room for what the node needs and for what
  /// waits: tensors that later nodes read, and of those that it reads what is more than it needs.
  void check_rooms() {
    struct Life {
      Exchange last;
      std::set<int> readers;
    };
    std::map<int, Life> lives;  // by tensor
    for (const Exchange& exchange : facts_.schedule.exchanges) {
      Life& life = lives.try_emplace(exchange.tensor, Life{exchange, {}}).first->second;
      life.readers.insert(exchange.to);
      if (facts_.placement(exchange.to).start > facts_.placement(life.last.to).start) life.last = exchange;
    }
    std::map<std::pair<int, int>, double> waiting;  // bits, by node and exchange memory
    for (const auto& [tensor, life] : lives) {
      const double begin = facts_.placement(life.last.from).end;
      const double end = facts_.placement(life.last.to).start;
      for (const ScheduledNode& entry : facts_.schedule.nodes) {
        const bool between = entry.core == life.last.core && entry.start >= begin && entry.end <= end &&
                             entry.node != life.last.from && entry.node != life.last.to;
        if (between && !life.readers.contains(entry.node))
          waiting[{entry.node, life.last.memory}] += static_cast<double>(facts_.graph.tensors[tensor].bits);
      }
    }
    for (const auto& [reader, tensors] : tensors_of_) {
      const auto& [node, operand] = reader;
      double bits = 0;
      for (const int tensor : tensors) bits += static_cast<double>(facts_.graph.tensors[tensor].bits);
      const Evaluation* evaluation = facts_.spent_by[node]->evaluation.get();
      const double own = evaluation == nullptr || evaluation->layer == nullptr
                             ? 0
                             : static_cast<double>(evaluation->layer->operand_bits(operand, {}));
      if (bits > own) waiting[{node, facts_.exchanges_of[node].memory}] += bits - own;
    }
    for (const auto& [where, bits] : waiting) check_room(where.first, where.second, bits);
  }

  void check_room(int node, int exchange_memory, double waiting) {
    const int core = facts_.placement(node).core;
    const Memory& memory = facts_.accelerator.cores[core]->memories[exchange_memory];
    double share = facts_.spent_by[node]->evaluation == nullptr ? 1 : 0;
    if (share == 0)
      for (const OperandCost& operand : facts_.spent_by[node]->evaluation->operands)
        for (const LevelCost& level : operand.levels)
          if (level.memory == memory.name) share = std::max(share, level.utilization);
    // As much again for second buffers, on which its runtime may rely.
    const double own = std::min(1.0, 2 * share) * static_cast<double>(memory.size);
    if (!above(own + waiting, static_cast<double>(memory.size))) return;
    findings_.add(
        "exchange",
        fmt::format("'{}' of {} has {} bits; {} needs {} of them while {} wait to be read", memory.name,
                    facts_.core_name(core), memory.size, facts_.node_name(node), own, waiting));
  }

  const Facts& facts_;
  Findings& findings_;
  std::vector<int> writers_, reads_;                         // by tensor
  std::map<int, int> exchanged_reads_;                       // by tensor
  std::map<std::pair<int, int>, std::set<int>> tensors_of_;  // by reading node and operand
};

}  // namespace

void check_exchanges(const Facts& facts, Findings& findings) {
  if (facts.schedule.exchanges.empty()) return;
  ExchangeCheck(facts, findings).check_all();
}

}  // namespace zz::core::check
