#include "core/multicore/schedule/exchanges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/interruption.hpp"

namespace zz::core {
namespace {

bool streams(const CoreCost& cost, int operand) {
  return std::find(cost.streamed.begin(), cost.streamed.end(), operand) != cost.streamed.end();
}

/// Tensors that are exchanged together or not at all.
class TensorSets {
 public:
  explicit TensorSets(const ComputationNodeGraph& graph)
      : graph_(graph), leader_(graph.tensors.size()), impossible_(graph.tensors.size(), false) {
    std::iota(leader_.begin(), leader_.end(), 0);
    std::vector<int> writers(graph.tensors.size(), 0);
    for (const ComputationNode& node : graph.nodes) {
      const int tensor = node.tensors[0];
      if (tensor < 0) continue;
      if (++writers[tensor] > 1 || !node.final_output || graph.tensors[tensor].bits <= 0)
        impossible_[tensor] = true;
    }
    std::map<std::pair<int, int>, int> first_of;  // by node and operand
    for (const Dependency& use : graph.dependencies) {
      const int tensor = graph.nodes[use.from].tensors[0];
      if (use.operand < 0 || tensor < 0) continue;
      const auto [first, is_new] = first_of.try_emplace({use.to, use.operand}, tensor);
      if (!is_new) leader_[leader(tensor)] = leader(first->second);
      if (!fits(use)) impossible_[tensor] = true;
    }
    for (std::size_t tensor = 0; tensor < impossible_.size(); ++tensor)
      if (impossible_[tensor]) impossible_[leader(static_cast<int>(tensor))] = true;
  }

  int leader(int tensor) {
    while (leader_[tensor] != tensor) tensor = leader_[tensor] = leader_[leader_[tensor]];
    return tensor;
  }
  bool possible(int tensor) { return !impossible_[leader(tensor)]; }

 private:
  bool fits(const Dependency& use) const {
    const ComputationNode &from = graph_.nodes[use.from], &to = graph_.nodes[use.to];
    const CutLayer& reader = graph_.layers[to.layer];
    const LayerOperand& operand = reader.layer->operands[use.operand];
    const bool also_constant =
        operand.offchip_elements > 0 ||
        std::find(reader.constants.begin(), reader.constants.end(), use.operand) != reader.constants.end();
    return from.layer != to.layer && !also_constant &&
           graph_.layers[from.layer].layer->final_output_precision == operand.precision;
  }

