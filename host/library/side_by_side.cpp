#include "host/library/side_by_side.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/text.hpp"
#include "host/report/search_words.hpp"

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;

ComparedRow compared(const std::string& layer, const ResultRow* ours, const ResultRow* theirs) {
  ComparedRow row{layer, {}, {}, {}};
  if (ours != nullptr) row.ours = *ours;
  if (theirs != nullptr) row.theirs = *theirs;
  return row;
}

Json side_json(const std::optional<ResultRow>& row) {
  Json json = figures_json(row);
  if (row) json["limited_by"] = row->limited_by.empty() ? Json() : Json(row->limited_by);
  return json;
}

Json pair_json(const ComparedRow& row) {
  Json json{{"layer", row.layer},
            {"first", side_json(row.ours)},
            {"second", side_json(row.theirs)},
            {"difference", nullptr}};
  if (row.ours && row.theirs)
    json["difference"] = figures_json(
        Figures{row.theirs->energy - row.ours->energy, row.theirs->latency - row.ours->latency});
  return json;
}

/// Rows of bars for one figure; the longest bar fills the width.
std::string bars(const ComparedResult& result, double Figures::*figure, const std::string& title) {
  double most = 0;
  for (const ComparedRow& row : result.layers)
    for (const auto& figures : {row.ours, row.theirs})
      if (figures) most = std::max(most, (*figures).*figure);
  std::string text = fmt::format("<h2>{}</h2>\n<table>\n", title);
  const auto bar = [&](const std::optional<ResultRow>& figures, const char* which) {
    if (!figures) return std::string("<div class=\"none\">not there</div>");
    const double value = (*figures).*figure;
    std::string more;
    if (figure == &Figures::latency && !figures->limited_by.empty())
      more = ", limited by " + core::html_text(figures->limited_by);
    if (figure == &Figures::energy && figures->energy_range)
      more = fmt::format(" ({})", range_words(figures->energy_range));
    return fmt::format("<div class=\"{}\" style=\"width:{:.2f}%\"></div><span>{:.6g}{}</span>", which,
                       most > 0 ? 65 * value / most : 0, value, more);
  };
  for (const ComparedRow& row : result.layers)
    text += fmt::format("<tr><th>{}</th><td>{}<br>{}</td></tr>\n", core::html_text(row.layer),
                        bar(row.ours, "first"), bar(row.theirs, "second"));
  return text + "</table>\n";
}

constexpr const char* page_head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>zz: two runs side by side</title><style>
body { font: 14px sans-serif; margin: 2em; max-width: 70em }
table { width: 100%; border-collapse: collapse }
th { text-align: left; font-weight: normal; width: 22em; padding: 3px 1em 3px 0; vertical-align: top }
td { padding: 3px 0 }
td div { display: inline-block; height: 0.8em; vertical-align: middle; margin-right: 0.5em }
.first { background: #4c78a8 } .second { background: #f58518 } .none { color: #888 }
</style></head><body><h1>Two runs side by side</h1>
)";

}  // namespace

std::vector<ComparedResult> pair_up(const std::vector<ResultRows>& ours,
                                    const std::vector<ResultRows>& theirs) {
  std::vector<ComparedResult> results;
  for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
    static const ResultRows none;
    const ResultRows& our = i < ours.size() ? ours[i] : none;
    const ResultRows& their = i < theirs.size() ? theirs[i] : none;
    ComparedResult result{i < ours.size() ? our.settings : their.settings, {}, {}};
    for (const ResultRow& row : our.layers)
      result.layers.push_back(compared(row.layer, &row, their.find(row)));
    for (const ResultRow& row : their.layers)
      if (our.find(row) == nullptr) result.layers.push_back(compared(row.layer, nullptr, &row));
    if (our.total || their.total)
      result.total =
          compared("total", our.total ? &*our.total : nullptr, their.total ? &*their.total : nullptr);
    results.push_back(std::move(result));
  }
  return results;
}

Json figures_json(const std::optional<Figures>& figures) {
  if (!figures) return nullptr;
  Json json{{"energy_total", figures->energy}, {"latency_total2", figures->latency}};
  if (const auto& range = figures->energy_range) {
    json["energy_low"] = range->low;
    json["energy_high"] = range->high;
  }
  return json;
}

Json side_by_side_json(const SideBySide& runs) {
  Json json{{"first", runs.first}, {"second", runs.second}, {"results", Json::array()}};
  for (const ComparedResult& result : runs.results) {
    Json one = Json::object();
    add_settings(one, result.settings);
    one["total"] = result.total ? pair_json(*result.total) : Json();
    one["layers"] = Json::array();
    for (const ComparedRow& row : result.layers) one["layers"].push_back(pair_json(row));
    json["results"].push_back(std::move(one));
  }
  return json;
}

std::string side_by_side_page(const SideBySide& runs) {
  std::string text = page_head;
  text += fmt::format(
      "<p><span class=\"first\">&emsp;</span> {}<br><span class=\"second\">&emsp;</span> {}</p>\n",
      core::html_text(runs.first), core::html_text(runs.second));
  for (const ComparedResult& result : runs.results) {
    std::string settings;
    for (const auto& [name, value] : result.settings)
      settings += fmt::format("{}{} = {}", settings.empty() ? "" : ", ", name, value);
    if (!settings.empty()) text += "<h1>" + core::html_text(settings) + "</h1>\n";
    ComparedResult rows = result;
    if (rows.total && rows.layers.empty()) rows.layers.push_back(*rows.total);
    text += bars(rows, &Figures::latency, "latency [cycles]") + bars(rows, &Figures::energy, "energy [pJ]");
  }
  return text + "</body></html>\n";
}

}  // namespace zz::host
