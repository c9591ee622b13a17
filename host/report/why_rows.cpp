#include "host/report/why_rows.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/cost/part_words.hpp"
#include "core/output/csv_text.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "core/value/reflect.hpp"
#include "host/report/fused_words.hpp"

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json json_of(const T& object) {
  return Json::parse(core::to_json(core::reflect(object)));
}

Json stalls_json(const core::Evaluation& evaluation) {
  Json limits = Json::array();
  for (const core::Limit& limit : core::limits_of(evaluation))
    limits.push_back(
        {{"limiter", limit.limiter.empty() ? Json() : Json(limit.limiter)}, {"cycles", limit.cycles}});
  return limits;
}

Json helps_of_mapping(const Why& why) {
  if (why.helps.repeatable == 0) return {};
  Json helps = Json::array();
  for (const core::Help& help : why.helps.found) {
    Json one{{"kind", help.kind},       {"change", help.change}, {"mapping", help.mapping},
             {"latency", help.latency}, {"saved", help.saved},   {"changes", help.changes}};
    if (help.energy) one["energy"] = *help.energy;
    helps.push_back(std::move(one));
  }
  return helps;
}

const char* kind_of(const core::Saving& saving) {
  if (saving.parts.size() > 1) return "together";
  switch (saving.parts.front().kind) {
    case core::MachinePart::Kind::port:
      return "wider";
    case core::MachinePart::Kind::own_port:
      return "split";
    case core::MachinePart::Kind::memory:
      return "memory";
    case core::MachinePart::Kind::array:
      return "array";
    case core::MachinePart::Kind::kept:
      return "kept";
    case core::MachinePart::Kind::precision:
      return "precision";
  }
  return "";
}

Json savings_json(const MachineAnswer& answer, const char* figure) {
  if (answer.known == 0) return {};
  Json savings = Json::array();
  for (const core::Saving& saving : answer.savings) {
    Json parts = Json::array();
    for (const core::MachinePart& part : saving.parts) parts.push_back(core::name_of(part));
    savings.push_back({{"kind", kind_of(saving)},
                       {"change", saving.change},
                       {"mapping", mapping_words(saving)},
                       {"parts", std::move(parts)},
                       {figure, saving.value},
                       {"saved", saving.saved},
                       {"lower_bound", saving.bound},
                       {"changes", saving.parts.size()}});
  }
  return savings;
}

Json figures_json(const Why& why, const WhyQuestion& question) {
  const core::Evaluation& evaluation = *why.evaluation;
  const std::string& limiter = why.row.limited_by;
  Json json{{"latency", why.row.latency}, {"energy", why.row.energy}};
  if (const auto& range = why.row.energy_range) {
    json["energy_low"] = range->low;
    json["energy_high"] = range->high;
  }
  json["proven_best"] = why.proven;
  json["limited_by"] = limiter.empty() ? Json() : Json(limiter);
  if (question.mapping) {
    json["limited_by"] = core::limited_by(evaluation);
    json["limits"] = stalls_json(evaluation);
  } else {
    json["limits"] = limits_json(why.row.limits);
    json["limit"] = why.row.limit;
    if (why.row.limits.known()) json["units_used"] = why.row.limits.units_used;
    json["fastest"] = why.latency.now;
    json["fastest_is_proven"] = why.latency.proven;
    if (!why.latency.among.empty()) json["fastest_among"] = why.latency.among;
  }
  json["latency_parts"] = json_of(evaluation.latency_parts);
  json["energy_parts"] = json_of(evaluation.energy_parts);
  json["helps"] = question.mapping ? helps_of_mapping(why) : savings_json(why.latency, "latency");
  if (question.energy && !question.mapping) json["energy_helps"] = savings_json(why.energy, "energy");
  json["not_known"] = question.mapping ? why.helps.not_known : why.latency.not_known;
  if (why.schedule) json.update(schedule_json(*why.schedule));
  return json;
}

Json layer_json(const Why& why, const WhyQuestion& question) {
  Json json{{"layer", why.row.layer}, {"count", why.count}};
  json.update(figures_json(why, question));
  json["ports"] = json_of(why.evaluation->ports);
  json["evaluation"] = Json::parse(core::to_json(why.row.value.ref()));
  return json;
}

Json result_json_of(const WhyOfResult& why, const WhyQuestion& question) {
  Json json = Json::object();
  add_settings(json, why.settings);
  json["layers"] = Json::array();
  for (const Why& layer : why.layers) json["layers"].push_back(layer_json(layer, question));
  json["total"] = why.total ? figures_json(*why.total, question) : Json();
  if (Json groups = fused_groups_json(why.rows()); !groups.empty())
    json["fused_groups"] = std::move(groups);
  return json;
}

}  // namespace

Json why_json(const std::vector<WhyOfResult>& results, const WhyQuestion& question) {
  Json json{{"format", "zz-why"}, {"version", 1}};
  if (results.size() == 1) {
    json.update(result_json_of(results.front(), question));
  } else {
    json["results"] = Json::array();
    for (const WhyOfResult& result : results) json["results"].push_back(result_json_of(result, question));
  }
  return json;
}

Json parts_json(const ResultRows& result) {
  Json layers = Json::array();
  for (const ResultRow& row : result.layers) {
    const core::Evaluation* const evaluation = row.evaluation();
    layers.push_back({{"layer", row.layer},
                      {"latency_parts", json_of(evaluation->latency_parts)},
                      {"energy_parts", json_of(evaluation->energy_parts)}});
  }
  return layers;
}

std::string why_csv(const std::vector<WhyOfResult>& results, const WhyQuestion& question) {
  const bool energy = question.energy;
  std::vector<std::vector<std::string>> rows;
  const std::vector<std::string> of_latency = {"cause",  "array_dimension", "loop",      "memory",
                                               "port",   "operand",         "direction", "because",
                                               "behind", "limiter",         "cycles"};
  const std::vector<std::string> of_energy = {"memory", "operand", "direction", "because",
                                              "pJ",     "low",     "high"};
  std::vector<std::string> head = {"result", "layer", "count"};
  const bool schedules = !results.empty() && !results.front().layers.empty() &&
                         results.front().layers.front().schedule != nullptr;
  const std::vector<std::string> columns =
      schedules ? std::vector<std::string>(schedule_csv_columns.begin(), schedule_csv_columns.end())
                : (energy ? of_energy : of_latency);
  head.insert(head.end(), columns.begin(), columns.end());
  rows.push_back(std::move(head));
  for (std::size_t result = 0; result < results.size(); ++result) {
    for (const Why& why : results[result].layers) {
      const auto add = [&](std::vector<std::string> cells) {
        std::vector<std::string> row = {fmt::format("{}", result + 1), why.row.layer,
                                        fmt::format("{}", why.count)};
        row.insert(row.end(), cells.begin(), cells.end());
        rows.push_back(std::move(row));
      };
      if (why.schedule) {
        for (std::vector<std::string>& cells : schedule_csv_rows(*why.schedule, energy))
          add(std::move(cells));
      } else if (energy) {
        for (const core::EnergyPart& part : why.evaluation->energy_parts)
          add({part.memory, part.operand, part.direction, part.because, fmt::format("{}", part.pJ),
               fmt::format("{}", part.low), fmt::format("{}", part.high)});
      } else {
        for (const core::LatencyPart& part : why.evaluation->latency_parts)
          add({part.cause, part.array_dimension, part.loop, part.memory, part.port, part.operand,
               part.direction, part.because, part.behind, part.limiter(), fmt::format("{}", part.cycles)});
      }
    }
  }
  return core::csv_text(rows);
}

}  // namespace zz::host
