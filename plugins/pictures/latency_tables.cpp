#include "plugins/pictures/latency_tables.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "core/cost/part_words.hpp"
#include "core/search/helps/helps.hpp"
#include "core/search/optimal/machine_limit.hpp"

namespace zz::plugins {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_of_part(const core::LatencyPart& part) {
  if (!part.behind.empty()) return "behind";
  if (part.cause == "ideal") return "working";
  if (part.cause == "idle" || part.cause == "remainder") return "idle";
  if (part.cause == "drain" || part.cause == "array") return "drain";
  return part.cause == "onloading" || part.cause == "offloading" ? "loading" : "waiting";
}

const char* kind_of_limiter(const std::string& limiter) {
  if (limiter.empty()) return "unknown";
  return limiter == "units"   ? "units"
         : limiter == "array" ? "array"
         : limiter == "drain" ? "drain"
                              : "port";
}

/// Each layer is there once: they are a network, and not mappings of one layer.
bool are_a_network(const ResultList& results) {
  std::set<std::int64_t> ids;
  return results.size() > 1 && std::all_of(results.begin(), results.end(), [&](const auto& one) {
           return one->layer != nullptr && ids.insert(one->layer->id).second;
         });
}

/// "47.7 %: dram rw_port_1 2 x as wide"
std::string best_help(const std::vector<const core::Evaluation*>& layers, double latency) {
  const std::vector<core::Help> helps = core::helps_for(layers).found;
  if (helps.empty()) return "";
  return fmt::format("{:.1f} %: {}", 100 * helps.front().saved / latency, helps.front().change);
}

void add_parts(Json& rows, std::size_t result, const core::Evaluation& evaluation) {
  for (const core::LatencyPart& part : evaluation.latency_parts) {
    const core::PartWords words = core::words_of(part);
    rows.push_back({{"result", result},
                    {"limiter", part.limiter()},
                    {"cause", part.cause},
                    {"kind", kind_of_part(part)},
                    {"what", words.what},
                    {"where", words.where},
                    {"cycles", part.cycles}});
  }
  for (const core::Limit& limit : core::limits_of(evaluation))
    if (limit.limiter.empty())
      rows.push_back({{"result", result},
                      {"limiter", ""},
                      {"cause", "unknown"},
                      {"kind", "unknown"},
                      {"what", core::limiter_words("")},
                      {"where", ""},
                      {"cycles", limit.cycles}});
}

/// Ports of one name are summed.
void add_ports(Json& rows, std::size_t result, const ResultList& layers) {
  std::vector<core::PortFigures> sums;
  for (const auto& layer : layers) {
    for (const core::PortFigures& port : layer->ports) {
      const auto same = std::find_if(sums.begin(), sums.end(), [&](const core::PortFigures& sum) {
        return sum.memory == port.memory && sum.port == port.port;
      });
      if (same == sums.end()) {
        sums.push_back(port);
        continue;
      }
      same->needed += port.needed;
      same->given += port.given;
      same->stall += port.stall;
      same->traffic += port.traffic;
    }
  }
  for (const core::PortFigures& port : sums)
    rows.push_back({{"result", result},
                    {"port", fmt::format("{} {}", port.memory, port.port)},
                    {"needed", port.needed},
                    {"given", port.given},
                    {"stall", port.stall},
                    {"traffic", port.traffic}});
}

Json limiter_rows(const Json& latency) {
  std::map<std::string, double> cycles;
  for (const Json& row : latency) cycles[row["limiter"]] += row["cycles"].get<double>();
  std::vector<std::pair<std::string, double>> sorted(cycles.begin(), cycles.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  Json rows = Json::array();
  for (const auto& [limiter, all] : sorted)
    rows.push_back({{"limiter", limiter},
                    {"label", core::limiter_words(limiter)},
                    {"kind", kind_of_limiter(limiter)}});
  return rows;
}

}  // namespace

namespace {

/// The limit of the machine; where that is not known, of the mapping.
std::string limit_words_of(const core::MachineLimit& limit, const core::Evaluation& evaluation) {
  return limit.known() ? core::words_of(limit) : core::limit_words(evaluation);
}

}  // namespace

VegaTables latency_tables(const ResultList& results) {
  VegaTables tables;
  for (const char* name : {"results", "limiters", "latency", "ports"}) tables[name] = Json::array();
  const bool network = are_a_network(results);
  core::Evaluation sum;
  std::vector<const core::Evaluation*> layers;
  if (network)
    for (const auto& one : results) {
      sum = add(sum, *one);
      layers.push_back(one.get());
    }
  const std::vector<std::string> names = result_names(results);
  std::vector<core::MachineLimit> limits;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const core::Evaluation& one = *results[i];
    limits.push_back(core::machine_limit(one));
    tables["results"].push_back(
        {{"result", i},
         {"label", names[i]},
         {"cycles", one.latency_total2},
         {"share", network ? Json(one.latency_total2 / sum.latency_total2) : Json()},
         {"limited_by", limit_words_of(limits[i], one)},
         {"help", best_help({&one}, one.latency_total2)}});
    add_parts(tables["latency"], i, one);
    add_ports(tables["ports"], i, {results[i]});
  }
  if (network) {
    tables["results"].push_back({{"result", results.size()},
                                 {"label", "all layers"},
                                 {"cycles", sum.latency_total2},
                                 {"share", 1},
                                 {"limited_by", limit_words_of(core::sum_of(limits), sum)},
                                 {"help", best_help(layers, sum.latency_total2)}});
    add_parts(tables["latency"], results.size(), sum);
    add_ports(tables["ports"], results.size(), results);
  }
  tables["limiters"] = limiter_rows(tables["latency"]);
  return tables;
}

}  // namespace zz::plugins
