#include "core/multicore/schedule/detail/stream_rules.hpp"

#include <algorithm>
#include <limits>

namespace zz::core {

void LinkHistory::reset(int tensors) {
  first_use_.assign(tensors, -1);
  uses_.clear();
  periods_.clear();
}

const LinkHistory::Use* LinkHistory::find(int tensor, int link) const {
  for (int use = first_use_[tensor]; use >= 0; use = uses_[use].next_of_tensor) {
    if (uses_[use].link == link) return &uses_[use];
  }
  return nullptr;
}

bool LinkHistory::starts_at(int tensor, int link, double start) const {
  const Use* use = find(tensor, link);
  if (!use) return false;
  for (int period = use->latest; period >= 0 && periods_[period].latest_start >= start;
       period = periods_[period].earlier) {
    if (periods_[period].time.start == start) return true;
  }
  return false;
}

void LinkHistory::note(int tensor, int link, double start, double end) {
  Use* use = const_cast<Use*>(find(tensor, link));
  if (!use) {
    uses_.push_back({link, -1, first_use_[tensor]});
    first_use_[tensor] = static_cast<int>(uses_.size()) - 1;
    use = &uses_.back();
  }
  const double latest = use->latest < 0 ? start : std::max(start, periods_[use->latest].latest_start);
  periods_.push_back({{start, end}, latest, use->latest});
  use->latest = static_cast<int>(periods_.size()) - 1;
}

void LinkHistory::collect(int tensor, int link, double time, double duration,
                          std::vector<TimeWindow>& times) const {
  const Use* use = find(tensor, link);
  if (!use) return;
  const std::size_t begin = times.size();
  for (int period = use->latest; period >= 0 && periods_[period].latest_start >= time;
       period = periods_[period].earlier) {
    const TimeWindow& window = periods_[period].time;
    if (window.start >= time && window.end - window.start >= duration) times.push_back(window);
  }
  std::reverse(times.begin() + begin, times.end());
}

double StreamWindows::first_common(const std::vector<Occupancy>& links, const LinkHistory& carried,
                                   std::span<const LinkRequest> requests, std::span<const int> tensors,
                                   double time, double duration) {
  if (sources_.size() < requests.size()) {
    sources_.resize(requests.size());
    intersections_.resize(requests.size());
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
    intersections_[i] = {};
  }
  if (!shared) return first_common_gap(links, requests, time, duration);
  duration_ = duration;
  TimeWindow window;
  next_common(requests.size() - 1, window);
  return window.start;
}

bool StreamWindows::next_of_link(std::size_t link, TimeWindow& window) {
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

bool StreamWindows::next_overlap(std::size_t link, TimeWindow& window) {
  Intersection& intersection = intersections_[link];
  for (;;) {
    if (!intersection.has_left && !(intersection.has_left = next_common(link - 1, intersection.left)))
      return false;
    if (!intersection.has_right && !(intersection.has_right = next_of_link(link, intersection.right)))
      return false;
    const TimeWindow left = intersection.left, right = intersection.right;
    // The window that ends first can meet no other.
    (left.end < right.end ? intersection.has_left : intersection.has_right) = false;
    if (left.end >= right.start && right.end >= left.start) {
      window = {std::max(left.start, right.start), std::min(left.end, right.end)};
      return true;
    }
  }
}

bool StreamWindows::next_common(std::size_t link, TimeWindow& window) {
  if (link == 0) return next_of_link(0, window);
  Intersection& intersection = intersections_[link];
  for (;;) {
    TimeWindow overlap;
    const bool more = next_overlap(link, overlap);
    if (!more && !intersection.has_pending) return false;
    if (more && !intersection.has_pending) {
      intersection.pending = overlap;
      intersection.has_pending = true;
      continue;
    }
    window = intersection.pending;
    // Stream joins two windows that touch, but not a third one.
    intersection.has_pending = more && window.end != overlap.start;
    if (more && !intersection.has_pending) window.end = overlap.end;
    if (intersection.has_pending) intersection.pending = overlap;
    if (window.end - window.start >= duration_) return true;
  }
}

}  // namespace zz::core
