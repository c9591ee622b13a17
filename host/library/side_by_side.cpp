#include "host/library/side_by_side.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/text.hpp"
#include "core/cost/part_words.hpp"
#include "core/cost/rates.hpp"
#include "host/report/search_words.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;

ComparedRow compared(const std::string& layer, const ResultRow* ours, const ResultRow* theirs) {
  ComparedRow row{layer, {}, {}, {}};
  if (ours != nullptr) row.ours = *ours;
  if (theirs != nullptr) row.theirs = *theirs;
  return row;
}

Json number_json(double number) { return std::isnan(number) ? Json() : Json(number); }

Json side_json(const std::optional<ResultRow>& row) {
  Json json = figures_json(row);
  if (!row) return json;
  json["limited_by"] = row->limited_by.empty() ? Json() : Json(row->limited_by);
  json["mac_utilization2"] = number_json(row->utilization);
  json["optimum_gap"] = number_json(row->gap);
  for (const core::RateRow& rate : core::rate_rows)
    if (const double figure = row->metric(rate.name); !std::isnan(figure))
      json[std::string(rate.name)] = figure;
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

/// A row of bars as its name and what it compares.
struct BarRow {
  std::string name;
  const ComparedRow* row;
};

/// Rows of bars for one figure; the longest bar of a layer fills the width. The total comes first and has a
/// scale of its own.
std::string bars(const ComparedResult& result, const std::vector<BarRow>& layers, double Figures::*figure,
                 const std::string& title) {
  const auto larger = [&](const ComparedRow& row) {
    double most = 0;
    for (const auto& figures : {row.ours, row.theirs})
      if (figures) most = std::max(most, (*figures).*figure);
    return most;
  };
  double most = 0;
  for (const BarRow& one : layers) most = std::max(most, larger(*one.row));
  std::string text = fmt::format("<h2>{}</h2>\n<table>\n", title);
  const auto bar = [&](const std::optional<ResultRow>& figures, const char* which, double whole) {
    if (!figures) return std::string("<div class=\"none\">not there</div>");
    const double value = (*figures).*figure;
    std::string more;
    if (figure == &Figures::latency && !figures->limited_by.empty())
      more = ", limited by " + core::html_text(core::limiter_words(figures->limited_by));
    if (figure == &Figures::energy && figures->energy_range)
      more = fmt::format(" ({})", range_words(figures->energy_range));
    return fmt::format("<div class=\"{}\" style=\"width:{:.2f}%\"></div><span>{:.6g}{}</span>", which,
                       whole > 0 ? 65 * value / whole : 0, value, more);
  };
  const auto add = [&](const std::string& name, const ComparedRow& row, const char* kind, double whole) {
    text += fmt::format("<tr{}><th>{}</th><td>{}<br>{}</td></tr>\n", kind, core::html_text(name),
                        bar(row.ours, "first", whole), bar(row.theirs, "second", whole));
  };
  if (result.total) add("total", *result.total, " class=\"total\"", larger(*result.total));
  for (const BarRow& one : layers) add(one.name, *one.row, "", most);
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
.total th, .total span { font-weight: bold } .total td, .total th { padding-bottom: 1em }
</style></head><body><h1>Two runs side by side</h1>
)";

}  // namespace

namespace {

/// A schedule that was printed without its layers is one row: the whole.
ResultRows with_total(const ResultRows& rows, const ResultRows& other) {
  if (rows.total || !other.total || rows.layers.size() != 1 || other.find(rows.layers.front()) != nullptr)
    return rows;
  ResultRows whole{rows.settings, {}, rows.layers.front()};
  return whole;
}

/// The layers of the first in its order. Those that only the second has follow what they follow there.
std::vector<ComparedRow> paired_layers(const ResultRows& ours, const ResultRows& theirs) {
  std::vector<ComparedRow> rows;
  std::map<std::pair<std::string, int>, std::vector<const ResultRow*>> following;
  std::vector<const ResultRow*> before_all;
  const ResultRow* last = nullptr;
  for (const ResultRow& row : theirs.layers) {
    if (ours.find(row) != nullptr) {
      last = &row;
      continue;
    }
    (last == nullptr ? before_all : following[{last->layer, last->nth}]).push_back(&row);
  }
  for (const ResultRow* row : before_all) rows.push_back(compared(row->layer, nullptr, row));
  for (const ResultRow& row : ours.layers) {
    rows.push_back(compared(row.layer, &row, theirs.find(row)));
    if (const auto found = following.find({row.layer, row.nth}); found != following.end())
      for (const ResultRow* only : found->second) rows.push_back(compared(only->layer, nullptr, only));
  }
  return rows;
}

}  // namespace

std::vector<ComparedResult> pair_up(const std::vector<ResultRows>& ours,
                                    const std::vector<ResultRows>& theirs) {
  std::vector<ComparedResult> results;
  for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
    static const ResultRows none;
    const ResultRows& ours_here = i < ours.size() ? ours[i] : none;
    const ResultRows& theirs_here = i < theirs.size() ? theirs[i] : none;
    const ResultRows our = with_total(ours_here, theirs_here), their = with_total(theirs_here, ours_here);
    ComparedResult result{i < ours.size() ? our.settings : their.settings, paired_layers(our, their), {}};
    if (our.total || their.total)
      result.total =
          compared("total", our.total ? &*our.total : nullptr, their.total ? &*their.total : nullptr);
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<TableLayer> table_layers(const ComparedResult& result) {
  std::vector<TableLayer> layers;
  for (const ComparedRow& row : result.layers) {
    TableLayer& layer = layers.emplace_back(TableLayer{row.layer, {}});
    for (const auto& side : {row.ours, row.theirs}) {
      layer.cells.push_back(side ? figure_text(side->energy) : "");
      layer.cells.push_back(side ? figure_text(side->latency) : "");
      layer.cells.push_back(side ? side->limited_by : "");
      layer.cells.push_back(side ? gap_text(side->gap) : "");
    }
  }
  return layers;
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
    std::vector<BarRow> layers;
    for (MergedRow& row : merged_rows(table_layers(result)))
      layers.push_back({std::move(row.name), &result.layers[row.first]});
    text += bars(result, layers, &Figures::latency, "latency [cycles]") +
            bars(result, layers, &Figures::energy, "energy [pJ]");
  }
  return text + "</body></html>\n";
}

}  // namespace zz::host
