#include "core/schedule/common_windows.hpp"

#include <algorithm>
#include <limits>

namespace zz::core {

double first_common_gap(const std::vector<Occupancy>& links, std::span<const LinkRequest> requests,
                        double time, double duration) {
  for (bool moved = true; moved;) {
    moved = false;
    for (const LinkRequest& request : requests) {
      const double start = links[request.link].first_gap(time, duration, request.demand).start;
      if (start > time) {
        time = start;
        moved = requests.size() > 1;
      }
    }
  }
  return time;
}

double SharedWindows::first_common(const std::vector<Occupancy>& links, const CarriedTensors& carried,
                                   std::span<const LinkRequest> requests, std::span<const int> tensors,
                                   double time, double duration) {
  if (sources_.size() < requests.size()) {
    sources_.resize(requests.size());
    meetings_.resize(requests.size());
  }
  bool shared = false;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Source& source = sources_[i];
    source.shared.clear();
    for (const int tensor : tensors) {
      carried.collect(tensor, requests[i].link, time, duration, source.shared);
    }
    shared = shared || !source.shared.empty();
    source.link = &links[requests[i].link];
    source.demand = requests[i].demand;
    source.gap_from = time;
    source.taken = 0;
    source.ended = false;
    meetings_[i] = {};
  }
  if (!shared) return first_common_gap(links, requests, time, duration);
  duration_ = duration;
  TimeWindow window;
  next_common(requests.size() - 1, window);
  return window.start;
}

bool SharedWindows::next_of_link(std::size_t link, TimeWindow& window) {
  Source& source = sources_[link];
  if (source.taken < source.shared.size()) {
    window = source.shared[source.taken++];
    return true;
  }
  if (source.ended) return false;
  window = source.link->first_gap(source.gap_from, duration_, source.demand);
  source.gap_from = window.end;
  source.ended = window.end == std::numeric_limits<double>::infinity();
  return true;
}

bool SharedWindows::next_overlap(std::size_t link, TimeWindow& window) {
  Meeting& meeting = meetings_[link];
  for (;;) {
    if (!meeting.has_left && !(meeting.has_left = next_common(link - 1, meeting.left))) return false;
    if (!meeting.has_right && !(meeting.has_right = next_of_link(link, meeting.right))) return false;
    const TimeWindow left = meeting.left, right = meeting.right;
    // The one that ends first is done with.
    (left.end < right.end ? meeting.has_left : meeting.has_right) = false;
    if (left.end >= right.start && right.end >= left.start) {
      window = {std::max(left.start, right.start), std::min(left.end, right.end)};
      return true;
    }
  }
}

bool SharedWindows::next_common(std::size_t link, TimeWindow& window) {
  if (link == 0) return next_of_link(0, window);
  Meeting& meeting = meetings_[link];
  for (;;) {
    TimeWindow overlap;
    const bool more = next_overlap(link, overlap);
    if (!more && !meeting.has_pending) return false;
    if (more && !meeting.has_pending) {
      meeting.pending = overlap;
      meeting.has_pending = true;
      continue;
    }
    window = meeting.pending;
    // Two that touch are one, but a third one that touches them is not.
    meeting.has_pending = more && window.end != overlap.start;
    if (more && !meeting.has_pending) window.end = overlap.end;
    if (meeting.has_pending) meeting.pending = overlap;
    if (window.end - window.start >= duration_) return true;
  }
}

}  // namespace zz::core
