#pragma once
#include <cstdint>
#include <vector>

#include "core/multicore/schedule/schedule.hpp"

namespace zz::core {

/// A segment of a batch: layers through which all samples go before the first one goes on.
struct SegmentFigures {
  std::vector<std::int64_t> layers;  ///< ids, ascending
  std::vector<int> cores;            ///< that its nodes run on, ascending
  int stages = 0;                    ///< runs of layers on the same cores
  std::int64_t constants = 0;        ///< bits that its samples share
  /// ... of these what left the off-chip memory once: it stays on its cores while all samples pass.
  std::int64_t constants_kept = 0;
  std::int64_t waits = 0;  ///< bits that its layers hand on to those of later segments, for all samples
};

/// The segments of a schedule in their order (ScheduleChoice::segments): one where it says none. Empty for
/// a network of one sample.
std::vector<SegmentFigures> segment_figures(const Schedule& schedule);

}  // namespace zz::core
