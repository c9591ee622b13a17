#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/schedule/core_costs.hpp"

namespace zz::core {

/// The terms of a schedule's energy, pJ. The order and the names are those of result files.
enum class EnergyTerm : int {
  node_onchip,          ///< arithmetic and memories of the cores
  node_offchip_link,    ///< links, for constants and inputs fetched from the off-chip memory
  node_offchip_memory,  ///< memories for those, and the off-chip memory for streamed operands
  eviction_link,        ///< writing back evicted tensors
  eviction_memory,
  final_output_link,  ///< writing the network's outputs
  final_output_memory,
  core_to_core_link,  ///< between cores
  core_to_core_memory,
};
inline constexpr int energy_term_count = 9;
inline constexpr std::array<const char*, energy_term_count> energy_term_names = {
    "total_cn_onchip_energy",
    "total_cn_offchip_link_energy",
    "total_cn_offchip_memory_energy",
    "total_eviction_to_offchip_link_energy",
    "total_eviction_to_offchip_memory_energy",
    "total_sink_layer_output_offchip_link_energy",
    "total_sink_layer_output_offchip_memory_energy",
    "total_core_to_core_link_energy",
    "total_core_to_core_memory_energy"};

/// A node in time. Times in cycles.
struct ScheduledNode {
  int node = 0;  ///< of the graph
  int core = 0;
  double start = 0, end = 0;
  /// The same node in the network: id of its layer, number within the layer. Filled in by
  /// schedule_evaluation().
  std::int64_t layer = 0;
  int sub_id = 0;
};

/// A tensor sent from core to core.
struct Transfer {
  int tensor = 0;
  int sender = 0, receiver = 0;  ///< cores
  int receiver_memory = 0;       ///< index into MultiCoreAccelerator::top_memories
  std::string receiver_operand;  ///< memory operand under which it arrives
  double start = 0, end = 0;
  double link_energy = 0, memory_energy = 0;
  std::vector<int> links;  ///< of the route
  std::vector<std::uint8_t>
      own;               ///< per link: 1 when it occupies the link itself, 0 when another transfer does
  int nodes_before = 0;  ///< nodes that were scheduled when it was decided
  EnergyTerm purpose = EnergyTerm::node_offchip_memory;  ///< the memory term that it counts towards
  std::int64_t bits = 0;  ///< of the tensor; filled in by schedule_evaluation()
};

/// A reservation of off-chip links while a node streams operands. A node has several, one after the other,
/// when the other traffic on its links changes while it runs.
struct StreamBlock {
  int node = 0;
  std::vector<int> operands;  ///< of the node's layer
  int core = 0;
  double start = 0, end = 0;
  double read_demand = 0, write_demand = 0;
  int nodes_before = 0;
};

enum class RemovalCause { eviction, clearing, unused, moved, final_output };
/// The words of result files, in the order of RemovalCause.
inline constexpr std::array<const char*, 5> removal_cause_names = {
    "make_space_for", "remove_all", "check_for_removal", "transfer_tensor_to_core", "schedule_graph"};

/// A tensor that leaves a memory.
struct Removal {
  RemovalCause cause = RemovalCause::unused;
  int tensor = 0;
  int core = 0, memory = 0;  ///< top memory
  std::string operand;       ///< memory operand
  double time = 0;           ///< when its space is free
  bool written_back = false;
  double write_back_end = 0;
  int nodes_before = 0;
  std::int64_t bits = 0;  ///< of the tensor; filled in by schedule_evaluation()
};

/// A tensor that one node writes and a later one on the same core reads, and that stays between them in a
/// memory of the core below its topmost ones. Lists and traces of the topmost ones have it all the same.
struct Exchange {
  int tensor = 0;
  int from = 0, to = 0;  ///< nodes
  int operand = 0;       ///< of the layer of `to`
  int core = 0;
  int memory = 0;         ///< the memory: index into Accelerator::memories of the core
  std::int64_t bits = 0;  ///< of the tensor; filled in by schedule_evaluation()
};

/// Use of one top memory over time: a step function.
struct MemoryTrace {
  int memory = 0;                                     ///< index into MultiCoreAccelerator::top_memories
  std::vector<std::pair<double, std::int64_t>> bits;  ///< (cycle, bits from then on), ascending
  std::int64_t peak = 0, last = 0;                    ///< bits
  double peak_time = 0;                               ///< first cycle at the peak
};

/// A network on several cores, cycle by cycle.
struct Schedule {
  std::shared_ptr<const MultiCoreAccelerator> accelerator;
  std::shared_ptr<const ComputationNodeGraph> graph;
  std::shared_ptr<const CoreCosts> costs;

