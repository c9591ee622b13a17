#pragma once
#include <cmath>
#include <limits>

#include "core/schedule/schedule_recorder.hpp"
#include "core/schedule/schedule_state.hpp"

namespace zz::core {

/// Places nodes by a set of rules (schedule_rules.hpp) and tells a recorder what happens. Times are those
/// of ScheduleState; a failure is noted there, and everything returns at once.
template <class Rules, class Record>
class ListScheduler {
 public:
  ListScheduler(ScheduleState& state, Record& record) : s_(state), t_(state.tables), record_(record) {}

  /// The state must have been reset for the choice.
  ScheduleFigures run(const ScheduleChoice& choice);

 private:
  static constexpr bool physical = Rules::physical;
  using Kind = ScheduleFailure::Kind;
  /// Stands for "fetch from whoever has it": the term follows from the sender.
  static constexpr EnergyTerm by_sender = static_cast<EnergyTerm>(-1);

  /// A tensor and where it is to go.
  struct Destination {
    int tensor = 0, core = 0, memory_operand = 0, memory = 0;
  };

  // list_scheduler_nodes.hpp
  void supply_constants();
  void prefetch();
  void place(int node, const ScheduleChoice& choice);
  void keep_needs(int node, const NodeCost& cost);
  double fetch_needs(int node, int core, const NodeCost& cost, double time);
  double take_over_partial_sum(const Destination& output, double time);
  double find_start(const Destination& output, bool exists, int core, const NodeCost& cost, double time,
                    bool back_filling);
  void produce(const Destination& output, double start, double end);
  void occupy_core(int core, double start, double end, bool back_filling);
  void count_uses(int node, int core, const NodeCost& cost, double end);
  void drop_unused(int tensor, double end);
  void write_result(int node, const Destination& output, double end);
  void release_successors(int node, double end, const ScheduleChoice& choice);
  void make_ready(int node, const ScheduleChoice& choice);

  // list_scheduler_streams.hpp
  double clear_for_streams(int core, const NodeCost& cost, double time);
  double supply_streams(int node, const NodeCost& cost, double time);
  void list_stream_requests(int core, const NodeCost& cost);
  double plan_streams(int core, const NodeCost& cost, double time);
  void occupy_streams(int node, int core, const NodeCost& cost);
  double reserve_streams(int node, int core, const NodeCost& cost, double time);

  // list_scheduler_transfers.hpp
  double fetch(const Destination& to, EnergyTerm purpose = by_sender);
  double transfer(const Destination& to, int source, double not_before, EnergyTerm purpose);
  int best_source(int tensor) const;
  double transfer_start(int tensor, const CoreRoute& route, double time, double duration);
  void occupy_route(int tensor, const CoreRoute& route, double start, double end);
  int ride_along(int tensor, int sender, int receiver, const CoreRoute& route, double time,
                 double own_end) const;
  double duration_beside(const CoreRoute& route, double bits, double time, double latest) const;
  TimeWindow transfer_window(const CoreRoute& route, double bits, double time);
  /// What links carry while so many bits take so long, rounded up so that sums are exact.
  static double link_rate(double bits, double duration) { return std::ceil(bits / duration * 1024) / 1024; }
  void pay(const Destination& to, int sender, int sender_memory, const CoreRoute& route, double start,
           double end, EnergyTerm purpose);

  // list_scheduler_space.hpp
  double earliest_fit(int memory, double bits, double time) const;
  double make_space(const Destination& to, double time);
  bool choose_victims(const Destination& to, double time);
  int add_copy(int tensor, int memory, double from, double available);
  void drop(int copy, double time);
  double remove(int tensor, int core, int memory_operand, double time, bool write_back, RemovalCause cause,
                EnergyTerm purpose);
  Destination only_reader(int copy, double time) const;
  double release(int copy, int memory_operand, double time, bool write_back, RemovalCause cause,
                 EnergyTerm purpose);
  bool counts_use(int memory) const {
    return s_.exact_offchip || t_.memories[memory].owner != t_.offchip_core;
  }
  bool is_offchip(int memory) const { return t_.memories[memory].owner == t_.offchip_core; }

  void fail(Kind kind, int tensor, int memory, double missing = 0) {
    s_.failure.kind = kind;
    s_.failure.tensor = tensor;
    s_.failure.memory = memory;
    s_.failure.missing = missing;
  }

  ScheduleState& s_;
  const ScheduleProblem::Tables& t_;
  Record& record_;
};

}  // namespace zz::core

#include "core/schedule/list_scheduler_nodes.hpp"
#include "core/schedule/list_scheduler_space.hpp"
#include "core/schedule/list_scheduler_streams.hpp"
#include "core/schedule/list_scheduler_transfers.hpp"
