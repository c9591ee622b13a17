#include "plugins/stream/found_hints_file.hpp"

#include <fmt/format.h>
#include <string_view>

#include "core/input/stream/hint_text.hpp"
#include "core/input/stream/schedule_settings.hpp"
#include "core/value/read.hpp"

namespace zz::plugins {
namespace {

const char* selection(core::DispatchRule rule) {
  switch (rule) {
    case core::DispatchRule::earliest_start:
      return "latency";
    case core::DispatchRule::critical_path:
      return "critical_path";
    case core::DispatchRule::rank:
      break;
  }
  return "memory";
}

/// True for settings that say nothing where there is one sample.
bool of_batch(std::string_view key) {
  return key == "samples" || key == "samples_at_once" || key == "segments";
}

/// Ids of layers; null where there are none.
core::Value ids_of(const std::vector<int>& layers, const core::FoundSchedule& found) {
  if (layers.empty()) return {};
  std::vector<core::Value> ids;
  for (const int layer : layers)
    ids.push_back(core::Value::integer(found.problem->graph()->layers[layer].layer->id));
  return core::Value::list(std::move(ids));
}

/// As ScheduleChoice::period.
core::Value period_of(const core::FoundSchedule& found) {
  if (found.choice.period == 0) return {};
  if (found.choice.period == core::ScheduleChoice::least_period) return core::Value::text("least");
  return core::Value::number(found.choice.period);
}

core::Value ranks_of(const core::FoundSchedule& found) {
  const core::ScheduleChoice& choice = found.choice;
  if (choice.layer_offset.empty()) return {};
  std::vector<std::pair<std::string, core::Value>> ranks;
  const auto& layers = found.problem->graph()->layers;
  for (std::size_t i = 0; i < layers.size(); ++i)
    ranks.emplace_back(std::to_string(layers[i].layer->id),
                       core::Value::list({core::Value::number(choice.layer_offset[i]),
                                          core::Value::number(choice.layer_slope[i])}));
  return core::Value::map(std::move(ranks));
}

}  // namespace

std::vector<std::pair<std::string, core::Value>> settings_of(const core::FoundSchedule& found) {
  std::vector<core::Value> cores;
  for (const int core : found.choice.cores) cores.push_back(core::Value::integer(core));
  return {{"hint_loops", core::hint_loops_value(found.cuts)},
          {"cn_define_mode", core::Value::integer(core::split_by_layer)},
          {"samples", core::Value::integer(found.problem->graph()->samples)},
          {"core_allocation", core::Value::list(std::move(cores))},
          {"scheduler_candidate_selection", core::Value::text(selection(found.choice.dispatch))},
          {"critical_path_weight", core::Value::number(found.choice.weight)},
          {"back_filling", core::Value::boolean(found.choice.back_filling)},
          {"samples_at_once", core::Value::integer(found.choice.samples_at_once)},
          {"segments", ids_of(found.choice.segments, found)},
          {"period", period_of(found)},
          {"resident", ids_of(found.choice.resident, found)},
          {"layer_ranks", ranks_of(found)},
          // The order has been searched.
          {"search_order", core::Value::boolean(false)}};
}

core::ScheduleChoice choice_of(core::Ref parameters, const core::ScheduleProblem& problem) {
  const auto given = [&](const char* key) { return core::part(parameters, core::intern(key)); };
  core::ScheduleChoice choice;
  choice.cores = core::user_allocation(given("core_allocation"), problem);
  std::string_view rule;
  if (core::read_text(given("scheduler_candidate_selection"), rule))
    choice.dispatch = core::dispatch_rule_of(rule, core::Rules{});
  if (choice.dispatch == core::DispatchRule::critical_path)
    core::read_f64(given("critical_path_weight"), choice.weight);
  std::int64_t fills = 0;
  choice.back_filling = core::read_i64(given("back_filling"), fills) && fills != 0;
  std::int64_t at_once = 0;
  if (core::read_i64(given("samples_at_once"), at_once)) choice.samples_at_once = static_cast<int>(at_once);
  core::read_segments(given("segments"), *problem.graph(), choice);
  core::read_layer_ranks(given("layer_ranks"), *problem.graph(), choice);
  core::read_period(given("period"), given("resident"), *problem.graph(), choice);
  return choice;
}

std::string found_hints_yaml(const core::FoundSchedule& found, const std::string& heading) {
  std::string text = fmt::format("# {}\nparameters:\n", heading);
  for (const auto& [key, value] : settings_of(found)) {
    const core::Ref setting = value.ref();
    if (core::kind_of(setting) == core::Kind::null) continue;
    if (of_batch(key) && found.problem->graph()->samples == 1) continue;
    text += fmt::format("  {}:", key);
    if (core::kind_of(setting) != core::Kind::map) {
      text += fmt::format(" {}\n", core::to_json(setting));
      continue;
    }
    text += "\n";  // an entry a line, to be read by people
    for (std::uint32_t i = 0; i < core::count_of(setting); ++i) {
      std::string_view name;
      const core::Ref part = core::part_at(setting, i, &name);
      text += fmt::format("    \"{}\": {}\n", name, core::to_json(part));
    }
  }
  return text;
}

}  // namespace zz::plugins
