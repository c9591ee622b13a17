#include "host/report/fused_words.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/cost/evaluation.hpp"
#include "host/report/search_words.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {

std::vector<FusedGroupRow> fused_groups_of(const std::vector<ResultRow>& layers) {
  std::vector<FusedGroupRow> groups;
  for (const ResultRow& row : layers) {
    const core::Evaluation* const evaluation = row.evaluation();
    if (evaluation == nullptr || !evaluation->fused) continue;
    const double energy = row.metric("unfused_energy"), latency = row.metric("unfused_latency");
    if (std::isnan(energy) || std::isnan(latency)) continue;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const FusedGroupRow& group) {
      return group.group == evaluation->fused->group;
    });
    FusedGroupRow& group = same == groups.end() ? groups.emplace_back() : *same;
    group.group = evaluation->fused->group;
    if (group.layers++ == 0) group.first = row.layer;
    group.last = row.layer;
    group.fused.energy += row.energy;
    group.fused.latency += row.latency;
    group.unfused.energy += energy;
    group.unfused.latency += latency;
  }
  return groups;
}

namespace {

std::string saved_share(double before, double after) {
  return before > 0 ? fmt::format("{:+.3g} %", 100 * (after / before - 1)) : "-";
}

struct GroupsAlike {
  FusedGroupRow group;
  int times = 1;
};

std::vector<GroupsAlike> alike(std::vector<FusedGroupRow> groups) {
  std::vector<GroupsAlike> rows;
  for (FusedGroupRow& group : groups) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const GroupsAlike& row) {
      return row.group.layers == group.layers && row.group.fused == group.fused &&
             row.group.unfused == group.unfused;
    });
    if (same == rows.end())
      rows.push_back({std::move(group)});
    else
      ++same->times;
  }
  const auto saved = [](const GroupsAlike& row) {
    return row.times * (row.group.unfused.energy - row.group.fused.energy);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const GroupsAlike& a, const GroupsAlike& b) { return saved(a) > saved(b); });
  return rows;
}

}  // namespace

std::string fused_groups_text(const std::vector<ResultRow>& layers) {
  const std::vector<GroupsAlike> rows = alike(fused_groups_of(layers));
  if (rows.empty()) return "";
  TextTable table({{"fused group"},
                   {"layers", true},
                   {"unfused", true},
                   {"fused", true},
                   {"energy", true},
                   {"unfused [cycles]", true},
                   {"fused [cycles]", true},
                   {"latency", true}});
  for (const auto& [group, times] : rows)
    table.add_row(
        {fmt::format("{} to {}{}", group.first, group.last, times > 1 ? fmt::format(" (x {})", times) : ""),
         fmt::format("{}", group.layers), energy_words(group.unfused.energy),
         energy_words(group.fused.energy), saved_share(group.unfused.energy, group.fused.energy),
         fmt::format("{:.0f}", group.unfused.latency), fmt::format("{:.0f}", group.fused.latency),
         saved_share(group.unfused.latency, group.fused.latency)});
  return table.text();
}

nlohmann::ordered_json fused_groups_json(const std::vector<ResultRow>& layers) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const FusedGroupRow& group : fused_groups_of(layers))
    json.push_back({{"group", group.group},
                    {"first", group.first},
                    {"last", group.last},
                    {"layers", group.layers},
                    {"unfused_energy", group.unfused.energy},
                    {"energy", group.fused.energy},
                    {"unfused_latency", group.unfused.latency},
                    {"latency", group.fused.latency}});
  return json;
}

}  // namespace zz::host