  const ComputationNodeGraph& graph_;
  std::vector<int> leader_;
  std::vector<bool> impossible_;
};

}  // namespace

std::vector<ExchangeBundle> possible_exchanges(const ComputationNodeGraph& graph) {
  TensorSets sets(graph);
  std::map<int, ExchangeBundle> bundles;  // by the leader of their tensors
  for (const Dependency& use : graph.dependencies) {
    const int tensor = graph.nodes[use.from].tensors[0];
    if (use.operand < 0 || tensor < 0 || !sets.possible(tensor)) continue;
    bundles[sets.leader(tensor)].push_back(
        {.tensor = tensor, .from = use.from, .to = use.to, .operand = use.operand});
  }
  std::vector<ExchangeBundle> possible;
  for (auto& [leader, bundle] : bundles) {
    std::sort(bundle.begin(), bundle.end(), [](const Exchange& a, const Exchange& b) {
      return std::tie(a.from, a.to, a.operand) < std::tie(b.from, b.to, b.operand);
    });
    possible.push_back(std::move(bundle));
  }
  std::sort(possible.begin(), possible.end(), [](const ExchangeBundle& a, const ExchangeBundle& b) {
    return a.front().from < b.front().from;
  });
  return possible;
}

std::vector<int> inner_homes(const Accelerator& core, const std::string& output, const std::string& input) {
  std::vector<int> homes;
  const auto is_above = [&](std::size_t home, const std::string& operand) {
    return std::any_of(core.memories.begin() + static_cast<std::ptrdiff_t>(home) + 1, core.memories.end(),
                       [&](const Memory& memory) { return memory.holds(operand); });
  };
  for (std::size_t home = 0; home < core.memories.size(); ++home) {
    const Memory& memory = core.memories[home];
    if (memory.holds(output) && memory.holds(input) && core.instances(memory) == 1 &&
        is_above(home, output) && is_above(home, input))
      homes.push_back(static_cast<int>(home));
  }
  return homes;
}

std::string obstacle_to_exchanges(const MultiCoreAccelerator& accelerator,
                                  const ComputationNodeGraph& graph) {
  const bool some_home =
      std::any_of(accelerator.cores.begin(), accelerator.cores.end(), [](const auto& core) {
        return !inner_homes(*core, "O", "I1").empty() || !inner_homes(*core, "O", "I2").empty();
      });
  if (!some_home)
    return "no core has a memory for outputs and inputs, once for the whole array, below its topmost ones";
  if (possible_exchanges(graph).empty())
    return "no tensor is written whole by one node and is all that others read as their operands";
  return "no tensor that nodes could exchange fits into a memory below the topmost ones of a core that may "
         "run all of them";
}

Accelerator with_home(const Accelerator& accelerator, int home, const std::vector<std::string>& operands) {
  Accelerator seen = accelerator;
  const auto ends_there = [&](const std::string& operand) {
    return std::find(operands.begin(), operands.end(), operand) != operands.end();
  };
  for (std::size_t index = static_cast<std::size_t>(home) + 1; index < seen.memories.size(); ++index) {
    Memory& memory = seen.memories[index];
    std::erase_if(memory.operands, ends_there);
    for (Port& port : memory.ports)
      std::erase_if(port.allocation,
                    [&](const PortAllocation& served) { return ends_there(served.operand); });
    std::erase_if(memory.ports, [](const Port& port) { return port.allocation.empty(); });
  }
  std::erase_if(seen.memories, [](const Memory& memory) { return memory.operands.empty(); });
  return seen;
}

ExchangePlan::ExchangePlan(const MultiCoreAccelerator& accelerator, const ComputationNodeGraph& graph,
                           const CoreCostPlan& plan, const CoreCosts& costs)
    : accelerator_(accelerator), plan_(plan), costs_(costs) {
  // What a node can exchange, by node, core and home.
  std::map<std::tuple<int, int, int>, std::set<int>> operands_of;
  for (const ExchangeBundle& bundle : possible_exchanges(graph))
    for (const Exchange& exchange : bundle) {
      const ComputationNode &from = graph.nodes[exchange.from], &to = graph.nodes[exchange.to];
      for (const CoreCost& cost : costs.layers[from.layer].of(from.shape)) {
        const CoreCost* next = costs.find(to, cost.core);
        if (next == nullptr || streams(cost, 0) || streams(*next, exchange.operand)) continue;
        const Accelerator& core = *accelerator.cores[cost.core];
        for (const int home : inner_homes(core, graph.layers[from.layer].layer->memory_operand(0),
                                          graph.layers[to.layer].layer->memory_operand(exchange.operand))) {
          if (graph.tensors[exchange.tensor].bits > core.memories[home].size) continue;
          operands_of[{exchange.from, cost.core, home}].insert(0);
          operands_of[{exchange.to, cost.core, home}].insert(exchange.operand);
        }
      }
    }
  std::set<std::tuple<int, int, int, int, std::vector<int>>> wanted;
  for (const auto& [where, operands] : operands_of) {
    const auto& [number, core, home] = where;
    const ComputationNode& node = graph.nodes[number];
    const std::vector<int> all(operands.begin(), operands.end());
    for (unsigned chosen = 1; chosen < 1U << all.size(); ++chosen) {
      std::vector<int> exchanged;
      for (std::size_t i = 0; i < all.size(); ++i)
        if ((chosen >> i & 1U) != 0) exchanged.push_back(all[i]);
      wanted.insert({node.layer, node.shape, core, home, exchanged});
    }
  }
  std::map<std::tuple<int, int, std::vector<int>>, int> numbers;
  for (const auto& [layer, shape, core, home, exchanged] : wanted) {
    const int base = plan.question_of(layer, shape, core);
    const auto [known, is_new] =
        numbers.try_emplace({base, home, exchanged}, static_cast<int>(questions_.size()));
    if (is_new) {
      CoreCostQuestion question = plan.questions()[base];
      std::vector<std::string> names;
      for (const int operand : exchanged) names.push_back(question.layer->memory_operand(operand));
      question.accelerator =
          std::make_shared<const Accelerator>(with_home(*question.accelerator, home, names));
      questions_.push_back(std::move(question));
    }
    entries_.push_back({layer, shape, core, home, exchanged, known->second});
  }
}

std::vector<ExchangingCost> ExchangePlan::costs(
    const std::vector<std::shared_ptr<const Evaluation>>& answers) const {
  std::vector<ExchangingCost> exchanging;
  for (const Entry& entry : entries_) {
    if (answers[entry.question] == nullptr) continue;
    const ComputationNode node{.layer = entry.layer, .shape = entry.shape};
    const CoreCost& alone = *costs_.find(node, entry.core);
    CoreCost cost = plan_.cost_of(entry.layer, entry.shape, entry.core, answers[entry.question]);
    // The schedule has the time and the links of a node that exchanges nothing.
    if (cost.runtime > alone.runtime || cost.stream_read_bits > alone.stream_read_bits ||
        cost.stream_write_bits > alone.stream_write_bits)
      continue;
    exchanging.push_back({entry.layer, entry.shape, entry.home, entry.exchanged, std::move(cost)});
  }
  return exchanging;
}

std::vector<const CoreCost*> costs_of_nodes(const Schedule& schedule) {
  if (schedule.costs == nullptr) return std::vector<const CoreCost*>(schedule.nodes.size(), nullptr);
  std::map<int, std::pair<int, std::set<int>>> exchanging;  // by node: home and operands
  for (const Exchange& exchange : schedule.exchanges) {
    exchanging[exchange.from].first = exchanging[exchange.to].first = exchange.home;
    exchanging[exchange.from].second.insert(0);
    exchanging[exchange.to].second.insert(exchange.operand);
  }
  std::vector<const CoreCost*> costs;
  costs.reserve(schedule.nodes.size());
  for (const ScheduledNode& scheduled : schedule.nodes) {
    const ComputationNode& node = schedule.graph->nodes[scheduled.node];
    const auto found = exchanging.find(scheduled.node);
    if (found == exchanging.end()) {
      costs.push_back(schedule.costs->find(node, scheduled.core));
      continue;
    }
    const auto& [home, operands] = found->second;
    costs.push_back(
        schedule.costs->find_exchanging(node, scheduled.core, home, {operands.begin(), operands.end()}));
  }
  return costs;
}

std::int64_t bits_in_memory(const CoreCost& cost, const Memory& memory) {
  if (cost.evaluation == nullptr) return memory.size;
  double share = 0;  // each operand there tells that of all
  for (const OperandCost& operand : cost.evaluation->operands)
    for (const LevelCost& level : operand.levels)
      if (level.memory == memory.name) share = std::max(share, level.utilization);
  return static_cast<std::int64_t>(std::ceil(std::min(1.0, 2 * share) * static_cast<double>(memory.size)));
}

namespace {

/// Chooses what the nodes of one core exchange.
class CoreExchanges {
 public:
  /// `nodes`: all of one core by time.
  CoreExchanges(const Schedule& schedule, std::vector<const ScheduledNode*> nodes)
      : graph_(*schedule.graph),
        costs_(*schedule.costs),
        core_(nodes.front()->core),
        accelerator_(*schedule.accelerator->cores[core_]),
        memories_(accelerator_.memories) {
    for (const ScheduledNode* node : nodes) {
      const CoreCost* alone = costs_.find(graph_.nodes[node->node], core_);
      position_of_[node->node] = nodes_.size();
      nodes_.push_back({node->node, {}, alone, alone});
    }
    waiting_.assign(memories_.size(), std::vector<std::int64_t>(nodes_.size(), 0));
  }

