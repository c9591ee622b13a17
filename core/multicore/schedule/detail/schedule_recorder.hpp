#pragma once
#include "core/multicore/schedule/detail/schedule_state.hpp"

namespace zz::core {

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