  double latency = 0;  ///< cycles: the end of the last node and transfer
  double energy = 0;   ///< pJ: the sum of the terms
  std::array<double, energy_term_count> energy_terms{};
  std::vector<ScheduledNode> nodes;  ///< in the order in which they were scheduled
  std::vector<Transfer> transfers;   ///< in the order in which they were decided
  std::vector<StreamBlock> blocks;
  std::vector<Removal> removals;
  std::vector<Exchange> exchanges;  ///< inside of cores, by core and time
  std::vector<MemoryTrace> memory;
  std::vector<std::pair<std::int64_t, int>> genes;  ///< (layer id, group) that had a choice ...
  std::vector<int> allocation;                      ///< ... and the core that each was given
  double latency_bound = 0;         ///< cycles: no schedule of this graph and costs, or period, is shorter
  std::string rules;                ///< "" or "stream-0.0.8"
  std::string dispatch;             ///< the rule that chose the next node
  double critical_path_weight = 0;  ///< of the rule critical_path; else 0
  bool back_filling = false;        ///< nodes could use gaps that earlier ones left on their core
  int samples_at_once = 0;          ///< samples in flight at once; 0: all
  std::vector<int> segments;        ///< layers of the graph at which segments begin (ScheduleChoice)
  /// In the steady state: whole cycles after which the same schedule begins again with the next samples,
  /// whether or not it has ended, for ever. All lists are of one repeat. What it leaves in memories is gone
  /// when it ends; its results are then taken from the off-chip memory, and its inputs are there when it
  /// begins. Constants that samples share stay off-chip. 0: the schedule is made once.
  double period = 0;
  /// In the steady state: layers of the graph whose constants stay on their cores as well, in the order of
  /// ScheduleChoice::resident.
  std::vector<int> resident;
  /// The transfers that bring these there before the first repeat, by a clock of their own.
  std::vector<Transfer> fill;
  /// Offset and slope of each layer of the graph, where ranks followed from them (ScheduleChoice).
  std::vector<std::pair<double, double>> layer_ranks;
};

/// Checks a schedule that was read from a file or edited. Throws InputError naming the first entry with a
/// node, tensor, core, link or memory that its graph or accelerator does not have. Readers of schedules
/// rely on this check. Whether the schedule could happen is checked by find_violations
/// (violations.hpp).
void check_positions(const Schedule& schedule);

/// The use of one interconnect link.
struct LinkActivity {
  std::vector<int> transfers;  ///< that occupy it, as positions in Schedule::transfers
  std::vector<int> blocks;     ///< that reserve it, as positions in Schedule::blocks
  double active_cycles = 0;    ///< in which at least one of them does
  double bits = 0;             ///< of its transfers in a result, and reserved for streams
};

/// The use of each link of the accelerator, which the schedule must have. A node that streams reserves the
/// route from the off-chip memory for its inputs and the route back for its output.
std::vector<LinkActivity> link_activity(const Schedule& schedule);

/// Cycles until all that belongs to one of the samples is done, its results off-chip: of the sample that is
/// first.
double latency_of_first_sample(const Schedule& schedule);

/// Cycles of the transfers before the first repeat (Schedule::fill).
double cycles_of_fill(const Schedule& schedule);

/// A schedule as a result like any other, for reducers, savers and sums.
///
/// energy_total and the three latencies are those of the schedule; loading and off-loading are events of
/// the schedule and have no figures of their own. mac_energy is that of the nodes as far as their costs say
/// (CoreCost::evaluation), mem_energy the rest: memories and links. ideal_cycle is the work spread over
/// every unit of every core, ideal_temporal_cycle the work of the busiest core when it never stalls, so
/// that the utilisations of an evaluation mean what they mean for a single core. layer_ids are the layers
/// of the graph.
///
/// Also fills in what the parts of a schedule repeat of the graph for their readers.
Evaluation schedule_evaluation(Schedule schedule);

}  // namespace zz::core
