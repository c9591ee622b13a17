#include "host/report/component_report.hpp"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/components/technology.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {
namespace {

using core::components::ComponentCost;
using core::components::Estimate;

struct Figure {
  const char* key;
  const char* unit;
  Estimate ComponentCost::*estimate;
};

constexpr std::array<Figure, 5> figures = {{{"energy", "pJ", &ComponentCost::energy},
                                            {"write_energy", "pJ", &ComponentCost::write_energy},
                                            {"area", "mm2", &ComponentCost::area},
                                            {"leakage", "mW", &ComponentCost::leakage},
                                            {"access_time", "ns", &ComponentCost::access_time}}};

/// In words, for people: "energy of a read".
std::string title_of(const Figure& figure, const ComponentReport& report) {
  if (figure.estimate == &ComponentCost::energy)
    return std::string("energy ") + core::components::component_called(report.component).energy;
  if (figure.estimate == &ComponentCost::write_energy) return "energy of a write";
  return figure.estimate == &ComponentCost::access_time ? "access time" : figure.key;
}

/// A sentence of the page of costs on such a node; "" of most.
std::string warning_of(const ComponentReport& report) {
  double node = core::components::largest_node;
  if (const auto given = report.given.find("node"); given != report.given.end())
    std::from_chars(given->second.data(), given->second.data() + given->second.size(), node);
  return core::components::warning_of_node(node);
}

}  // namespace

ComponentReport report_component(const std::string& component,
                                 const std::map<std::string, std::string>& given) {
  return {component, given, core::components::component_cost(component, given)};
}

std::string component_as_table(const ComponentReport& report) {
  TextTable table({{report.component}, {"value", true}, {"from", true}, {"to", true}, {"unit"}});
  for (const Figure& figure : figures) {
    const Estimate& one = report.cost.*figure.estimate;
    const bool of_memories_only = figure.estimate == &ComponentCost::write_energy;
    if (!one.known() && of_memories_only) continue;
    if (one.known())
      table.add_row({title_of(figure, report), fmt::format("{:.4g}", one.value),
                     fmt::format("{:.4g}", one.low), fmt::format("{:.4g}", one.high), figure.unit});
    else
      table.add_row({title_of(figure, report), "not known", "", "", ""});
  }
  const std::string warning = warning_of(report);
  return table.text() + fmt::format("{}: {}\n", standing_of(report.cost), report.cost.source) +
         (warning.empty() ? "" : warning + "\n");
}

nlohmann::ordered_json component_as_json(const ComponentReport& report) {
  nlohmann::ordered_json json{{"component", report.component}, {"given", report.given}};
  for (const Figure& figure : figures) {
    const Estimate& one = report.cost.*figure.estimate;
    if (one.known())
      json[figure.key] = {
          {"value", one.value}, {"low", one.low}, {"high", one.high}, {"unit", figure.unit}};
    else
      json[figure.key] = nullptr;
  }
  json["standing"] = standing_of(report.cost);
  json["source"] = report.cost.source;
  if (const std::string warning = warning_of(report); !warning.empty()) json["warning"] = warning;
  return json;
}

}  // namespace zz::host
