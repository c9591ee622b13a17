#include "host/report/why.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/cost/part_words.hpp"
#include "core/output/csv_text.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "core/value/reflect.hpp"
#include "host/report/fused_words.hpp"
#include "host/report/run_summary.hpp"
#include "host/report/search_words.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {
namespace {

Why why_of_row(const ResultRow& row) {
  Why why;
  why.row = row;
  why.evaluation = row.evaluation();
  why.proven = is_proven_best(*why.evaluation);
  return why;
}

core::ScheduleHelpOptions schedule_options(const core::HelpOptions& options) {
  return {.factor = options.factor, .least = options.least, .cancelled = options.cancelled};
}

}  // namespace

WhyOfResult why_of(const ResultRows& result, const std::string& layer, const core::HelpOptions& options) {
  WhyOfResult found;
  found.settings = result.settings;
  std::vector<std::string> names;
  std::vector<const core::Evaluation*> all;
  for (const ResultRow& row : result.layers) {
    names.push_back(row.layer);
    auto schedule = why_of_schedule(row, layer, schedule_options(options));
    if (!schedule && !layer.empty() && row.layer != layer) continue;
    Why why = why_of_row(row);
    if (why.schedule = std::move(schedule); why.schedule) {
      found.layers.push_back(std::move(why));
      continue;
    }
    why.count = why.evaluation->times;
    why.helps = core::helps_for(std::vector{why.evaluation}, options);
    all.push_back(why.evaluation);
    found.layers.push_back(std::move(why));
  }
  if (found.layers.empty() && !layer.empty()) {
    throw core::InputError({core::Diagnostic{core::Severity::error,
                                             {},
                                             fmt::format("there is no layer '{}'", layer),
                                             core::suggestion(layer, names)}});
  }
  if (!layer.empty() || !result.total) return found;
  found.total = why_of_row(*result.total);
  found.total->proven =
      std::all_of(found.layers.begin(), found.layers.end(), [](const Why& why) { return why.proven; });
  found.total->helps = core::helps_for(all, options);
  return found;
}

namespace {

/// "15,004"
std::string with_commas(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (std::size_t at = digits.size();
       at > 3 && std::isdigit(static_cast<unsigned char>(digits[at - 4])) != 0;)
    digits.insert(at -= 3, ",");
  return digits;
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

/// Amounts by words, most first; equal ones in their order.
template <class Words>
class Amounts {
 public:
  void add(const Words& words, double amount) {
    const auto same =
        std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.first == words; });
    if (same == all_.end())
      all_.emplace_back(words, amount);
    else
      same->second += amount;
  }
  const std::vector<std::pair<Words, double>>& sorted() {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return all_;
  }

 private:
  std::vector<std::pair<Words, double>> all_;
};

std::string headline(const Why& why) {
  const core::Evaluation& evaluation = *why.evaluation;
  const double latency = evaluation.latency_total2;
  std::string text =
      fmt::format("{}: {} cycles", core::printable_line(why.row.layer), with_commas(latency));
  const std::vector<core::Limit> limits = core::limits_of(evaluation);
  if (evaluation.latency_parts.empty()) return text + "; what limits it is not known.\n";
  text += fmt::format("; with every unit busy {} ({:.1f} %). Limited by",
                      with_commas(evaluation.ideal_cycle), percent(evaluation.ideal_cycle, latency));
  text += fmt::format(" {} ({:.0f} %)", core::limiter_words(limits[0].limiter),
                      percent(limits[0].cycles, latency));
  if (limits.size() > 1 && limits[1].cycles > limits[0].cycles / 2)
    text += fmt::format(", then {} ({:.0f} %)", core::limiter_words(limits[1].limiter),
                        percent(limits[1].cycles, latency));
  return core::printable_line(text + ".") + "\n";
}

/// Parts that take less than a hundredth of the latency are one line.
std::string latency_lines(const core::Evaluation& evaluation) {
  Amounts<std::pair<std::string, std::string>> parts;
  for (const core::LatencyPart& part : evaluation.latency_parts) {
    const core::PartWords words = core::words_of(part);
    parts.add({words.what, words.where}, part.cycles);
  }
  for (const core::Limit& limit : core::limits_of(evaluation))
    if (limit.limiter.empty()) parts.add({core::limiter_words(""), ""}, limit.cycles);
  const double latency = evaluation.latency_total2;
  std::string text;
  const auto add = [&](double cycles, const std::string& what, const std::string& where) {
    std::string line = fmt::format("  {:>5.1f} %  {:>14}  {:<18}  {}", percent(cycles, latency),
                                   with_commas(cycles), what, where);
    line.erase(line.find_last_not_of(' ') + 1);
    text += core::printable_line(line) + "\n";
  };
  double others = 0;
  for (const auto& [words, cycles] : parts.sorted()) {
    if (cycles >= latency / 100)
      add(cycles, words.first, words.second);
    else
      others += cycles;
  }
  if (others > 0) add(others, "others", "less than 1 % each");
  return text;
}

