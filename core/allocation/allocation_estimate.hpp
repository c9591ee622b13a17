#pragma once
#include <memory>
#include <vector>

#include "core/allocation/coarse_link.hpp"
#include "core/schedule/remaining_uses.hpp"
#include "core/schedule/schedule_tables.hpp"
#include "core/schedule/scheduler.hpp"
#include "core/schedule/tensor_copies.hpp"

namespace zz::core {

/// What the schedule of an allocation would come to, for a fraction of the work. The nodes are taken in the
/// order of the problem, and everything goes where the scheduler would send it, but
/// - a link is shared in slices of time (CoarseLink) instead of to the cycle;
/// - of a memory only its contents are known, not their past: what comes into a full one waits for the
///   latest thing that happened in it.
///
/// What is moved depends on times only where a time decides between two senders, so energies nearly agree
/// with those of schedules; latencies rank allocations (docs/scheduling.md has both correlations). Whether
/// an allocation fits is not looked at. For one thread, which may keep it; several may share a problem.
class AllocationEstimate {
 public:
  explicit AllocationEstimate(std::shared_ptr<const ScheduleProblem> problem);

  /// Figures of the allocation, `feasible` always; a core for each gene.
  ScheduleFigures estimate(const std::vector<int>& cores);

 private:
  struct MemoryState {
    double used = 0;        ///< bits
    double changed = 0;     ///< cycle of the latest arrival or departure
    double full_until = 0;  ///< cycle of the latest departure that made room
  };
  struct Sending {
    int sender = -1;
    double end = 0;
  };

  void reset(const std::vector<int>& cores);
  void place(int node);
  void clear_for_streams(int core, const NodeCost& cost);
  double fetch(int tensor, int core, int memory_operand);
  double stream(int core, const NodeCost& cost, double time);
  void produce(int tensor, int core, int memory, double end);
  void count_uses(int node, const NodeCost& cost);
  void make_space(int memory, double bits);
  void evict(int copy);
  double send(int tensor, int from_memory, double time, int to_core, int to_memory);
  void add(int tensor, int memory, double available);
  void drop(int copy);
  bool is_offchip(int memory) const { return t_.memories[memory].owner == t_.offchip_core; }
  bool counts(const NeededTensor& need, const NodeCost& cost) const;

  std::shared_ptr<const ScheduleProblem> problem_;
  const ScheduleProblem::Tables& t_;
  double slice_ = 1;  ///< cycles

  std::vector<int> group_core_;
  RemainingUses uses_;
  TensorCopies copies_;
  std::vector<MemoryState> memories_;
  std::vector<CoarseLink> links_;
  std::vector<double> ready_;     ///< by node: end of its predecessors
  std::vector<double> idle_;      ///< by core
  std::vector<Sending> sending_;  ///< by tensor, the latest
  std::vector<int> kept_;         ///< by tensor: the last node that must not lose it
  int node_ = -1;                 ///< that is placed
  double now_ = 0;                ///< how far its core has come
  double energy_ = 0, end_ = 0;

  struct Victim {
    double importance = 0, bits = 0;
    int copy = -1;
  };
  std::vector<Victim> victims_;  ///< scratch
};

}  // namespace zz::core
