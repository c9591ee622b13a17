#include <cmath>
#include <nlohmann/json.hpp>

#include "host/services/log.hpp"
#include "host/services/progress.hpp"
#include "host/summary/run_summary.hpp"

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;

Json figure(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

Json to_object(const SummaryRow& row) {
  Json object{{"layer", row.layer},
              {"energy_total", figure(row.energy)},
              {"latency_total2", figure(row.latency)},
              {"mac_utilization2", figure(row.utilization)},
              {"unrolling", row.unrolling}};
  if (row.clock > 0) {
    object["tclk"] = row.clock;
    object["area_total"] = row.area;
  }
  return object;
}

Json to_object(const SummaryResult& result) {
  Json layers = Json::array();
  for (const SummaryRow& row : result.layers) layers.push_back(to_object(row));
  Json object;
  for (const auto& [name, value] : result.settings) object["settings"][name] = Json::parse(value);
  object["total"] = result.has_total ? to_object(result.total) : Json(nullptr);
  object["layers"] = std::move(layers);
  return object;
}

}  // namespace

std::string to_json(const RunSummary& summary) {
  Json results = Json::array(), counts = Json::object(), warned = Json::array();
  for (const SummaryResult& result : summary.results) results.push_back(to_object(result));
  for (const auto& [what, amount] : counters()) counts[what] = amount;
  for (const Warning& warning : warnings())
    warned.push_back({{"text", warning.text}, {"count", warning.count}});
  Json document{{"pipeline", summary.pipeline},  {"complete", summary.complete},
                {"results", std::move(results)}, {"counters", std::move(counts)},
                {"warnings", std::move(warned)}, {"elapsed_seconds", summary.seconds}};
  for (const TimeSpent& time : summary.times)
    document["timings"].push_back({{"what", time.what}, {"seconds", time.seconds}, {"calls", time.calls}});
  return document.dump(2) + "\n";
}

}  // namespace zz::host
