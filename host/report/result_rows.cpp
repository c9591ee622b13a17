#include "host/report/result_rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "core/cost/cost_parts.hpp"
#include "core/cost/part_words.hpp"
#include "core/cost/rates.hpp"
#include "core/multicore/explain/critical_chain.hpp"
#include "core/multicore/schedule/layer_figures.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/output/archive/contained_evaluations.hpp"
#include "core/schema/types.hpp"
#include "core/value/name.hpp"
#include "core/value/read.hpp"
#include "core/workload/layer.hpp"
#include "zz/internal_run.h"

namespace zz::host {
namespace {

using core::Value;
using Json = nlohmann::ordered_json;

/// "D1: K 32, C 2; D2: OX 7": on how many units of each array dimension each loop is spread.
std::string unrolling_of(const core::Evaluation& evaluation) {
  if (evaluation.layer == nullptr) return "";
  std::string text;
  for (const core::ArrayUnrolling& array : evaluation.layer->mapping.spatial_mapping.dimensions) {
    std::string loops;
    for (const core::SpatialLoop& loop : array.loops) {
      if (loop.factor == 1) continue;
      loops += fmt::format("{}{} {}", loops.empty() ? "" : ", ", loop.dimension, loop.factor);
    }
    if (!loops.empty())
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", array.array_dimension, loops);
  }
  return text;
}

ResultRow row_of(const Value& value, const core::Evaluation& evaluation, const std::string& name) {
  ResultRow row;
  row.value = value;
  row.layer = name;
  if (evaluation.layer != nullptr) {
    row.layer = evaluation.layer->name;
    row.id = evaluation.layer->id;
  } else if (evaluation.schedule != nullptr && evaluation.schedule->graph != nullptr) {
    row.layer = evaluation.schedule->graph->name;
  }
  row.energy = evaluation.energy_total;
  row.latency = evaluation.latency_total2;
  row.energy_range = core::energy_range(evaluation);
  row.utilization = evaluation.latency_total2 > 0 && evaluation.ideal_cycle > 0
                        ? evaluation.mac_utilization2()
                        : std::numeric_limits<double>::quiet_NaN();
  row.unrolling = unrolling_of(evaluation);
  row.clock = evaluation.clock_period;
  row.area = core::rates_of(evaluation).area.value_or(0);
  row.metrics = core::metrics_of(evaluation);
  row.gap = row.metric("optimum_gap");
  return row;
}

/// Without a machine's limit, as of schedules and of results that a plugin made, the one that the
/// evaluation tells.
void set_limit(ResultRow& row, core::MachineLimit limits) {
  row.limits = std::move(limits);
  if (row.limits.known()) {
    row.limited_by = row.limits.floors.front().limiter;
    row.limited_share = row.limits.share(0);
    row.limit = core::words_of(row.limits);
    return;
  }
  const core::Evaluation& evaluation = *row.evaluation();
  const core::Schedule* const schedule = evaluation.schedule.get();
  row.is_schedule = schedule != nullptr;
  if (schedule != nullptr && schedule->graph != nullptr && schedule->accelerator != nullptr) {
    const core::ScheduleLimit limit =
        core::schedule_limit(core::chain_shares(core::critical_chain(*schedule)));
    row.limited_by = limit.resource;
    row.limited_share = schedule->latency > 0 ? limit.cycles / schedule->latency : 0;
    row.limit = fmt::format("{} {:.0f} %", row.limited_by, 100 * row.limited_share);
    return;
  }
  const std::vector<core::Limit> stalls = core::limits_of(evaluation);
  if (stalls.empty()) return;
  row.limited_by = stalls.front().limiter;
  row.limited_share = row.latency > 0 ? stalls.front().cycles / row.latency : 0;
  row.limit = core::limit_words(evaluation);
}

/// The layer that a stage such as WorkloadStage put before the extra.
std::string layer_name(const Value& extra) {
  if (core::kind_of(extra.ref()) != core::Kind::list || core::count_of(extra.ref()) == 0) return "-";
  const auto layer = core::held_part(extra, core::part_at(extra.ref(), 0)).as<core::Layer>();
  return layer != nullptr && !layer->name.empty() ? layer->name : "-";
}

/// Rates are of a whole result: layers run at the same rates one after the other.
void add_rates(ResultRow& row) {
  const core::Evaluation* const evaluation = row.evaluation();
  if (evaluation == nullptr) return;
  const core::Rates rates = core::rates_of(*evaluation);
  for (const core::RateRow& rate : core::rate_rows) {
    const std::optional<double>& figure = rates.*rate.member;
    if (figure && std::isnan(row.metric(rate.name))) row.metrics.emplace_back(rate.name, *figure);
  }
}

/// Calls `row` for each row: with the evaluation, its figures, its extra, and true for the total.
template <class Row>
void for_each_row(const Value& evaluation, const Value& extra, const Row& row, bool outermost = true) {
  const bool is_list = core::kind_of(evaluation.ref()) == core::Kind::list;
  const auto figures = evaluation.as<core::Evaluation>();
  const auto parts = core::results_in(is_list ? evaluation : extra);
  const bool has_all_parts = !parts.empty() && parts.size() == core::count_of(extra.ref());
  const bool is_whole = figures != nullptr && figures->is_sum() && has_all_parts;
  if (figures != nullptr && !is_whole) {
    row(evaluation, *figures, extra, false);
    return;
  }
  if (is_whole && outermost) row(evaluation, *figures, extra, true);
  for (const auto& [part, its_extra] : parts) for_each_row(part, its_extra, row, false);
}

void add_layers(std::vector<ResultRow>& rows, const core::Schedule& schedule) {
  const std::vector<core::LayerFigures> figures = core::figures_of_layers(schedule);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const core::Layer& layer = *schedule.graph->layers[i].layer;
    ResultRow& row = rows.emplace_back();
    row.layer = layer.name;
    row.id = layer.id;
    row.energy = figures[i].energy;
    row.latency = figures[i].latency;
    row.utilization = row.gap = std::numeric_limits<double>::quiet_NaN();
  }
}

/// A schedule with all that tells its layers; null for anything else.
const core::Schedule* schedule_of(const ResultRow& row) {
  const core::Evaluation* const evaluation = row.evaluation();
  const core::Schedule* const schedule = evaluation != nullptr ? evaluation->schedule.get() : nullptr;
  return schedule != nullptr && schedule->graph != nullptr && schedule->costs != nullptr ? schedule
                                                                                         : nullptr;
}

Json layers_json(const core::Schedule& schedule) {
  std::vector<ResultRow> layers;
  add_layers(layers, schedule);
  Json all = Json::array();
  for (const ResultRow& layer : layers)
    all.push_back(
        {{"layer", layer.layer}, {"energy_total", layer.energy}, {"latency_total2", layer.latency}});
  return all;
}

Json figures_json(const ResultRow& row) {
  Json json{{"layer", row.layer},
            {"energy_total", row.energy},
            {"latency_total2", row.latency},
            {"mac_utilization2", row.utilization},
            {"unrolling", row.unrolling},
            {"limited_by", row.limited_by.empty() ? Json() : Json(row.limited_by)}};
  if (!row.limited_by.empty()) {
    json["limited_share"] = row.limited_share;
    json["limit"] = row.limit;
  }
  if (row.limits.known()) json["limits"] = limits_json(row.limits);
  if (row.clock > 0) json["tclk"] = row.clock;
  if (row.area > 0) json["area_total"] = row.area;
  for (const auto& [name, value] : row.metrics) json["metrics"][name] = value;
  return json;
}

}  // namespace

