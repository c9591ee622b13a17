#include "core/multicore/schedule/detail/ready_list.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace zz::core {

void ReadyList::reset(DispatchRule rule, int cores, const std::vector<int>& rank_of) {
  rule_ = rule;
  rank_of_ = &rank_of;
  count_ = 0;
  startable_.resize(cores);
  later_.resize(cores);
  for (auto& heap : startable_) heap.clear();
  for (auto& heap : later_) heap.clear();
}

void ReadyList::push(std::vector<Entry>& heap, const Entry& entry) {
  heap.push_back(entry);
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

ReadyList::Entry ReadyList::pop(std::vector<Entry>& heap) {
  std::pop_heap(heap.begin(), heap.end(), std::greater<>());
  const Entry entry = heap.back();
  heap.pop_back();
  return entry;
}

void ReadyList::add(int node, int core, double end, double priority) {
  ++count_;
  const int rank = (*rank_of_)[node];
  if (rule_ == DispatchRule::critical_path) {
    push(later_[0], {priority, rank, node});
  } else {
    push(later_[core], {end, rank, node});
  }
}

int ReadyList::take(const std::vector<double>& core_idle) {
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

void SampleWindow::reset(const ComputationNodeGraph& graph, const ScheduleChoice& choice) {
  graph_ = &graph;
  first_ = open_ = count_ = 0;
  const int wanted =
      choice.samples_at_once > 0 ? std::min(choice.samples_at_once, graph.samples) : graph.samples;
  limits_ = graph.samples > 1 && (wanted < graph.samples || !choice.segments.empty());
  if (!limits_) return;
  segments_.assign(choice.segments.size() + 1, {});
  segment_of_.clear();
  for (int layer = 0; layer < static_cast<int>(graph.layers.size()); ++layer) {
    const auto segment = std::upper_bound(choice.segments.begin(), choice.segments.end(), layer);
    segment_of_.push_back(static_cast<int>(segment - choice.segments.begin()));
    int& block = segments_[segment_of_.back()].block;
    block = std::lcm(block, graph.layers[layer].samples);
  }
  int begin = 0;
  for (Segment& segment : segments_) {
    segment.first_block = count_;
    const int at_once = (wanted + segment.block - 1) / segment.block * segment.block;
    for (int sample = 0; sample < graph.samples; sample += segment.block) {
      if (count_ == blocks_.size()) blocks_.emplace_back();
      Block& block = blocks_[count_++];
      block.begin = begin + sample;
      block.opens_at = block.begin + segment.block - at_once;
      block.left = 0;
      block.kept.clear();
    }
    begin += graph.samples;
  }
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const Segment& segment = segments_[segment_of_[layer]];
    const int blocks = graph.samples / segment.block;
    for (int i = 0; i < blocks; ++i)
      blocks_[segment.first_block + i].left += graph.layers[layer].node_count / blocks;
  }
  while (open_ < count_ && blocks_[open_].opens_at <= 0) ++open_;
}

bool SampleWindow::admits(int node) {
  if (!limits_) return true;
  const std::size_t block = block_of(node);
  if (block < open_) return true;
  blocks_[block].kept.push_back(node);
  return false;
}

void order_by_rank(const ScheduleProblem::Tables& tables, const std::vector<int>& rank_of,
                   SampleWindow& window, std::vector<int>& waiting, std::vector<int>& sequence) {
  const auto later = [&](int a, int b) { return rank_of[a] > rank_of[b]; };
  waiting = tables.predecessor_count;
  sequence.clear();
  sequence.reserve(rank_of.size());
  std::vector<int> ready;
  for (std::size_t node = 0; node < rank_of.size(); ++node) {
    if (waiting[node] == 0 && window.admits(static_cast<int>(node)))
      ready.push_back(static_cast<int>(node));
  }
  const auto add = [&](int node) {
    ready.push_back(node);
    std::push_heap(ready.begin(), ready.end(), later);
  };
  std::make_heap(ready.begin(), ready.end(), later);
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    const int first = ready.back();
    ready.pop_back();
    tables.for_lockstep(first, [&](int node) {
      sequence.push_back(node);
      for (const int successor : tables.successors[node]) {
        const int waits = tables.first_in_lockstep(successor);
        if (--waiting[waits] == 0 && window.admits(waits)) add(waits);
      }
      window.placed(node, add);
    });
  }
}

}  // namespace zz::core
