#pragma once
#include <array>
#include <string>
#include <vector>

#include "core/multicore/schedule/detail/occupancy.hpp"
#include "core/multicore/schedule/detail/ready_list.hpp"
#include "core/multicore/schedule/detail/stream_rules.hpp"
#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/multicore/schedule/tensor_copies.hpp"

namespace zz::core {

/// Why an allocation cannot be scheduled, as numbers: a search meets thousands of failures.
struct ScheduleFailure {
  enum class Kind {
    none,
    tensor_too_large,  ///< for a memory even when that is empty
    memory_full,       ///< of tensors that must stay
    overflow,          ///< of a memory at a later time, when the tensor is added at this one
    offchip_full,
    offchip_uncounted,  ///< the off-chip memory may be full: repeat with exact counting
    no_memory,          ///< of the core for an operand
    nobody_has_it,
    no_way,  ///< between two cores, or two memories of one
    period,  ///< repeats of a period that is given, `missing`, collide on a core, a link or in a memory
  };
  Kind kind = Kind::none;
  int node = -1;  ///< the node at hand; -1: before the first one
  int tensor = -1;
  int memory = -1;  ///< or -1
  int core = -1;
  int memory_operand = -1;
  double missing = 0;  ///< bits
  int link = -1;       ///< or -1
};

/// The failure as a sentence that names node, tensor and memory, and says what would help.
std::string to_string(const ScheduleFailure& failure, const ScheduleProblem::Tables& tables);

/// A period in which the streams of a node have constant rates.
struct StreamPeriod {
  double start = 0, end = 0;
  double read_rate = 0, write_rate = 0;  ///< bits per cycle
};

/// Everything that changes while a schedule is made. Kept from one schedule to the next, so that a search
/// allocates no memory once the tables have grown.
struct ScheduleState {
  explicit ScheduleState(const ScheduleProblem::Tables& tables);

  /// Starts over. `exact_offchip`: see below. `horizon`: where a period is given, the cycles in which cores
  /// and links are occupied by other repeats as well.
  void reset(const ScheduleChoice& choice, bool exact_offchip, double horizon = 0);

  const ScheduleProblem::Tables& tables;

  std::vector<int> group_core;
  std::vector<double> node_end;          ///< by node; negative: not scheduled
  std::vector<double> predecessors_end;  ///< by node, of those scheduled
  std::vector<double> core_idle;         ///< end of the last node of each core
  std::vector<Occupancy> core_busy;      ///< kept with back-filling and in the steady state only
  std::vector<MemoryUsage> usage;        ///< by memory
  std::vector<Occupancy> links;
  TensorCopies copies;
  RemainingUses uses;
  TransferHistory transfers;
  LinkHistory carried;  ///< with Rules::repeated_transfers_free
  StreamWindows shared_windows;
  std::array<double, energy_term_count> energy{};
  double latest_transfer = 0;
  int scheduled = 0;  ///< nodes so far
  /// Samples behind the last one of which a node is placed, or at hand; before the first node all but one.
  /// With segments 0: no sample is far behind.
  int samples_to_come = 0;
  bool in_segments = false;  ///< the choice has them

  /// True if the use of the off-chip memory over time is counted. Nothing can be evicted from it, so the
  /// sum of all that came in is enough as long as that fits. Counted exactly otherwise, and for a record.
  bool exact_offchip = false;
  double offchip_sum = 0;

  std::vector<unsigned> kept;  ///< by tensor: equal to `keeping` when it must not be evicted now
  unsigned keeping = 0;
  double core_free = 0;  ///< the first cycle at which the core could run the node at hand

  std::vector<int> ranks;     ///< when a choice has ranks of its own
  std::vector<int> sequence;  ///< of all nodes, where ranks or a window of samples ask for one
  bool own_sequence = false;  ///< they do
  SampleWindow window;
  std::vector<int> waiting;  ///< by node: predecessors that are not scheduled
  ReadyList ready;
  std::vector<double> path_left;  ///< by node: see DispatchRule::critical_path

  double given_period = 0;           ///< at which other repeats occupy cores and links; 0: there are none
  bool repeats = false;              ///< the schedule is made for the steady state
  std::vector<int> resident_layers;  ///< ... and the constants of these layers stay on their cores
  std::vector<char> resident;        ///< by tensor: it is one of these
  /// True for a copy that stays from one repeat to the next.
  bool stays(int tensor, bool offchip) const {
    return repeats && tables.is_shared[tensor] && (offchip || resident[tensor]);
  }

  struct Victim {
    int copy = -1, tensor = 0;
    double importance = 0, bits = 0;
    int arrival = 0;  ///< number among the copies of the memory, in order of arrival
  };
  std::vector<Victim> victims, leaving;  ///< scratch
  /// A copy from which a tensor could come, and when it could be there if all links were free.
  struct Source {
    int copy = -1;
    double earliest = 0, energy = 0;
    int memory = 0;
  };
  std::vector<Source> sources;              ///< scratch
  std::vector<int> snapshot;                ///< scratch
  std::vector<int> holders;                 ///< scratch
  std::vector<LinkRequest> requests;        ///< scratch, of a transfer
  std::vector<int> carrying;                ///< scratch: links that the transfer at hand passes
  std::vector<int> members, receivers;      ///< nodes in lockstep and memories of the transfer at hand
  CoreRoute tree;                           ///< ... and its links
  std::vector<LinkRequest> block_requests;  ///< of the node at hand
  std::vector<int> block_tensors;           ///< scratch
  std::vector<StreamPeriod> pieces;         ///< of the node at hand
  double stream_end = 0;                    ///< ... and its end
  int fullest_link = -1;                    ///< ... the link that its streams waited for last; -1: for none
  std::vector<std::uint8_t> own;  ///< per link of the latest transfer: it occupies the link itself

  ScheduleFailure failure;
  bool failed() const { return failure.kind != ScheduleFailure::Kind::none; }
};

/// Fills the lists of a schedule.
class ScheduleRecorder {
 public:
  explicit ScheduleRecorder(Schedule& schedule) : schedule_(schedule) {}

  /// ScheduleState::own says which links of the route it occupies.
  void transfer(const ScheduleState& state, int tensor, int sender, int receiver, int memory_operand,
                int receiver_memory, double start, double end, double link_energy, double memory_energy,
                EnergyTerm purpose);
  void block(const ScheduleState& state, int node, int core, const NodeCost& cost, double start,
             double end);
  void removal(const ScheduleState& state, RemovalCause cause, int tensor, int core, int memory_operand,
               int memory, double time, bool written_back, double write_back_end);
  void node(int node, int core, double start, double end) {
    schedule_.nodes.push_back({node, core, start, end});
  }
  /// The figures and traces, which are known at the end.
  void finish(const ScheduleState& state, const ScheduleChoice& choice, const ScheduleFigures& figures);

 private:
  Schedule& schedule_;
};

}  // namespace zz::core
