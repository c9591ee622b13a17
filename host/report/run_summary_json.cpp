#include <nlohmann/json.hpp>

#include "core/base/json_text.hpp"
#include "core/value/read.hpp"
#include "host/report/problems.hpp"
#include "host/report/run_summary.hpp"
#include "host/services/run.hpp"

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;

Json row_json(const SummaryRow& row) {
  Json json{{"layer", row.layer},
            {"energy_total", row.energy},
            {"latency_total2", row.latency},
            {"mac_utilization2", row.utilization},
            {"unrolling", row.unrolling}};
  if (row.clock > 0) {
    json["tclk"] = row.clock;
    json["area_total"] = row.area;
  }
  for (const auto& [name, value] : row.metrics) json["metrics"][name] = value;
  return json;
}

Json result_json(const SummaryResult& result) {
  Json json = Json::object();
  for (const auto& [name, value] : result.settings) json["settings"][name] = Json::parse(value);
  json["total"] = result.has_total ? row_json(result.total) : Json();
  json["layers"] = Json::array();
  for (const SummaryRow& row : result.layers) json["layers"].push_back(row_json(row));
  return json;
}

Json table_json(const ReportTable& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (const core::Value& cell : row) cells.push_back(Json::parse(core::to_json(cell.ref())));
    rows.push_back(std::move(cells));
  }
  return {{"stage", table.stage},
          {"title", table.title},
          {"columns", table.columns},
          {"rows", std::move(rows)}};
}

}  // namespace

Json summary_json(const RunSummary& summary) {
  Json json{{"pipeline", summary.pipeline}, {"complete", summary.complete},
            {"results", Json::array()},     {"counters", Json::object()},
            {"warnings", Json::array()},    {"elapsed_seconds", summary.seconds}};
  for (const SummaryResult& result : summary.results) json["results"].push_back(result_json(result));
  for (const auto& [what, amount] : current_run().progress.counters()) json["counters"][what] = amount;
  for (const Warning& warning : current_run().log.warnings())
    json["warnings"].push_back({{"text", warning.text}, {"count", warning.count}});
  for (const ReportTable& table : current_run().tables.all()) json["tables"].push_back(table_json(table));
  for (const TimeSpent& time : summary.times)
    json["timings"].push_back({{"what", time.what}, {"seconds", time.seconds}, {"calls", time.calls}});
  return json;
}

std::string to_json(const RunSummary& summary, int exit_status) {
  Json json = summary_json(summary);
  json["errors"] = errors_json();
  json["exit_status"] = exit_status;
  return core::json_text(json, {.indent = 2}) + "\n";
}

}  // namespace zz::host
