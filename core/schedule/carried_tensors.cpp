#include "core/schedule/carried_tensors.hpp"

#include <algorithm>

namespace zz::core {

void CarriedTensors::reset(int tensors) {
  first_way_.assign(tensors, -1);
  ways_.clear();
  runs_.clear();
}

const CarriedTensors::Way* CarriedTensors::find(int tensor, int link) const {
  for (int way = first_way_[tensor]; way >= 0; way = ways_[way].next) {
    if (ways_[way].link == link) return &ways_[way];
  }
  return nullptr;
}

bool CarriedTensors::starts_at(int tensor, int link, double start) const {
  const Way* way = find(tensor, link);
  if (!way) return false;
  for (int run = way->latest; run >= 0 && runs_[run].latest_start >= start; run = runs_[run].earlier) {
    if (runs_[run].time.start == start) return true;
  }
  return false;
}

void CarriedTensors::note(int tensor, int link, double start, double end) {
  Way* way = const_cast<Way*>(find(tensor, link));
  if (!way) {
    ways_.push_back({link, -1, first_way_[tensor]});
    first_way_[tensor] = static_cast<int>(ways_.size()) - 1;
    way = &ways_.back();
  }
  const double latest = way->latest < 0 ? start : std::max(start, runs_[way->latest].latest_start);
  runs_.push_back({{start, end}, latest, way->latest});
  way->latest = static_cast<int>(runs_.size()) - 1;
}

void CarriedTensors::collect(int tensor, int link, double time, double duration,
                             std::vector<TimeWindow>& times) const {
  const Way* way = find(tensor, link);
  if (!way) return;
  const std::size_t begin = times.size();
  for (int run = way->latest; run >= 0 && runs_[run].latest_start >= time; run = runs_[run].earlier) {
    const TimeWindow& window = runs_[run].time;
    if (window.start >= time && window.end - window.start >= duration) times.push_back(window);
  }
  std::reverse(times.begin() + begin, times.end());
}

}  // namespace zz::core
