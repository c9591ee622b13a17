#include "core/multicore/schedule/exchanges.hpp"

#include <algorithm>
#include <cmath>
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

/// By which the two nodes know the tensor.
std::set<std::string> memory_operands(const ComputationNodeGraph& graph, const Exchange& exchange) {
  const auto layer_of = [&](int node) -> const Layer& {
    return *graph.layers[graph.nodes[node].layer].layer;
  };
  return {layer_of(exchange.from).memory_operand(0),
          layer_of(exchange.to).memory_operand(exchange.operand)};
}

double energy(const CoreCost& cost) { return cost.onchip_energy + cost.offchip_energy; }

/// Tensors that are exchanged together or not at all.
class TensorSets {
 public:
  /// `blocks`: those in blocks among them, if nothing else keeps them.
  explicit TensorSets(const ComputationNodeGraph& graph, bool blocks = false)
      : graph_(graph),
        blocks_(blocks),
        leader_(graph.tensors.size()),
        impossible_(graph.tensors.size(), false) {
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
           graph_.layers[from.layer].layer->final_output_precision == operand.precision &&
           (blocks_ ||
            (!graph_.layers[from.layer].layer->final_output_scale.any() && !operand.scale.any()));
  }

  const ComputationNodeGraph& graph_;
  const bool blocks_;
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

std::vector<std::string> layers_with_blocks_not_exchanged(const ComputationNodeGraph& graph) {
  TensorSets all(graph, true), exchanged(graph);
  std::vector<std::string> layers;
  for (const Dependency& use : graph.dependencies) {
    const ComputationNode& from = graph.nodes[use.from];
    const int tensor = from.tensors[0];
    if (use.operand < 0 || tensor < 0 || !all.possible(tensor) || exchanged.possible(tensor)) continue;
    const std::string& name = graph.layers[from.layer].layer->name;
    if (std::find(layers.begin(), layers.end(), name) == layers.end()) layers.push_back(name);
  }
  return layers;
}

std::vector<int> inner_exchange_memories(const Accelerator& core, const std::set<std::string>& operands) {
  std::vector<int> memories;
  for (auto exchange_memory = core.memories.begin(); exchange_memory != core.memories.end();
       ++exchange_memory) {
    const bool below_all = std::all_of(operands.begin(), operands.end(), [&](const std::string& operand) {
      return exchange_memory->holds(operand) &&
             std::any_of(exchange_memory + 1, core.memories.end(),
                         [&](const Memory& above) { return above.holds(operand); });
    });
    if (below_all && core.instances(*exchange_memory) == 1)
      memories.push_back(static_cast<int>(exchange_memory - core.memories.begin()));
  }
  return memories;
}

std::string obstacle_to_exchanges(const MultiCoreAccelerator& accelerator,
                                  const ComputationNodeGraph& graph) {
  const bool some_memory =
      std::any_of(accelerator.cores.begin(), accelerator.cores.end(), [](const auto& core) {
        return !inner_exchange_memories(*core, {"O", "I1"}).empty() ||
               !inner_exchange_memories(*core, {"O", "I2"}).empty();
      });
  if (!some_memory)
    return "no core has a memory for outputs and inputs, once for the whole array, below its topmost ones";
  if (possible_exchanges(graph).empty())
    return "no tensor is written whole by one node and is all that others read as their operands";
  return "no tensor that nodes could exchange fits into a memory below the topmost ones of a core that may "
         "run all of them";
}

namespace {

/// The accelerator with nothing of these memory operands above `exchange_memory`: a mapping on it holds
/// them there whole.
Accelerator exchanging_in(const Accelerator& accelerator, int exchange_memory,
                          const std::vector<std::string>& operands) {
  Accelerator seen = accelerator;
  const auto ends_there = [&](const std::string& operand) {
    return std::find(operands.begin(), operands.end(), operand) != operands.end();
  };
  for (std::size_t index = static_cast<std::size_t>(exchange_memory) + 1; index < seen.memories.size();
       ++index) {
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

}  // namespace

ExchangePlan::ExchangePlan(const MultiCoreAccelerator& accelerator, const ComputationNodeGraph& graph,
                           const CoreCostPlan& plan, const CoreCosts& costs)
    : accelerator_(accelerator), plan_(plan), costs_(costs) {
  // Operands that a node can exchange, by node, core and exchange memory.
  std::map<std::tuple<int, int, int>, std::set<int>> operands_of;
  for (const ExchangeBundle& bundle : possible_exchanges(graph))
    for (const Exchange& exchange : bundle) {
      const ComputationNode &from = graph.nodes[exchange.from], &to = graph.nodes[exchange.to];
      for (const CoreCost& cost : costs.layers[from.layer].of(from.shape)) {
        const CoreCost* next = costs.find(to, cost.core);
        if (next == nullptr || streams(cost, 0) || streams(*next, exchange.operand)) continue;
        const Accelerator& core = *accelerator.cores[cost.core];
        for (const int exchange_memory : inner_exchange_memories(core, memory_operands(graph, exchange))) {
          if (graph.tensors[exchange.tensor].bits > core.memories[exchange_memory].size) continue;
          operands_of[{exchange.from, cost.core, exchange_memory}].insert(0);
          operands_of[{exchange.to, cost.core, exchange_memory}].insert(exchange.operand);
        }
      }
    }
  std::set<std::tuple<int, int, int, int, std::vector<int>>> wanted;
  for (const auto& [where, operands] : operands_of) {
    const auto& [number, core, exchange_memory] = where;
    const ComputationNode& node = graph.nodes[number];
    const std::vector<int> all(operands.begin(), operands.end());
    for (unsigned chosen = 1; chosen < 1U << all.size(); ++chosen) {
      std::vector<int> exchanged;
      for (std::size_t i = 0; i < all.size(); ++i)
        if ((chosen >> i & 1U) != 0) exchanged.push_back(all[i]);
      wanted.insert({node.layer, node.shape, core, exchange_memory, exchanged});
    }
  }
  std::map<std::tuple<int, int, std::vector<int>>, int> numbers;
  for (const auto& [layer, shape, core, exchange_memory, exchanged] : wanted) {
    const int base = plan.question_of(layer, shape, core);
    const auto [known, is_new] =
        numbers.try_emplace({base, exchange_memory, exchanged}, static_cast<int>(questions_.size()));
    if (is_new) {
      CoreCostQuestion question = plan.questions()[base];
      std::vector<std::string> names;
      for (const int operand : exchanged) names.push_back(question.layer->memory_operand(operand));
      question.accelerator =
          std::make_shared<const Accelerator>(exchanging_in(*question.accelerator, exchange_memory, names));
      questions_.push_back(std::move(question));
    }
    entries_.push_back({layer, shape, core, exchange_memory, exchanged, known->second});
  }
}

std::vector<ExchangingCost> ExchangePlan::costs(
    const std::vector<std::shared_ptr<const Evaluation>>& answers) const {
  std::vector<ExchangingCost> exchanging;
  for (const Entry& entry : entries_) {
    if (answers[entry.question] == nullptr) continue;
    const CoreCost& alone = *costs_.find(entry.layer, entry.shape, entry.core);
    CoreCost cost = plan_.cost_of(entry.layer, entry.shape, entry.core, answers[entry.question]);
    // The schedule has the time and the links of a node that exchanges nothing.
    if (cost.runtime > alone.runtime || cost.stream_read_bits > alone.stream_read_bits ||
        cost.stream_write_bits > alone.stream_write_bits)
      continue;
    exchanging.push_back({entry.layer, entry.shape, entry.memory, entry.exchanged, std::move(cost)});
  }
  return exchanging;
}

std::vector<const CoreCost*> costs_of_nodes(const Schedule& schedule) {
  if (schedule.costs == nullptr) return std::vector<const CoreCost*>(schedule.nodes.size(), nullptr);
  std::map<int, std::pair<int, std::set<int>>> exchanging;  // by node: exchange memory and operands
  for (const Exchange& exchange : schedule.exchanges) {
    exchanging[exchange.from].first = exchanging[exchange.to].first = exchange.memory;
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
    const auto& [exchange_memory, operands] = found->second;
    costs.push_back(schedule.costs->find_exchanging(node, scheduled.core, exchange_memory,
                                                    {operands.begin(), operands.end()}));
  }
  return costs;
}

namespace {

struct SavedEnergy {
  double onchip = 0, offchip = 0;
};

SavedEnergy saved_in_nodes(const Schedule& schedule) {
  SavedEnergy saved;
  const std::vector<const CoreCost*> costs = costs_of_nodes(schedule);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const ScheduledNode& scheduled = schedule.nodes[i];
    const CoreCost* alone = schedule.costs->find(schedule.graph->nodes[scheduled.node], scheduled.core);
    saved.onchip += alone->onchip_energy - costs[i]->onchip_energy;
    saved.offchip += alone->offchip_energy - costs[i]->offchip_energy;
  }
  return saved;
}

/// Bits that a node needs in a memory of its core, by the mapping that its cost comes from; the whole
/// memory where that is not known.
std::int64_t bits_in_memory(const CoreCost& cost, const Memory& memory) {
  if (cost.evaluation == nullptr) return memory.size;
  double share = 0;  // each operand there tells that of all
  for (const OperandCost& operand : cost.evaluation->operands)
    for (const LevelCost& level : operand.levels)
      if (level.memory == memory.name) share = std::max(share, level.utilization);
  // As much again for second buffers, on which the runtime may rely.
  return static_cast<std::int64_t>(std::ceil(std::min(1.0, 2 * share) * static_cast<double>(memory.size)));
}

/// Chooses what the nodes of one core exchange.
class CoreExchanges {
 public:
  /// `nodes`: all of one core by time.
  CoreExchanges(const Schedule& schedule, const std::vector<const ScheduledNode*>& nodes)
      : graph_(*schedule.graph),
        costs_(*schedule.costs),
        core_(nodes.front()->core),
        accelerator_(*schedule.accelerator->cores[core_]) {
    for (const ScheduledNode* scheduled : nodes) {
      const ComputationNode& node = graph_.nodes[scheduled->node];
      position_of_[scheduled->node] = nodes_.size();
      nodes_.push_back({node, none, {}, costs_.find(node, core_), {}});
      nodes_.back().waiting.assign(accelerator_.memories.size(), 0);
    }
  }

  /// A bundle whose tensors are never sent.
  void offer(const ExchangeBundle& bundle) {
    Candidate candidate{bundle, {}, {}, none};
    std::set<std::string> operands;
    for (const Exchange& exchange : bundle) {
      const auto from = position_of_.find(exchange.from), to = position_of_.find(exchange.to);
      if (from == position_of_.end() || to == position_of_.end() || from->second >= to->second) return;
      candidate.parts[from->second].exchanged.insert(0);
      candidate.parts[to->second].exchanged.insert(exchange.operand);
      operands.merge(memory_operands(graph_, exchange));
    }
    candidate.memories = inner_exchange_memories(accelerator_, operands);
    if (candidate.memories.empty()) return;
    add_waiting(candidate);
    candidates_.push_back(std::move(candidate));
  }

  /// Each bundle goes into the exchange memory where it saves most, until no other one saves anything: what
  /// a node exchanges already changes what the next bundle saves.
  void choose() {
    for (bool changed = true; changed;) {
      changed = false;
      for (Candidate& candidate : candidates_) {
        end_if_interrupted();
        if (candidate.memory == none) changed = exchange_where_best(candidate) || changed;
      }
    }
  }

  void append_to(std::vector<Exchange>& exchanges) const {
    for (const Candidate& candidate : candidates_) {
      if (candidate.memory == none) continue;
      for (Exchange exchange : candidate.bundle) {
        exchange.core = core_;
        exchange.memory = candidate.memory;
        exchanges.push_back(exchange);
      }
    }
  }

 private:
  static constexpr int none = -1;
  struct Node {
    const ComputationNode& node;
    int memory = none;                  ///< of all that it exchanges
    std::set<int> exchanged;            ///< operands
    const CoreCost* cost;               ///< with these
    std::vector<std::int64_t> waiting;  ///< bits for others, by memory
  };
  /// The part of a node in a bundle.
  struct Part {
    std::set<int> exchanged;   ///< operands
    std::int64_t waiting = 0;  ///< bits beside what the node needs itself
  };
  struct Candidate {
    const ExchangeBundle& bundle;
    std::map<std::size_t, Part> parts;  ///< by position of the node
    std::vector<int> memories;
    int memory = none;
  };

  /// A tensor waits from behind the node that writes it to the last one that reads it. A node counts what
  /// it reads as its own, but not what its tensors have beyond that.
  void add_waiting(Candidate& candidate) const {
    std::map<int, std::pair<std::size_t, std::set<std::size_t>>> lives;  // by tensor: writer and readers
    std::map<std::pair<std::size_t, int>, std::int64_t> read;            // by position and operand
    for (const Exchange& exchange : candidate.bundle) {
      const std::size_t reader = position_of_.at(exchange.to);
      auto& [writer, readers] = lives[exchange.tensor];
      writer = position_of_.at(exchange.from);
      readers.insert(reader);
      read[{reader, exchange.operand}] += graph_.tensors[exchange.tensor].bits;
    }
    for (const auto& [tensor, life] : lives)
      for (std::size_t at = life.first + 1; at < *life.second.rbegin(); ++at)
        if (!life.second.contains(at)) candidate.parts[at].waiting += graph_.tensors[tensor].bits;
    for (const auto& [where, bits] : read) {
      const ComputationNode& node = nodes_[where.first].node;
      const auto piece = node_pieces(graph_.layers[node.layer])[static_cast<std::size_t>(node.shape)];
      const std::int64_t own = piece->operand_bits(where.second, {});
      candidate.parts[where.first].waiting += std::max<std::int64_t>(bits - own, 0);
    }
  }

  /// False when the bundle saves nothing in any exchange memory.
  bool exchange_where_best(Candidate& candidate) {
    double most = 0;
    for (const int exchange_memory : candidate.memories)
      if (const double saved = saved_in(exchange_memory, candidate); saved > most) {
        most = saved;
        candidate.memory = exchange_memory;
      }
    if (candidate.memory == none) return false;
    for (const auto& [position, part] : candidate.parts) {
      Node& node = nodes_[position];
      node.cost = cost_with(node, part, candidate.memory);
      node.waiting[candidate.memory] += part.waiting;
      if (part.exchanged.empty()) continue;
      node.memory = candidate.memory;
      node.exchanged.insert(part.exchanged.begin(), part.exchanged.end());
    }
    return true;
  }

  /// By how much the energy falls with the bundle in that exchange memory, pJ; 0 where it cannot be there.
  double saved_in(int exchange_memory, const Candidate& candidate) const {
    double saved = 0;
    for (const auto& [position, part] : candidate.parts) {
      const Node& node = nodes_[position];
      const CoreCost* cost = cost_with(node, part, exchange_memory);
      if (cost == nullptr || !has_room(node, *cost, exchange_memory, part.waiting)) return 0;
      saved += energy(*node.cost) - energy(*cost);
    }
    return saved;
  }

  const CoreCost* cost_with(const Node& node, const Part& part, int exchange_memory) const {
    if (part.exchanged.empty()) return node.cost;
    if (node.memory != none && node.memory != exchange_memory) return nullptr;
    std::set<int> operands = node.exchanged;
    operands.insert(part.exchanged.begin(), part.exchanged.end());
    return costs_.find_exchanging(node.node, core_, exchange_memory, {operands.begin(), operands.end()});
  }

  /// True if the node has room with that cost for what waits, and for more of it in one memory.
  bool has_room(const Node& node, const CoreCost& cost, int exchange_memory, std::int64_t more) const {
    for (std::size_t index = 0; index < node.waiting.size(); ++index) {
      const Memory& memory = accelerator_.memories[index];
      const std::int64_t waiting =
          node.waiting[index] + (static_cast<int>(index) == exchange_memory ? more : 0);
      if (waiting > 0 && waiting + bits_in_memory(cost, memory) > memory.size) return false;
    }
    return true;
  }

  const ComputationNodeGraph& graph_;
  const CoreCosts& costs_;
  const int core_;
  const Accelerator& accelerator_;
  std::vector<Node> nodes_;                 ///< by time
  std::map<int, std::size_t> position_of_;  ///< of a node
  std::vector<Candidate> candidates_;
};

}  // namespace

double saved_by_exchanges(const Schedule& schedule) {
  const SavedEnergy saved = saved_in_nodes(schedule);
  return saved.onchip + saved.offchip;
}

void exchange_inside_cores(Schedule& schedule) {
  schedule.exchanges.clear();
  if (schedule.costs->exchanging.empty()) return;
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
    exchanges.append_to(schedule.exchanges);
  }
  if (schedule.exchanges.empty()) return;
  const SavedEnergy saved = saved_in_nodes(schedule);
  schedule.energy_terms[static_cast<std::size_t>(EnergyTerm::node_onchip)] -= saved.onchip;
  schedule.energy_terms[static_cast<std::size_t>(EnergyTerm::node_offchip_memory)] -= saved.offchip;
  schedule.energy = 0;
  for (const double each : schedule.energy_terms) schedule.energy += each;
}

}  // namespace zz::core