  /// A bundle whose tensors are never sent.
  void offer(const ExchangeBundle& bundle) {
    Candidate candidate;
    for (const Exchange& exchange : bundle) {
      const auto from = position_of_.find(exchange.from), to = position_of_.find(exchange.to);
      if (from == position_of_.end() || to == position_of_.end() || from->second >= to->second) return;
      candidate.ends.insert({from->second, 0});
      candidate.ends.insert({to->second, exchange.operand});
    }
    const auto operand_name = [&](int node, int operand) {
      return graph_.layers[graph_.nodes[node].layer].layer->memory_operand(operand);
    };
    for (const Exchange& exchange : bundle) {
      std::vector<int> homes = inner_homes(accelerator_, operand_name(exchange.from, 0),
                                           operand_name(exchange.to, exchange.operand));
      if (&exchange != &bundle.front())
        std::erase_if(homes, [&](int home) {
          return std::find(candidate.homes.begin(), candidate.homes.end(), home) == candidate.homes.end();
        });
      candidate.homes = std::move(homes);
    }
    if (candidate.homes.empty()) return;
    candidate.bundle = &bundle;
    add_waiting(candidate);
    candidates_.push_back(std::move(candidate));
  }

  void choose() {
    constexpr int most_rounds = 20;  // far more than it takes: each round must save something
    bool changed = true;
    for (int round = 0; changed && round < most_rounds; ++round) {
      changed = false;
      for (Candidate& candidate : candidates_) {
        end_if_interrupted();
        changed = improve(candidate) || changed;
      }
    }
  }

