#include "plugins/pictures/schedule_rows.hpp"

#include <algorithm>
#include <utility>

#include "core/multicore/explain/schedule_labels.hpp"
#include "core/multicore/schedule/schedule.hpp"

namespace zz::plugins {
namespace {

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

ScheduleRows schedule_rows(const core::Schedule& schedule) {
  ScheduleRows picture;
  std::vector<int> row_of_core(schedule.accelerator->cores.size(), -1);
  const std::vector<core::LinkActivity> activity = core::link_activity(schedule);
  std::vector<std::pair<int, int>> rows_of_links;  // row and link
  for (core::ScheduleResource& used : core::used_resources(schedule)) {
    const int row = static_cast<int>(picture.rows.size());
    if (used.link)
      rows_of_links.emplace_back(row, used.index);
    else
      row_of_core[used.index] = row;
    const double busy = used.link ? activity[used.index].active_cycles : 0;
    picture.rows.push_back({std::move(used.label), used.link, used.index, busy, 1});
  }
  for (std::size_t i = 0; i < schedule.nodes.size(); ++i) {
    const core::ScheduledNode& node = schedule.nodes[i];
    const int row = row_of_core[node.core];
    picture.rows[row].busy += node.end - node.start;
    picture.bars.push_back({ScheduleBar::Kind::node, static_cast<int>(i), row, 0, node.start, node.end});
  }
  for (const auto& [row, link] : rows_of_links) {
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
