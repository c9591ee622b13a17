#pragma once
#include <vector>

#include "core/schedule/occupancy.hpp"

namespace zz::core {

/// When each link carried which tensor: whoever needs the same tensor later may ride along.
class CarriedTensors {
 public:
  void reset(int tensors);

  /// True when the link carries the tensor already from the same time on.
  bool starts_at(int tensor, int link, double start) const;
  void note(int tensor, int link, double start, double end);
  /// Appends the times, not before `time` and of at least `duration` cycles, in the order in which they
  /// were noted.
  void collect(int tensor, int link, double time, double duration, std::vector<TimeWindow>& times) const;

 private:
  struct Way {  ///< of a tensor over a link
    int link = 0;
    int latest = -1;  ///< index into runs_
    int next = -1;    ///< way of the same tensor
  };
  struct Run {
    TimeWindow time;
    double latest_start = 0;  ///< of this run and all earlier ones: where a search may stop
    int earlier = -1;
  };
  const Way* find(int tensor, int link) const;

  std::vector<int> first_way_;  ///< by tensor
  std::vector<Way> ways_;
  std::vector<Run> runs_;
};

}  // namespace zz::core
