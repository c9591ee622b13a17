#pragma once
#include <span>
#include <vector>

#include "core/schedule/carried_tensors.hpp"
#include "core/schedule/occupancy.hpp"

namespace zz::core {

/// What is asked of a link.
struct LinkRequest {
  int link = 0;
  double demand = 0;  ///< bits per cycle, no more than its bandwidth
};

/// The earliest cycle from `time` on at which all links have room for `duration` cycles.
double first_common_gap(const std::vector<Occupancy>& links, std::span<const LinkRequest> requests,
                        double time, double duration);

/// The same by the rules of Stream 0.0.8: times at which a link carried one of the tensors come before its
/// gaps, as if those who share it needed no room of their own.
class SharedWindows {
 public:
  double first_common(const std::vector<Occupancy>& links, const CarriedTensors& carried,
                      std::span<const LinkRequest> requests, std::span<const int> tensors, double time,
                      double duration);

 private:
  /// Windows of one link: shared ones, then gaps by time.
  struct Source {
    const Occupancy* link = nullptr;
    double demand = 0, gap_from = 0;
    std::vector<TimeWindow> shared;
    std::size_t taken = 0;
    bool ended = false;
  };
  /// Windows that the links up to this one have in common.
  struct Meeting {
    TimeWindow left, right, pending;
    bool has_left = false, has_right = false, has_pending = false;
  };
  bool next_of_link(std::size_t link, TimeWindow& window);
  bool next_common(std::size_t link, TimeWindow& window);
  bool next_overlap(std::size_t link, TimeWindow& window);

  double duration_ = 0;
  std::vector<Source> sources_;
  std::vector<Meeting> meetings_;
};

}  // namespace zz::core
