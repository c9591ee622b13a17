#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "core/multicore/schedule/detail/occupancy.hpp"

namespace zz::core {

// Links as Stream 0.0.8 uses them, for Rules::repeated_transfers_free: what a link carries once it carries
// to everybody at the same time.

/// Stream: the times at which each link carried each tensor. At such a time it carries the tensor again for
/// nothing, to whatever core.
class LinkHistory {
 public:
  void reset(int tensors);

  /// True when the link carried the tensor from exactly that time on.
  bool starts_at(int tensor, int link, double start) const;
  void note(int tensor, int link, double start, double end);
  /// Appends the times, in the order in which they were noted, that do not start before `time` and last
  /// `duration` cycles or more.
  void collect(int tensor, int link, double time, double duration, std::vector<TimeWindow>& times) const;

 private:
  struct Use {  ///< of one link by one tensor
    int link = 0;
    int latest = -1;          ///< index into periods_
    int next_of_tensor = -1;  ///< index into uses_
  };
  struct Period {
    TimeWindow time;
    double latest_start = 0;  ///< of this period and all earlier ones: where a search may stop
    int earlier = -1;
  };
  const Use* find(int tensor, int link) const;

  std::vector<int> first_use_;  ///< by tensor
  std::vector<Use> uses_;
  std::vector<Period> periods_;
};

/// The earliest common gap of links (first_common_gap) by the rules of Stream 0.0.8, which intersects one
/// list of windows for each link. The times at
/// which a link carried one of the tensors before come ahead of its gaps in the list.
class StreamWindows {
 public:
  double first_common(const std::vector<Occupancy>& links, const LinkHistory& carried,
                      std::span<const LinkRequest> requests, std::span<const int> tensors, double time,
                      double duration);

 private:
  /// The windows of one link.
  struct Source {
    const Occupancy* link = nullptr;
    double demand = 0, gap_from = 0;
    std::vector<TimeWindow> shared;
    std::size_t taken = 0;
    bool ended = false;
  };
  /// State of the intersection of one link with those before it.
  struct Intersection {
    TimeWindow left, right, pending;
    bool has_left = false, has_right = false, has_pending = false;
  };
  bool next_of_link(std::size_t link, TimeWindow& window);
  bool next_common(std::size_t link, TimeWindow& window);
  bool next_overlap(std::size_t link, TimeWindow& window);

  double duration_ = 0;
  std::vector<Source> sources_;
  std::vector<Intersection> intersections_;
};

}  // namespace zz::core
