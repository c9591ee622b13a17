#include "core/multicore/schedule/schedule.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/hardware/chip_area.hpp"

namespace zz::core {
namespace {

class PositionCheck {
 public:
  explicit PositionCheck(const Schedule& schedule) : schedule_(schedule) {
    if (schedule.graph) {
      nodes_ = schedule.graph->nodes.size();
      tensors_ = schedule.graph->tensors.size();
    }
    if (schedule.accelerator) {
      cores_ = schedule.accelerator->cores.size();
      links_ = schedule.accelerator->links.size();
      memories_ = schedule.accelerator->top_memories.size();
    }
  }

  void check_all() {
    each("nodes", schedule_.nodes, [&](const ScheduledNode& scheduled) {
      require(scheduled.node, nodes_, "node");
      require(scheduled.core, cores_, "core");
    });
    const auto check_transfer = [&](const Transfer& transfer) {
      require(transfer.tensor, tensors_, "tensor");
      require(transfer.sender, cores_, "sender");
      require(transfer.receiver, cores_, "receiver");
      require(transfer.receiver_memory, memories_, "receiver_memory");
      for (const int link : transfer.links) require(link, links_, "links");
      if (transfer.own.size() != transfer.links.size()) fail_here("own", "needs an entry for each link");
    };
    each("transfers", schedule_.transfers, check_transfer);
    each("fill", schedule_.fill, check_transfer);
    each("resident", schedule_.resident,
         [&](int layer) { require(layer, schedule_.graph->layers.size(), "layer"); });
    each("blocks", schedule_.blocks, [&](const StreamBlock& block) {
      require(block.node, nodes_, "node");
      require(block.core, cores_, "core");
      const Layer& layer = *schedule_.graph->layers[schedule_.graph->nodes[block.node].layer].layer;
      for (const int operand : block.operands) require(operand, layer.operands.size(), "operands");
    });
    each("removals", schedule_.removals, [&](const Removal& removal) {
      require(removal.tensor, tensors_, "tensor");
      require(removal.core, cores_, "core");
      require(removal.memory, memories_, "memory");
    });
    each("exchanges", schedule_.exchanges, [&](const Exchange& exchange) {
      require(exchange.tensor, tensors_, "tensor");
      require(exchange.from, nodes_, "from");
      require(exchange.to, nodes_, "to");
      require(exchange.core, cores_, "core");
      require(exchange.memory, schedule_.accelerator->cores[exchange.core]->memories.size(),
              "exchange memory");
      const Layer& layer = *schedule_.graph->layers[schedule_.graph->nodes[exchange.to].layer].layer;
      require(exchange.operand, layer.operands.size(), "operand");
    });
    each("memory", schedule_.memory,
         [&](const MemoryTrace& trace) { require(trace.memory, memories_, "memory"); });
    for (std::size_t i = 0; i < schedule_.segments.size(); ++i) {
      list_ = "segments";
      item_ = i;
      require(schedule_.segments[i], schedule_.graph->layers.size(), "layer");
      if (schedule_.segments[i] <= (i == 0 ? 0 : schedule_.segments[i - 1]))
        fail_here("layer", "needs to be above that before");
    }
    if (schedule_.allocation.size() != schedule_.genes.size())
      throw InputError("allocation: needs a core for each of the genes");
  }

 private:
  template <class Item, class Check>
  void each(const char* list, const std::vector<Item>& items, Check check) {
    list_ = list;
    for (item_ = 0; item_ < items.size(); ++item_) check(items[item_]);
  }
  [[noreturn]] void fail_here(const char* what, const std::string& why) const {
    throw InputError(std::string(list_) + "[" + std::to_string(item_) + "]." + what + ": " + why);
  }
  void require(int position, std::size_t count, const char* what) const {
    if (position < 0 || static_cast<std::size_t>(position) >= count)
      fail_here(what, "there is no number " + std::to_string(position) + " among " + std::to_string(count));
  }

