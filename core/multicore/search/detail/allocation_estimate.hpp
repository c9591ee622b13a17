#pragma once
#include <memory>
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/multicore/schedule/tensor_copies.hpp"

namespace zz::core {

/// Capacity left of a link, counted in equal slices of time: it is known in which slice something is sent,
/// not when within it. Finding room takes one step for each slice that is not full.
class CoarseLink {
 public:
  /// Nothing is sent yet. `slice` in cycles, `bandwidth` in bits per cycle; both positive.
  void reset(double slice, double bandwidth);

  /// Sends so many bits from `time` on, at `rate` at most, in the slices that have room. Returns when the
  /// last bit has arrived. Takes no time when the bandwidth is infinite.
  double send(double time, double bits, double rate);

 private:
  /// The first slice from `slice` on that is not full.
  std::size_t open(std::size_t slice);

  double slice_ = 1, bandwidth_ = 1;
  std::vector<double> left_;  ///< bits by slice
  std::vector<std::size_t>
      after_;  ///< by slice: itself, or, when it is full, one at or before the next open
};

/// Estimates latency and energy of an allocation in a fraction of the time of a schedule. Takes the nodes
/// in the order of the problem and sends everything where the scheduler would, but
/// - links are shared in slices of time (CoarseLink) instead of cycle by cycle;
/// - only the present contents of a memory are known: a tensor that comes into a full memory waits for the
///   latest change of that memory.
///
/// Energies nearly agree with those of schedules, latencies rank allocations. Does not check whether an
/// allocation fits. For one thread; several estimates may share a problem.
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
  void schedule_node(int node);
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
  bool is_offchip(int memory) const { return tables_.memories[memory].owner == tables_.offchip_core; }
  bool counts(const NeededTensor& need, const NodeCost& cost) const;

  std::shared_ptr<const ScheduleProblem> problem_;
  const ScheduleProblem::Tables& tables_;
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
  int node_ = -1;                 ///< at hand
  double now_ = 0;                ///< time that its core has come to
  double energy_ = 0, end_ = 0;

  struct Victim {
    double importance = 0, bits = 0;
    int copy = -1;
  };
  std::vector<Victim> victims_;  ///< scratch
};

}  // namespace zz::core
