#include "plugins/pictures/schedule_rows.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/multicore/schedule/schedule.hpp"
#include "plugins/pictures/labels.hpp"

namespace zz::plugins {
namespace {

std::string end_label(const core::MultiCoreAccelerator& accelerator, int core) {
  return core < 0 ? "any" : core_label(accelerator, core);
}

std::string link_label(const core::MultiCoreAccelerator& accelerator, const core::Link& link) {
  if (link.sender < 0 && link.receiver < 0) return "bus";
  return fmt::format("{} {} {}", end_label(accelerator, link.sender), link.bidirectional ? "↔" : "→",
                     end_label(accelerator, link.receiver));
}

/// Each bar into the first lane of its row that is free.
void share_lanes(ScheduleRows& picture) {
  std::vector<std::vector<double>> free_from(picture.rows.size());
  for (ScheduleBar& bar : picture.bars) {
    std::vector<double>& lanes = free_from[bar.row];
    const auto lane =
        std::find_if(lanes.begin(), lanes.end(), [&](double end) { return end <= bar.start; });
    bar.lane = static_cast<int>(lane - lanes.begin());
    if (lane == lanes.end())
      lanes.push_back(bar.end);
    else
      *lane = bar.end;
    picture.rows[bar.row].lanes = static_cast<int>(lanes.size());
  }
}

}  // namespace

std::vector<std::string> link_labels(const core::MultiCoreAccelerator& accelerator) {
  std::vector<std::string> labels;
  std::map<std::string, int> frequency;
  for (const core::Link& link : accelerator.links) {
    labels.push_back(link_label(accelerator, link));
    ++frequency[labels.back()];
  }
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (frequency[labels[i]] > 1) labels[i] += fmt::format(" (link {})", i);
  return labels;
}

ScheduleRows schedule_rows(const core::Schedule& schedule) {
  const core::MultiCoreAccelerator& accelerator = *schedule.accelerator;
  ScheduleRows picture;
  const auto runs_nodes = [&](int core) {
    return std::any_of(schedule.nodes.begin(), schedule.nodes.end(),
                       [&](const core::ScheduledNode& node) { return node.core == core; });
  };
  std::vector<int> row_of_core(accelerator.cores.size(), -1);
  for (int core = 0; core < accelerator.core_count(); ++core) {
    if (accelerator.offchip_core == core && !runs_nodes(core)) continue;
    row_of_core[core] = static_cast<int>(picture.rows.size());
    picture.rows.push_back({core_label(accelerator, core), false, core, 0, 1});
  }
  for (std::size_t i = 0; i < schedule.nodes.size(); ++i) {
    const core::ScheduledNode& node = schedule.nodes[i];
    const int row = row_of_core[node.core];
    picture.rows[row].busy += node.end - node.start;
    picture.bars.push_back({ScheduleBar::Kind::node, static_cast<int>(i), row, 0, node.start, node.end});
  }
  const std::vector<core::LinkActivity> activity = core::link_activity(schedule);
  const std::vector<std::string> labels = link_labels(accelerator);
  for (std::size_t link = 0; link < activity.size(); ++link) {
    if (activity[link].transfers.empty() && activity[link].blocks.empty()) continue;
    const int row = static_cast<int>(picture.rows.size());
    picture.rows.push_back({labels[link], true, static_cast<int>(link), activity[link].active_cycles, 1});
    for (const int i : activity[link].transfers)
      picture.bars.push_back(
          {ScheduleBar::Kind::transfer, i, row, 0, schedule.transfers[i].start, schedule.transfers[i].end});
    for (const int i : activity[link].blocks)
      picture.bars.push_back(
          {ScheduleBar::Kind::block, i, row, 0, schedule.blocks[i].start, schedule.blocks[i].end});
  }
  std::stable_sort(picture.bars.begin(), picture.bars.end(),
                   [](const ScheduleBar& a, const ScheduleBar& b) { return a.start < b.start; });
  share_lanes(picture);
  return picture;
}

}  // namespace zz::plugins