/// True if zz can evaluate it again, or a part of it.
bool is_known(const Why& why) { return why.helps.repeatable > 0; }

std::string helps_text(const Why& why, const core::HelpOptions& options) {
  std::string not_known;
  for (const std::string& sentence : why.helps.not_known)
    not_known += core::printable_line(fmt::format(
                     "{}: {}.", is_known(why) ? "Not known" : "What would help is not known", sentence)) +
                 "\n";
  if (!is_known(why)) return not_known;
  if (why.helps.found.empty())
    return fmt::format("What would help: no single change {}saves {:.3g} %.\n{}",
                       not_known.empty() ? "" : "that could be costed ", 100 * options.least, not_known);
  TextTable table({{"What would help"}, {"cycles", true}, {"saves", true}, {"mapping"}});
  for (const core::Help& help : why.helps.found)
    table.add_row({help.change, with_commas(help.latency),
                   fmt::format("{:.1f} %", percent(help.saved, why.row.latency)),
                   help.mapping + (help.kind == "memory" ? ", cost of an access kept" : "")});
  return table.text() + not_known;
}

std::string arithmetic_or(const core::EnergyPart& part, const std::string& words) {
  return part.memory.empty() ? "arithmetic" : words;
}

std::string shares_text(Amounts<std::string>& amounts, double whole, std::size_t most) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [words, amount] : amounts.sorted()) {
    if (shown++ == most || percent(amount, whole) < 0.5) break;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", words, percent(amount, whole));
  }
  return text;
}

/// Costs that were filled in are known within ranges, and so is what they add up to.
std::string with_range(const ResultRow& row) {
  const std::string energy = energy_words(row.energy);
  const auto& range = row.energy_range;
  if (!range) return energy;
  return fmt::format("{} ({} to {}, by the ranges of the costs that were filled in)", energy,
                     energy_words(range->low), energy_words(range->high));
}

std::string energy_line(const Why& why) {
  const core::Evaluation& evaluation = *why.evaluation;
  std::string text = "Energy: " + with_range(why.row);
  if (evaluation.energy_parts.empty()) return text + "; where it goes is not known.\n";
  Amounts<std::string> places, reasons;
  double unknown = evaluation.energy_total;  // where a stage changed it
  for (const core::EnergyPart& part : evaluation.energy_parts) {
    places.add(arithmetic_or(part, part.memory + " " + part.operand), part.pJ);
    reasons.add(arithmetic_or(part, part.because), part.pJ);
    unknown -= part.pJ;
  }
  if (std::abs(unknown) > 1e-9 * evaluation.energy_total) {
    places.add("not known", unknown);
    reasons.add("not known", unknown);
  }
  return core::printable_line(text + "; " + shares_text(places, evaluation.energy_total, 3) + "; " +
                              shares_text(reasons, evaluation.energy_total, 4)) +
         "\n";
}

std::string energy_table(const core::Evaluation& evaluation) {
  std::vector<core::EnergyPart> parts = evaluation.energy_parts;
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.pJ > b.pJ; });
  TextTable table({{"energy", true}, {"share", true}, {"where"}, {"what"}, {"why"}});
  for (const core::EnergyPart& part : parts)
    table.add_row(
        {energy_words(part.pJ), fmt::format("{:.1f} %", percent(part.pJ, evaluation.energy_total)),
         arithmetic_or(part, part.memory),
         part.operand.empty() ? "" : core::words_of_use(part.operand, part.direction), part.because});
  return table.text();
}

std::string in_full(const Why& why, bool energy, const core::HelpOptions& options) {
  if (why.schedule) return schedule_text(why.row, *why.schedule, energy, schedule_options(options));
  std::string text =
      headline(why) + latency_lines(*why.evaluation) + helps_text(why, options) + energy_line(why);
  if (energy && !why.evaluation->energy_parts.empty()) text += energy_table(*why.evaluation);
  if (!why.proven && !why.evaluation->latency_parts.empty()) text += fmt::format("({})\n", not_proven_best);
  return text;
}

std::string what_saves_most(const Why& layer) {
  if (!is_known(layer)) return "not known";
  if (layer.helps.found.empty()) return "-";
  const core::Help& help = layer.helps.found.front();
  return fmt::format("{:.1f} %: {}", percent(help.saved, layer.row.latency), help.change);
}

