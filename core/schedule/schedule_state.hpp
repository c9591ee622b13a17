#pragma once
#include <array>
#include <vector>

#include "core/schedule/carried_tensors.hpp"
#include "core/schedule/common_windows.hpp"
#include "core/schedule/memory_usage.hpp"
#include "core/schedule/occupancy.hpp"
#include "core/schedule/ready_nodes.hpp"
#include "core/schedule/remaining_uses.hpp"
#include "core/schedule/schedule_failure.hpp"
#include "core/schedule/schedule_tables.hpp"
#include "core/schedule/scheduler.hpp"
#include "core/schedule/tensor_copies.hpp"
#include "core/schedule/tensor_journeys.hpp"

namespace zz::core {

/// A time in which streams of a node have the same rates.
struct StreamPiece {
  double start = 0, end = 0;
  double read_rate = 0, write_rate = 0;  ///< bits per cycle
};

/// Everything that changes while a schedule is made. Kept between schedules, so that making one allocates
/// nothing once the tables have grown.
struct ScheduleState {
  explicit ScheduleState(const ScheduleProblem::Tables& tables);

  /// Starts over. `exact_offchip`: see below.
  void reset(const ScheduleChoice& choice, bool exact_offchip);

  const ScheduleProblem::Tables& tables;

  std::vector<int> group_core;
  std::vector<double> node_end;          ///< by node; negative: not placed
  std::vector<double> predecessors_end;  ///< by node, of those placed
  std::vector<double> core_idle;         ///< end of the last node of each core
  std::vector<Occupancy> core_busy;      ///< kept with back-filling only
  std::vector<MemoryUsage> usage;        ///< by memory
  std::vector<Occupancy> links;
  TensorCopies copies;
  RemainingUses uses;
  CarriedTensors carried;   ///< by the rules of Stream
  TensorJourneys journeys;  ///< by the physical rules
  SharedWindows shared_windows;
  std::array<double, energy_term_count> energy{};
  double latest_transfer = 0;
  int placed = 0;  ///< nodes so far

  /// The off-chip memory cannot be relieved, so its use over time matters only when the sum of all that
  /// ever came in exceeds its size: only then (or for a record) it is counted exactly.
  bool exact_offchip = false;
  double offchip_sum = 0;

  std::vector<unsigned> kept;  ///< by tensor: equal to `keeping` when it must not be evicted now
  unsigned keeping = 0;

  std::vector<int> ranks;     ///< when a choice has ranks of its own
  std::vector<int> sequence;  ///< ... and their sequence
  std::vector<int> waiting;   ///< by node: predecessors that are not placed
  ReadyNodes ready;
  std::vector<double> path_left;  ///< by node: see DispatchRule::critical_path

  struct Victim {
    int copy = -1, tensor = 0;
    double importance = 0, bits = 0;
    int place = 0;
  };
  std::vector<Victim> victims, leaving;     ///< scratch
  std::vector<int> snapshot;                ///< scratch
  std::vector<int> holders;                 ///< scratch
  std::vector<LinkRequest> requests;        ///< scratch, of a transfer
  std::vector<LinkRequest> block_requests;  ///< of the node that is placed
  std::vector<int> block_tensors;           ///< scratch
  std::vector<StreamPiece> pieces;          ///< of the node that is placed, by the physical rules
  double stream_end = 0;                    ///< ... and its end
  std::vector<std::uint8_t> own;  ///< per link of the latest transfer: it occupies the link itself

  ScheduleFailure failure;
  bool failed() const { return failure.kind != ScheduleFailure::Kind::none; }
};

}  // namespace zz::core