const core::Evaluation* ResultRow::evaluation() const { return value.as<core::Evaluation>().get(); }

double ResultRow::metric(std::string_view name) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const auto& metric) { return metric.first == name; });
  return found == metrics.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

const ResultRow* ResultRows::find(const ResultRow& wanted) const {
  for (const ResultRow& row : layers)
    if (row.is_same_layer(wanted)) return &row;
  return nullptr;
}

ResultRows rows_of(const core::Value& evaluation, const core::Value& extra) {
  core::MachineLimits limits;
  return rows_of(evaluation, extra, limits);
}

ResultRows rows_of(const core::Value& evaluation, const core::Value& extra, core::MachineLimits& known) {
  core::VariedResult varied = core::varied_result(extra);
  ResultRows rows;
  rows.settings = std::move(varied.settings);
  for_each_row(
      evaluation, varied.extra,
      [&](const Value& value, const core::Evaluation& figures, const Value& its_extra, bool whole) {
        if (whole)
          rows.total = row_of(value, figures, "total");
        else
          rows.layers.push_back(row_of(value, figures, layer_name(its_extra)));
      });
  std::vector<core::MachineLimit> limits;
  for (ResultRow& row : rows.layers) {
    set_limit(row, known.of(*row.evaluation()));
    limits.push_back(row.limits);
  }
  if (rows.total) set_limit(*rows.total, core::sum_of(limits));
  if (rows.total) add_rates(*rows.total);
  if (!rows.total && rows.layers.size() == 1) add_rates(rows.layers.front());
  number_layers(rows.layers);
  return rows;
}

Settings settings_of(const core::Value& extra) { return core::varied_result(extra).settings; }

std::optional<PartOfList> part_of_list(const core::Value& evaluation) {
  if (core::kind_of(evaluation.ref()) != core::Kind::map) return std::nullopt;
  for (const char* const place : {ZZ_LIST_BEGINS, ZZ_LIST_GOES_ON, ZZ_LIST_ENDS}) {
    const core::Ref pair = core::part(evaluation.ref(), core::intern(place));
    if (core::kind_of(pair) != core::Kind::list) continue;
    return PartOfList{core::held_part(evaluation, core::part_at(pair, 0)),
                      core::held_part(evaluation, core::part_at(pair, 1)),
                      std::string_view(place) == ZZ_LIST_BEGINS, std::string_view(place) == ZZ_LIST_ENDS};
  }
  return std::nullopt;
}