  void apply(Schedule& changed) const {
    double onchip = 0, offchip = 0;
    for (const Node& node : nodes_) {
      onchip += node.alone->onchip_energy - node.cost->onchip_energy;
      offchip += node.alone->offchip_energy - node.cost->offchip_energy;
    }
    if (onchip + offchip <= 0) return;
    for (const Candidate& candidate : candidates_) {
      if (candidate.home == none) continue;
      for (Exchange exchange : *candidate.bundle) {
        exchange.core = core_;
        exchange.home = candidate.home;
        changed.exchanges.push_back(exchange);
      }
    }
    changed.energy_terms[static_cast<std::size_t>(EnergyTerm::node_onchip)] -= onchip;
    changed.energy_terms[static_cast<std::size_t>(EnergyTerm::node_offchip_memory)] -= offchip;
  }

 private:
  static constexpr int none = -1;
  struct Node {
    int node = 0;
    std::map<int, int> exchanged;  ///< the home of each operand
    const CoreCost* alone = nullptr;
    const CoreCost* cost = nullptr;  ///< with what it exchanges; null: it cannot
  };
  struct Candidate {
    const ExchangeBundle* bundle = nullptr;
    std::set<std::pair<std::size_t, int>> ends;   ///< position and operand of each node with a part in it
    std::map<std::size_t, std::int64_t> waiting;  ///< bits beside what the node at a position needs itself
    std::vector<int> homes;
    int home = none;
  };

  /// A tensor waits from behind the node that writes it to the last one that reads it. A node counts what
  /// it reads as its own, but not what its tensors have beyond that.
  void add_waiting(Candidate& candidate) const {
    std::map<int, std::pair<std::size_t, std::set<std::size_t>>> lives;  // by tensor
    std::map<std::pair<std::size_t, int>, std::int64_t> read;            // by position and operand
    for (const Exchange& exchange : *candidate.bundle) {
      auto& [begin, readers] = lives[exchange.tensor];
      begin = position_of_.at(exchange.from);
      readers.insert(position_of_.at(exchange.to));
      read[{position_of_.at(exchange.to), exchange.operand}] += graph_.tensors[exchange.tensor].bits;
    }
    for (const auto& [tensor, life] : lives)
      for (std::size_t at = life.first + 1; at < *life.second.rbegin(); ++at)
        if (!life.second.contains(at)) candidate.waiting[at] += graph_.tensors[tensor].bits;
    for (const auto& [where, bits] : read) {
      const ComputationNode& node = graph_.nodes[nodes_[where.first].node];
      const auto piece = node_pieces(graph_.layers[node.layer])[static_cast<std::size_t>(node.shape)];
      const std::int64_t own = piece->operand_bits(where.second, {});
      if (bits > own) candidate.waiting[where.first] += bits - own;
    }
  }

  /// Brings the candidate to the home where it saves most, or to none. False when it is there already.
  bool improve(Candidate& candidate) {
    const int before = candidate.home;
    int best = before;
    double least = 0;
    std::vector<int> homes = candidate.homes;
    homes.push_back(none);
    for (const int home : homes) {
      if (home == before) continue;
      const double change = energy_of_move(candidate, home);
      move(candidate, before);
      if (change < least - 1e-9 * std::abs(least)) {
        least = change;
        best = home;
      }
    }
    if (best == before) return false;
    move(candidate, best);
    return true;
  }

  /// Moves the candidate; by how much the energy rises, infinite when it cannot be there.
  double energy_of_move(Candidate& candidate, int home) {
    const auto energy = [&] {
      double sum = 0;
      std::size_t last = nodes_.size();
      for (const auto& end : candidate.ends) {
        if (end.first == std::exchange(last, end.first)) continue;
        const CoreCost* cost = nodes_[end.first].cost;
        if (cost == nullptr) return std::numeric_limits<double>::infinity();
        sum += cost->onchip_energy + cost->offchip_energy;
      }
      return sum;
    };
    const double before = energy();
    move(candidate, home);
    const double after = energy();
    return std::isinf(after) || !has_room(candidate) ? std::numeric_limits<double>::infinity()
                                                     : after - before;
  }