  const Schedule& schedule_;
  std::size_t nodes_ = 0, tensors_ = 0, cores_ = 0, links_ = 0, memories_ = 0;
  const char* list_ = "";
  std::size_t item_ = 0;
};

/// Length of the union of intervals.
double covered(std::vector<std::pair<double, double>>& intervals) {
  std::sort(intervals.begin(), intervals.end());
  double length = 0, end = 0;
  for (const auto& [from, to] : intervals) {
    length += std::max(0.0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return length;
}

/// False when it is there.
bool add_once(std::vector<int>& list, int value) {
  if (!list.empty() && list.back() == value) return false;
  list.push_back(value);
  return true;
}

}  // namespace

void check_positions(const Schedule& schedule) { PositionCheck(schedule).check_all(); }

std::vector<LinkActivity> link_activity(const Schedule& schedule) {
  const MultiCoreAccelerator& accelerator = *schedule.accelerator;
  std::vector<LinkActivity> activity(accelerator.links.size());
  for (std::size_t i = 0; i < schedule.transfers.size(); ++i) {
    const Transfer& transfer = schedule.transfers[i];
    for (std::size_t hop = 0; hop < transfer.links.size(); ++hop) {
      LinkActivity& link = activity[transfer.links[hop]];
      if (transfer.own[hop] != 0 && add_once(link.transfers, static_cast<int>(i)))
        link.bits += static_cast<double>(transfer.bits);
    }
  }
  for (std::size_t i = 0; accelerator.offchip_core && i < schedule.blocks.size(); ++i) {
    const StreamBlock& block = schedule.blocks[i];
    const auto reserve = [&](int from, int to, double demand) {
      const auto& route = accelerator.route(from, to);
      // A route may pass a bus twice.
      for (const int link : std::set<int>(route.begin(), route.end())) {
        add_once(activity[link].blocks, static_cast<int>(i));
        activity[link].bits += demand * (block.end - block.start);
      }
    };
    const bool output = std::find(block.operands.begin(), block.operands.end(), 0) != block.operands.end();
    if (output) reserve(block.core, *accelerator.offchip_core, block.write_demand);
    if (block.operands.size() > (output ? 1U : 0U))
      reserve(*accelerator.offchip_core, block.core, block.read_demand);
  }
  std::vector<std::pair<double, double>> intervals;
  for (LinkActivity& link : activity) {
    intervals.clear();
    for (const int i : link.transfers)
      intervals.emplace_back(schedule.transfers[i].start, schedule.transfers[i].end);
    for (const int i : link.blocks)
      intervals.emplace_back(schedule.blocks[i].start, schedule.blocks[i].end);
    link.active_cycles = covered(intervals);
  }
  return activity;
}

double latency_of_first_sample(const Schedule& schedule) {
  const ComputationNodeGraph& graph = *schedule.graph;
  std::vector<double> end(graph.samples, 0);
  const auto raise = [&](int node, double time) {
    const int first = graph.sample_of(node), together = graph.layers[graph.nodes[node].layer].samples;
    for (int sample = first; sample < first + together; ++sample) end[sample] = std::max(end[sample], time);
  };
  for (const ScheduledNode& scheduled : schedule.nodes) raise(scheduled.node, scheduled.end);
  for (const Transfer& transfer : schedule.transfers) {
    const PieceTensor& tensor = graph.tensors[transfer.tensor];
    if (tensor.operand == 0 && transfer.receiver == schedule.accelerator->offchip_core)
      raise(tensor.first_node, transfer.end);
  }
  return *std::min_element(end.begin(), end.end());
}

double cycles_of_fill(const Schedule& schedule) {
  double end = 0;
  for (const Transfer& transfer : schedule.fill) end = std::max(end, transfer.end);
  return end;
}

namespace {

void fill_in(Schedule& schedule) {
  const ComputationNodeGraph& graph = *schedule.graph;
  for (ScheduledNode& scheduled : schedule.nodes) {
    scheduled.layer = graph.layer_id(scheduled.node);
    scheduled.sub_id = graph.nodes[scheduled.node].sub_id;
  }
  for (std::vector<Transfer>* list : {&schedule.transfers, &schedule.fill})
    for (Transfer& transfer : *list) transfer.bits = graph.tensors[transfer.tensor].bits;
  for (Removal& removal : schedule.removals) removal.bits = graph.tensors[removal.tensor].bits;
  for (Exchange& exchange : schedule.exchanges) exchange.bits = graph.tensors[exchange.tensor].bits;
}

/// Cycles in which every unit of the accelerator would be busy with the work of the graph.
double ideal_cycle(const Schedule& schedule) {
  double operations = 0;
  for (const CutLayer& layer : schedule.graph->layers)
    operations += static_cast<double>(layer.layer->mac_count()) * schedule.graph->samples;
  double units = 0;
  for (const auto& core : schedule.accelerator->cores)
    units += static_cast<double>(core->array.unit_count());
  return units > 0 ? operations / units : 0;
}

/// Basis of rates: the work, and clock and area of the chip. Its cores have one clock.
void add_basis_of_rates(const Schedule& schedule, Evaluation& evaluation) {
  for (const CutLayer& layer : schedule.graph->layers)
    if (!layer.layer->vector_work)
      evaluation.mac_count += static_cast<double>(layer.layer->mac_count()) * schedule.graph->samples;
  if (schedule.accelerator == nullptr) return;
  for (const auto& core : schedule.accelerator->cores)
    evaluation.clock_period = std::max(evaluation.clock_period, core->clock_period);
  const ChipArea area = chip_area(*schedule.accelerator);
  if (area.is_known()) evaluation.chip_area = area.mm2;
}

/// The sums of the costs of the nodes, and what deviates in them.
void add_nodes(const Schedule& schedule, Evaluation& evaluation) {
  std::map<int, double> cycles;
  std::set<const Evaluation*> known;
  for (const ScheduledNode& scheduled : schedule.nodes) {
    const CoreCost* cost = schedule.costs->find(schedule.graph->nodes[scheduled.node], scheduled.core);
    if (cost != nullptr && cost->evaluation != nullptr) {
      evaluation.mac_energy += cost->evaluation->mac_energy;
      cycles[scheduled.core] += cost->evaluation->ideal_temporal_cycle;
      const auto& deviations = cost->evaluation->deviations;
      if (known.insert(cost->evaluation.get()).second)
        evaluation.deviations.insert(evaluation.deviations.end(), deviations.begin(), deviations.end());
    } else {
      cycles[scheduled.core] += scheduled.end - scheduled.start;
    }
  }
  for (const auto& [core, busy] : cycles)
    evaluation.ideal_temporal_cycle = std::max(evaluation.ideal_temporal_cycle, busy);
}

}  // namespace

Evaluation schedule_evaluation(Schedule schedule) {
  Evaluation evaluation;
  if (schedule.graph != nullptr) {
    fill_in(schedule);
    for (const CutLayer& layer : schedule.graph->layers) evaluation.layer_ids.push_back(layer.layer->id);
    if (schedule.accelerator != nullptr) evaluation.ideal_cycle = ideal_cycle(schedule);
    if (schedule.costs != nullptr) add_nodes(schedule, evaluation);
    add_basis_of_rates(schedule, evaluation);
  }
  evaluation.energy_total = schedule.energy;
  evaluation.mem_energy = schedule.energy - evaluation.mac_energy;
  evaluation.latency_total0 = evaluation.latency_total1 = evaluation.latency_total2 = schedule.latency;
  evaluation.schedule = std::make_shared<const Schedule>(std::move(schedule));
  return evaluation;
}

}  // namespace zz::core