std::string layers_table(const WhyOfResult& why) {
  TextTable table({{"layer"}, {"cycles", true}, {"share", true}, {"limited by"}, {"what would save most"}});
  const double whole = why.total->row.latency;
  for (const Why& layer : why.layers)
    table.add_row({layer.row.layer, with_commas(layer.row.latency),
                   fmt::format("{:.1f} %", percent(layer.row.latency, whole)),
                   core::limit_words(*layer.evaluation), what_saves_most(layer)});
  return table.text();
}

std::vector<ResultRow> rows_of_layers(const WhyOfResult& why) {
  std::vector<ResultRow> rows;
  for (const Why& layer : why.layers) rows.push_back(layer.row);
  return rows;
}

std::string fused_text(const WhyOfResult& why) {
  const std::string text = fused_groups_text(rows_of_layers(why));
  return text.empty() ? "" : text + "\n";
}

}  // namespace

std::string why_text(const WhyOfResult& why, bool energy, const core::HelpOptions& options) {
  std::string text = settings_line(why.settings);
  // A sum has no schedule of its own.
  const bool schedules = std::any_of(why.layers.begin(), why.layers.end(),
                                     [](const Why& layer) { return layer.schedule != nullptr; });
  if (why.total && !schedules)
    return text + layers_table(why) + "\n" + fused_text(why) + in_full(*why.total, energy, options);
  for (std::size_t i = 0; i < why.layers.size(); ++i)
    text += (i == 0 ? "" : "\n") + in_full(why.layers[i], energy, options);
  return text;
}

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json json_of(const T& object) {
  return Json::parse(core::to_json(core::reflect(object)));
}

Json limits_json(const core::Evaluation& evaluation) {
  Json limits = Json::array();
  for (const core::Limit& limit : core::limits_of(evaluation))
    limits.push_back(
        {{"limiter", limit.limiter.empty() ? Json() : Json(limit.limiter)}, {"cycles", limit.cycles}});
  return limits;
}

Json helps_json(const Why& why) {
  if (!is_known(why)) return {};
  Json helps = Json::array();
  for (const core::Help& help : why.helps.found) {
    Json one{{"kind", help.kind},       {"change", help.change}, {"mapping", help.mapping},
             {"latency", help.latency}, {"saved", help.saved},   {"changes", help.changes}};
    if (help.energy) one["energy"] = *help.energy;
    helps.push_back(std::move(one));
  }
  return helps;
}

Json figures_json(const Why& why) {
  const core::Evaluation& evaluation = *why.evaluation;
  const std::string& limiter = why.row.limited_by;
  Json json{{"latency", why.row.latency}, {"energy", why.row.energy}};
  if (const auto& range = why.row.energy_range) {
    json["energy_low"] = range->low;
    json["energy_high"] = range->high;
  }
  json.update(Json{{"proven_best", why.proven},
                   {"limited_by", limiter.empty() ? Json() : Json(limiter)},
                   {"limits", limits_json(evaluation)},
                   {"latency_parts", json_of(evaluation.latency_parts)},
                   {"energy_parts", json_of(evaluation.energy_parts)},
                   {"helps", helps_json(why)},
                   {"not_known", why.helps.not_known}});
  if (why.schedule) json.update(schedule_json(*why.schedule));
  return json;
}

Json layer_json(const Why& why) {
  Json json{{"layer", why.row.layer}, {"count", why.count}};
  json.update(figures_json(why));
  json["ports"] = json_of(why.evaluation->ports);
  json["evaluation"] = Json::parse(core::to_json(why.row.value.ref()));
  return json;
}

Json result_json_of(const WhyOfResult& why) {
  Json json = Json::object();
  add_settings(json, why.settings);
  json["layers"] = Json::array();
  for (const Why& layer : why.layers) json["layers"].push_back(layer_json(layer));
  json["total"] = why.total ? figures_json(*why.total) : Json();
  if (Json groups = fused_groups_json(rows_of_layers(why)); !groups.empty())
    json["fused_groups"] = std::move(groups);
  return json;
}

}  // namespace

Json why_json(const std::vector<WhyOfResult>& results) {
  Json json{{"format", "zz-why"}, {"version", 1}};
  if (results.size() == 1) {
    json.update(result_json_of(results.front()));
  } else {
    json["results"] = Json::array();
    for (const WhyOfResult& result : results) json["results"].push_back(result_json_of(result));
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

std::string why_csv(const std::vector<WhyOfResult>& results, bool energy) {
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
