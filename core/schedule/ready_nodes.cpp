#include "core/schedule/ready_nodes.hpp"

#include <algorithm>
#include <functional>

namespace zz::core {

void ReadyNodes::reset(DispatchRule rule, int cores, const std::vector<int>& rank_of) {
  rule_ = rule;
  rank_of_ = &rank_of;
  count_ = 0;
  startable_.resize(cores);
  later_.resize(cores);
  for (auto& heap : startable_) heap.clear();
  for (auto& heap : later_) heap.clear();
}

void ReadyNodes::push(std::vector<Entry>& heap, const Entry& entry) {
  heap.push_back(entry);
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

ReadyNodes::Entry ReadyNodes::pop(std::vector<Entry>& heap) {
  std::pop_heap(heap.begin(), heap.end(), std::greater<>());
  const Entry entry = heap.back();
  heap.pop_back();
  return entry;
}

void ReadyNodes::add(int node, int core, double end, double priority) {
  ++count_;
  const int rank = (*rank_of_)[node];
  if (rule_ == DispatchRule::critical_path) {
    push(later_[0], {priority, rank, node});
  } else {
    push(later_[core], {end, rank, node});
  }
}

int ReadyNodes::take(const std::vector<double>& core_idle) {
  --count_;
  if (rule_ == DispatchRule::critical_path) return pop(later_[0]).node;
  int best = -1;
  Entry first;
  for (std::size_t core = 0; core < later_.size(); ++core) {
    std::vector<Entry>& later = later_[core];
    std::vector<Entry>& startable = startable_[core];
    while (!later.empty() && later.front().key <= core_idle[core]) {
      Entry entry = pop(later);
      entry.key = 0;
      push(startable, entry);
    }
    if (startable.empty() && later.empty()) continue;
    Entry entry = startable.empty() ? later.front() : startable.front();
    if (!startable.empty()) entry.key = core_idle[core];
    if (best >= 0 && !(first > entry)) continue;
    best = static_cast<int>(core);
    first = entry;
  }
  pop(startable_[best].empty() ? later_[best] : startable_[best]);
  return first.node;
}

}  // namespace zz::core