std::vector<ResultRow> rows_of_part(const core::Value& evaluation, const core::Value& extra,
                                    core::MachineLimits& limits) {
  std::vector<ResultRow> rows;
  for_each_row(
      evaluation, extra,
      [&](const Value& value, const core::Evaluation& figures, const Value& its_extra, bool) {
        ResultRow& row = rows.emplace_back(row_of(value, figures, layer_name(its_extra)));
        set_limit(row, limits.of(figures));
      },
      false);
  return rows;
}

std::uint64_t count_rows(const core::Value& evaluation, const core::Value& extra) {
  std::uint64_t count = 0;
  for_each_row(evaluation, core::varied_result(extra).extra,
               [&](const Value&, const core::Evaluation&, const Value&, bool) { ++count; });
  return count;
}

ResultRows in_layers(ResultRows rows) {
  std::vector<ResultRow> layers;
  for (ResultRow& row : rows.layers) {
    const core::Schedule* const schedule = schedule_of(row);
    if (schedule == nullptr) {
      layers.push_back(std::move(row));
      continue;
    }
    add_layers(layers, *schedule);
    if (rows.layers.size() > 1 || rows.total) continue;
    rows.total = row;
    rows.total->layer = "total";
  }
  rows.layers = std::move(layers);
  number_layers(rows.layers);
  return rows;
}

void number_layers(std::vector<ResultRow>& rows) {
  std::map<std::string, int> count;
  for (ResultRow& row : rows) row.nth = count[row.layer]++;
}

bool is_proven_best(const core::Evaluation& evaluation) {
  return evaluation.certificate.gap && *evaluation.certificate.gap <= 0;
}

Json limits_json(const core::MachineLimit& limits) {
  Json list = Json::array();
  for (const core::MachineLimit::Floor& floor : limits.floors) {
    list.push_back({{"limiter", floor.limiter}, {"cycles", floor.cycles}});
    if (floor.of_unrolling) list.back()["of_unrolling"] = true;
  }
  return list;
}

void add_settings(Json& json, const Settings& settings) {
  for (const auto& [name, value] : settings) json["settings"][name] = Json::parse(value);
}

Json row_json(const ResultRow& row) {
  Json json = figures_json(row);
  if (const core::Schedule* const schedule = schedule_of(row)) json["layers"] = layers_json(*schedule);
  return json;
}

Json rows_json(const ResultRows& rows) {
  Json json = Json::object();
  add_settings(json, rows.settings);
  json["total"] = rows.total ? figures_json(*rows.total) : Json();
  json["layers"] = Json::array();
  for (const ResultRow& row : rows.layers) json["layers"].push_back(row_json(row));
  return json;
}

ResultRow row_from_json(const Json& json) {
  ResultRow row;
  row.layer = json.at("layer").get<std::string>();
  row.energy = json.at("energy_total").get<double>();
  row.latency = json.at("latency_total2").get<double>();
  row.energy_range = range_in(json);
  const auto utilization = json.find("mac_utilization2");
  row.utilization = utilization != json.end() && utilization->is_number()
                        ? utilization->get<double>()
                        : std::numeric_limits<double>::quiet_NaN();
  const auto text = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  row.unrolling = text("unrolling");
  row.limited_by = text("limited_by");
  row.limit = text("limit");
  row.limited_share = json.value("limited_share", 0.0);
  row.clock = json.value("tclk", 0.0);
  row.area = json.value("area_total", 0.0);
  row.metrics = metrics_in(json);
  row.gap = row.metric("optimum_gap");
  return row;
}

ResultRows rows_from_json(const Json& json) {
  ResultRows rows;
  if (const auto settings = json.find("settings"); settings != json.end())
    for (const auto& [name, value] : settings->items()) rows.settings.emplace_back(name, value.dump());
  if (!json.at("total").is_null()) rows.total = row_from_json(json.at("total"));
  for (const Json& row : json.at("layers")) {
    const auto layers = row.find("layers");
    if (layers == row.end()) {
      rows.layers.push_back(row_from_json(row));
      continue;
    }
    for (const Json& layer : *layers) rows.layers.push_back(row_from_json(layer));
    if (rows.total || json.at("layers").size() > 1) continue;
    rows.total = row_from_json(row);
    rows.total->layer = "total";
    rows.total->is_schedule = true;
  }
  number_layers(rows.layers);
  return rows;
}

std::vector<std::pair<std::string, double>> metrics_in(const Json& row) {
  std::vector<std::pair<std::string, double>> all;
  if (const auto metrics = row.find("metrics"); metrics != row.end())
    for (const auto& [name, value] : metrics->items())
      if (value.is_number()) all.emplace_back(name, value.get<double>());
  return all;
}

std::optional<core::EnergyRange> range_in(const Json& row) {
  const auto metrics = row.find("metrics");
  if (metrics == row.end() || !metrics->contains("energy_low") || !metrics->contains("energy_high"))
    return std::nullopt;
  return core::EnergyRange{metrics->at("energy_low").get<double>(),
                           metrics->at("energy_high").get<double>()};
}

}  // namespace zz::host
