#include "host/report/run_summary.hpp"

#include <fmt/format.h>
#include <limits>

#include "core/cost/evaluation.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "core/workload/layer.hpp"

namespace zz::host {
namespace {

using core::Value;

/// "K 32, C 3.5": how often each loop is unrolled in all, in the order in which they come.
std::string unrolling_of(const core::Evaluation& evaluation) {
  if (evaluation.spatial_mapping == nullptr || evaluation.spatial_mapping->operands.empty()) return "";
  std::vector<core::UnrolledLoop> loops;
  for (const auto& level : evaluation.spatial_mapping->operands.front().levels) {
    for (const core::UnrolledLoop& loop : level) {
      bool known = false;
      for (core::UnrolledLoop& sum : loops) {
        if (sum.dimension != loop.dimension) continue;
        sum.factor *= loop.factor;
        known = true;
      }
      if (!known) loops.push_back(loop);
    }
  }
  std::string text;
  for (const core::UnrolledLoop& loop : loops) {
    if (loop.factor == 1) continue;
    text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", loop.dimension, loop.factor);
  }
  return text;
}

SummaryRow row_of(const Value& whole, const core::Evaluation& evaluation, const std::string& name) {
  SummaryRow row;
  row.evaluation = whole;
  row.layer = name;
  if (evaluation.layer != nullptr)
    row.layer = evaluation.layer->name;
  else if (evaluation.schedule != nullptr && evaluation.schedule->graph != nullptr)
    row.layer = evaluation.schedule->graph->name;
  row.energy = evaluation.energy_total;
  row.latency = evaluation.latency_total2;
  row.utilization = evaluation.latency_total2 > 0 && evaluation.ideal_cycle > 0
                        ? evaluation.mac_utilization2()
                        : std::numeric_limits<double>::quiet_NaN();
  row.unrolling = unrolling_of(evaluation);
  if (evaluation.imc) {
    row.clock = evaluation.imc->tclk();
    row.area = evaluation.imc->area_total();
  }
  row.metrics = evaluation.metrics;
  return row;
}

bool is_list(const Value& value) { return core::kind_of(value.ref()) == core::Kind::list; }

Value item(const Value& list, std::uint32_t index) {
  return core::held_part(list, core::part_at(list.ref(), index));
}

/// The layer that a stage such as WorkloadStage put before the extra.
std::string layer_name(const Value& extra) {
  if (!is_list(extra) || core::count_of(extra.ref()) == 0) return "";
  const auto layer = item(extra, 0).as<core::Layer>();
  return layer != nullptr ? layer->name : "";
}

bool is_text(const Value& value) { return core::kind_of(value.ref()) == core::Kind::str; }

/// Stages that vary parameters put this around the extra of a result: [[[name, value], ...],
/// extra], or {settings: {name: value}, extra, ...}. Moves the settings to `result` and gives the extra
/// within.
Value without_settings(const Value& extra, SummaryResult& result) {
  const core::Kind kind = core::kind_of(extra.ref());
  if (kind == core::Kind::map) {
    const core::Ref settings = core::part(extra.ref(), core::intern("settings"));
    if (core::kind_of(settings) != core::Kind::map) return extra;
    for (std::uint32_t i = 0; i < core::count_of(settings); ++i) {
      std::string_view key;
      const core::Ref value = core::part_at(settings, i, &key);
      result.settings.emplace_back(key, core::to_json(value));
    }
    return core::held_part(extra, core::part(extra.ref(), core::intern("extra")));
  }
  if (!is_list(extra) || core::count_of(extra.ref()) != 2 || !is_list(item(extra, 0))) return extra;
  const Value settings = item(extra, 0);
  if (core::count_of(settings.ref()) == 0) return extra;
  std::vector<std::pair<std::string, std::string>> found;
  for (std::uint32_t i = 0; i < core::count_of(settings.ref()); ++i) {
    const Value setting = item(settings, i);
    if (!is_list(setting) || core::count_of(setting.ref()) != 2 || !is_text(item(setting, 0))) return extra;
    std::string_view name;
    core::read_text(core::part_at(setting.ref(), 0), name);
    found.emplace_back(name, core::to_json(core::part_at(setting.ref(), 1)));
  }
  result.settings.insert(result.settings.end(), found.begin(), found.end());
  return without_settings(item(extra, 1), result);
}

class Collector {
 public:
  explicit Collector(SummaryResult& result) : result_(result) {}

  void add(const Value& evaluation, const Value& extra, bool outermost) {
    if (is_list(evaluation)) return add_pairs(evaluation);
    const auto figures = evaluation.as<core::Evaluation>();
    if (figures == nullptr) return add_pairs(extra);
    if (outermost && figures->is_sum() && holds_pairs(extra)) {
      result_.has_total = true;
      result_.total = row_of(evaluation, *figures, "total");
      return add_pairs(extra);
    }
    const std::string name = layer_name(extra);
    result_.layers.push_back(row_of(evaluation, *figures, name.empty() ? "-" : name));
  }

 private:
  static bool is_pair(const Value& value) {
    if (!is_list(value) || core::count_of(value.ref()) != 2) return false;
    return item(value, 0).as<core::Evaluation>() != nullptr || is_list(item(value, 0));
  }
  static bool holds_pairs(const Value& list) {
    return is_list(list) && core::count_of(list.ref()) > 0 && is_pair(item(list, 0));
  }

  void add_pairs(const Value& list) {
    if (!is_list(list)) return;
    for (std::uint32_t i = 0; i < core::count_of(list.ref()); ++i) {
      const Value pair = item(list, i);
      if (is_pair(pair)) {
        add(item(pair, 0), item(pair, 1), false);
      } else if (pair.as<core::Evaluation>() != nullptr) {
        add(pair, Value(), false);
      }
    }
  }

  SummaryResult& result_;
};

}  // namespace

SummaryResult summarise(const core::Value& evaluation, const core::Value& extra) {
  SummaryResult result;
  Collector(result).add(evaluation, without_settings(extra, result), true);
  return result;
}

}  // namespace zz::host
