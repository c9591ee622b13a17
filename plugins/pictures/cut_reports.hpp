#pragma once
#include <string>
#include <vector>

#include "core/multicore/schedule/schedule.hpp"

namespace zz::plugins {

/// The cut of a layer of a schedule, and the effect of larger or smaller pieces. All follows from the
/// schedule: it does not say what a search tried.
struct CutReport {
  int layer = 0;      ///< index into ComputationNodeGraph::layers
  std::string loops;  ///< "OY in 28 × K in 4"; "whole"
  int pieces = 1;
  std::vector<int> cores;  ///< that run them, ascending
  double piece = 0;        ///< cycles of one piece, the mean
  double work = 0;         ///< cycles of all pieces
  double lanes = 0;        ///< share of the array that a piece uses, 0..1; 0 when not known
  double room = 0;         ///< share of the fullest memory that the data of a piece take
  std::string memory;      ///< that memory
  /// Why its pieces are not larger: "pieces twice as large ... do not fit ...".
  std::string not_larger;
  /// Why they are not smaller: whole iterations, lanes, loading.
  std::string not_smaller;
};

/// The layers of a schedule in the order of its graph; the schedule must have accelerator, graph and all
/// its nodes. Without costs nothing is known of lanes, loading and streams.
std::vector<CutReport> cut_reports(const core::Schedule& schedule);

}  // namespace zz::plugins