  void move(Candidate& candidate, int home) {
    const auto wait = [&](int where, int sign) {
      if (where == none) return;
      for (const auto& [position, bits] : candidate.waiting) waiting_[where][position] += sign * bits;
    };
    wait(candidate.home, -1);
    wait(home, 1);
    candidate.home = home;
    for (const auto& [position, operand] : candidate.ends) {
      Node& node = nodes_[position];
      if (home == none)
        node.exchanged.erase(operand);
      else
        node.exchanged[operand] = home;
      node.cost = cost_of(node);
    }
  }

  const CoreCost* cost_of(const Node& node) const {
    if (node.exchanged.empty()) return node.alone;
    const int home = node.exchanged.begin()->second;
    std::vector<int> operands;
    for (const auto& [operand, where] : node.exchanged) {
      if (where != home) return nullptr;
      operands.push_back(operand);
    }
    return costs_.find_exchanging(graph_.nodes[node.node], core_, home, operands);
  }

  /// Whether what waits has room wherever the candidate waits or changes what a node needs.
  bool has_room(const Candidate& candidate) {
    const auto fits = [&](std::size_t position) {
      for (std::size_t memory = 0; memory < memories_.size(); ++memory) {
        const std::int64_t waiting = waiting_[memory][position];
        if (waiting > 0 && waiting + bits_of(nodes_[position].cost, memory) > memories_[memory].size)
          return false;
      }
      return true;
    };
    return std::all_of(candidate.ends.begin(), candidate.ends.end(),
                       [&](const auto& end) { return fits(end.first); }) &&
           std::all_of(candidate.waiting.begin(), candidate.waiting.end(),
                       [&](const auto& entry) { return fits(entry.first); });
  }

  std::int64_t bits_of(const CoreCost* cost, std::size_t memory) {
    std::vector<std::int64_t>& known = bits_[cost];
    if (known.empty())
      for (const Memory& each : memories_) known.push_back(bits_in_memory(*cost, each));
    return known[memory];
  }

  const ComputationNodeGraph& graph_;
  const CoreCosts& costs_;
  const int core_;
  const Accelerator& accelerator_;
  const std::vector<Memory>& memories_;
  std::vector<Node> nodes_;                                    ///< by time
  std::map<int, std::size_t> position_of_;                     ///< of a node
  std::vector<std::vector<std::int64_t>> waiting_;             ///< bits, by memory and position
  std::map<const CoreCost*, std::vector<std::int64_t>> bits_;  ///< that a cost needs, by memory
  std::vector<Candidate> candidates_;
};

}  // namespace

double exchange_inside_cores(Schedule& schedule) {
  schedule.exchanges.clear();
  if (schedule.costs->exchanging.empty()) return 0;
  std::vector<bool> sent(schedule.graph->tensors.size(), false);
  for (const Transfer& transfer : schedule.transfers) sent[transfer.tensor] = true;
  for (const Removal& removal : schedule.removals)
    if (removal.written_back) sent[removal.tensor] = true;
  std::vector<ExchangeBundle> possible = possible_exchanges(*schedule.graph);
  std::erase_if(possible, [&](const ExchangeBundle& bundle) {
    return std::any_of(bundle.begin(), bundle.end(),
                       [&](const Exchange& exchange) { return sent[exchange.tensor]; });
  });
  std::map<int, std::vector<const ScheduledNode*>> nodes_of;
  for (const ScheduledNode& node : schedule.nodes) nodes_of[node.core].push_back(&node);
  for (auto& [core, nodes] : nodes_of) {
    std::stable_sort(nodes.begin(), nodes.end(), [](const ScheduledNode* a, const ScheduledNode* b) {
      return std::tie(a->start, a->end) < std::tie(b->start, b->end);
    });
    CoreExchanges exchanges(schedule, nodes);
    for (const ExchangeBundle& bundle : possible) exchanges.offer(bundle);
    exchanges.choose();
    exchanges.apply(schedule);
  }
  if (schedule.exchanges.empty()) return 0;
  const double before = schedule.energy;
  schedule.energy = 0;
  for (const double term : schedule.energy_terms) schedule.energy += term;
  return before - schedule.energy;
}

}  // namespace zz::core
