#pragma once
#include <cmath>
#include <utility>

#include "core/compat/rules.hpp"
#include "core/multicore/schedule/detail/schedule_state.hpp"

namespace zz::core {

/// List scheduling (Graham 1969): takes one ready node after the other and gives it a core, a start and an
/// end, with all transfers, evictions and streams that it causes. Decisions are never taken back. Times and
/// contents are those of a ScheduleState; the first failure is noted there, and every function then returns
/// at once.
///
/// By default a schedule could happen as it stands (docs/scheduling.md says what that means). Members of
/// `Rules` reproduce single behaviours of Stream 0.0.8 instead.
class ListScheduler {
 public:
  /// `state` must have been reset for the choice. `record` receives all that happens; null: nobody asks.
  ListScheduler(ScheduleState& state, ScheduleRecorder* record)
      : state_(state), tables_(state.tables), rules_(tables_.options.rules), record_(record) {}

  /// The main loop. Latency and energy; infeasible when the state has failed.
  ScheduleFigures make_schedule(const ScheduleChoice& choice);
  /// The transfers before the first repeat of a steady state, for the choice that the state was reset for.
  void fill(const ScheduleChoice& choice);

 private:
  using Kind = ScheduleFailure::Kind;
  /// Stands for "fetch from whoever has it": the energy term follows from the sender.
  static constexpr EnergyTerm by_sender = static_cast<EnergyTerm>(-1);

  /// A tensor and the memory that it is to go to.
  struct Destination {
    int tensor = 0, core = 0, memory_operand = 0, memory = 0;
  };

  // list_scheduler.cpp: nodes.
  void supply_constants();
  template <class Take>
  void for_resident(Take take);
  void supply_resident();
  void prefetch();
  void make_ready(int node, const ScheduleChoice& choice);
  void schedule_node(int node, const ScheduleChoice& choice);
  void keep_needs(int node, const NodeCost& cost);
  double fetch_needs(int node, int core, const NodeCost& cost, double time);
  double take_over_partial_sum(const Destination& output, double time);
  double find_start(const Destination& output, bool exists, int core, const NodeCost& cost, double time,
                    bool back_filling);
  void produce(const Destination& output, double start, double end);
  void occupy_core(int core, double start, double end, bool back_filling);
  void count_uses(int node, int core, const NodeCost& cost, double end);
  void drop_unused(int tensor);
  void drop_unused_at_once(int tensor, double end);
  void write_result(const Destination& output, double end);
  void release_successors(int node, double end, const ScheduleChoice& choice);

  // list_scheduler_memory.cpp: space in memories.
  double earliest_fit(int memory, double bits, double time) const;
  double make_space(const Destination& to, double time);
  bool choose_victims(const Destination& to, double time);
  double reads_to_come(int copy, bool last) const;
  bool last_on_cores(int copy) const;
  void shed_idle_constants(const Destination& to, double bits, double time);
  int add_copy(int tensor, int memory, double from, double available);
  void drop(int copy, double time);
  double release(int copy, int memory_operand, double time, bool write_back, RemovalCause cause,
                 EnergyTerm purpose);
  double remove_at_once(int tensor, int core, int memory_operand, double time, bool write_back,
                        RemovalCause cause, EnergyTerm purpose);

  // list_scheduler_transfers.cpp: operands too large for their core stream.
  double clear_for_streams(int core, const NodeCost& cost, double time);
  double supply_streams(int node, const NodeCost& cost, double time);
  void list_stream_requests(int core, const NodeCost& cost);
  double plan_streams(int core, const NodeCost& cost, double time);
  void occupy_streams(int node, int core, const NodeCost& cost);
  double reserve_whole_elements(int node, int core, const NodeCost& cost, double time);

  // list_scheduler_copies.cpp: from which copy tensors come, to whom, and where evicted ones wait.
  double fetch(const Destination& to, EnergyTerm purpose = by_sender);
  double fetch_for(int node, const NeededTensor& need, const Destination& to);
  double send_in_lockstep(const NeededTensor& need, int source);
  bool receives(int memory) const;
  void occupy_rest(const CoreRoute& route, const TimeWindow& window, double rate);
  int available_first(int tensor) const;
  int best_source(const Destination& to);
  int sender_of(int copy, int receiver) const;
  TimeWindow earliest_arrival(const Destination& to, int source, double not_before);
  bool streams(const TensorReader& reader, int core) const;
  Destination still_reading(int tensor, const TensorReader& reader) const;
  bool has_room(int memory, double bits, double time, double free) const;
  void send_to_others(const Destination& to, int sender_memory, int sender, const CoreRoute& route,
                      const TimeWindow& window);
  Destination waiting_place(int copy, double time);

  // list_scheduler_transfers.cpp: tensors go from memory to memory.
  double transfer(const Destination& to, int source, double not_before, EnergyTerm purpose);
  double duration_within_core(int from, int to, double bits) const;
  /// The load of links while so many bits take so long, rounded up so that sums are exact.
  static double rate_over_links(double bits, double duration);
  TimeWindow send(int tensor, int sender, int receiver, const CoreRoute& route, double time,
                  double duration);
  TimeWindow send_repeats_free(int tensor, const CoreRoute& route, double time, double duration);
  void occupy_repeats_free(int tensor, const CoreRoute& route, const TimeWindow& window);
  void leave_sender(int tensor, int source, int sender, double end, EnergyTerm purpose);
  TimeWindow transfer_window(const CoreRoute& route, double bits, double time);
  double duration_beside(const CoreRoute& route, double bits, double time, double latest) const;
  bool took_part(int tensor, int receiver, double start) const;
  int multicast_to_join(int tensor, int sender, int receiver, const CoreRoute& route, double time,
                        double own_end) const;
  std::pair<double, double> price_of(const Destination& to, int sender_memory, const CoreRoute& route,
                                     const TimeWindow& window) const;
  void pay(const Destination& to, int sender, int sender_memory, const CoreRoute& route,
           const TimeWindow& window, EnergyTerm purpose, bool reads = true);

  /// True if the use of a memory over time is counted: see ScheduleState::exact_offchip.
  bool counts_use(int memory) const { return state_.exact_offchip || !is_offchip(memory); }
  bool is_offchip(int memory) const { return tables_.memories[memory].owner == tables_.offchip_core; }
  double& energy(EnergyTerm term) { return state_.energy[static_cast<int>(term)]; }

  /// True if so much time is more than a period, in which all that repeats leave free comes by: what has
  /// no place there has none. Notes the failure: on the link that streams wait for, or, where that is
  /// negative, on the core.
  bool beyond_period(double from, double to, int core, int link) {
    if (state_.given_period <= 0 || to <= from + state_.given_period) return false;
    fail(Kind::period, -1, -1, state_.given_period);
    state_.failure.core = link < 0 ? core : -1;
    state_.failure.link = link;
    return true;
  }

  void fail(Kind kind, int tensor, int memory, double missing = 0) {
    state_.failure.kind = kind;
    state_.failure.tensor = tensor;
    state_.failure.memory = memory;
    state_.failure.missing = missing;
  }

  ScheduleState& state_;
  const ScheduleProblem::Tables& tables_;
  const Rules& rules_;
  ScheduleRecorder* record_;
};

}  // namespace zz::core
