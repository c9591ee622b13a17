#include "core/schedule/link_activity.hpp"

#include <algorithm>
#include <utility>

namespace zz::core {
namespace {

/// Length of the union of intervals.
double covered(std::vector<std::pair<double, double>>& intervals) {
  std::sort(intervals.begin(), intervals.end());
  double length = 0, end = 0;
  for (const auto& [from, to] : intervals) {
    length += std::max(0.0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return length;
}

void add_once(std::vector<int>& list, int value) {
  if (list.empty() || list.back() != value) list.push_back(value);
}

}  // namespace

std::vector<LinkActivity> link_activity(const Schedule& schedule) {
  const MultiCoreAccelerator& accelerator = *schedule.accelerator;
  std::vector<LinkActivity> activity(accelerator.links.size());
  for (std::size_t i = 0; i < schedule.transfers.size(); ++i) {
    const Transfer& transfer = schedule.transfers[i];
    for (std::size_t hop = 0; hop < transfer.links.size(); ++hop)
      if (transfer.own[hop] != 0) add_once(activity[transfer.links[hop]].transfers, static_cast<int>(i));
  }
  for (std::size_t i = 0; accelerator.offchip_core && i < schedule.blocks.size(); ++i) {
    const StreamBlock& block = schedule.blocks[i];
    const auto reserve = [&](int from, int to) {
      for (const int link : accelerator.route(from, to))
        add_once(activity[link].blocks, static_cast<int>(i));
    };
    const bool output = std::find(block.operands.begin(), block.operands.end(), 0) != block.operands.end();
    if (output) reserve(block.core, *accelerator.offchip_core);
    if (block.operands.size() > (output ? 1U : 0U)) reserve(*accelerator.offchip_core, block.core);
  }
  std::vector<std::pair<double, double>> intervals;
  for (LinkActivity& link : activity) {
    intervals.clear();
    for (const int i : link.transfers)
      intervals.emplace_back(schedule.transfers[i].start, schedule.transfers[i].end);
    for (const int i : link.blocks)
      intervals.emplace_back(schedule.blocks[i].start, schedule.blocks[i].end);
    link.active_cycles = covered(intervals);
  }
  return activity;
}

}  // namespace zz::core
