#include "plugins/plot/figure.hpp"

#include <nlohmann/json.hpp>

#include "core/report/cost_figures.hpp"
#include "core/report/mapping_figures.hpp"
#include "plugins/plot/resources.hpp"

namespace zz::plugins {
namespace {

using Json = nlohmann::ordered_json;

/// One row a line, so that a specification can be read and compared.
std::string rows_text(const Json& rows) {
  std::string text = "[";
  const char* separator = "\n";
  for (const Json& row : rows) {
    text += separator + row.dump(-1, ' ', false, Json::error_handler_t::replace);
    separator = ",\n";
  }
  return text + "\n]";
}

/// Puts the tables into the data sets of those names.
Figure figure(const std::string& name, const Json& tables) {
  std::string text(resource_table.at(name + ".vg.json"));
  for (const auto& [table, rows] : tables.items()) {
    const std::string data_set = "\"name\": \"" + table + "\"";
    const std::string empty = "\"values\": []";
    const std::size_t place = text.find(empty, text.find(data_set, text.find("\"data\": [")));
    text.replace(place, empty.size(), "\"values\": " + rows_text(rows));
  }
  return {name, text};
}

}  // namespace

std::vector<Figure> figures_of(const core::ResultList& results) {
  std::vector<Figure> figures{figure("energy", core::energy_tables(results)),
                              figure("latency", core::latency_tables(results))};
  const Json hierarchy = core::hierarchy_tables(results);
  if (!hierarchy["accelerators"].empty()) figures.push_back(figure("memory_hierarchy", hierarchy));
  const Json nests = core::loop_nest_tables(results);
  if (!nests["results"].empty()) figures.push_back(figure("loop_nest", nests));
  return figures;
}

}  // namespace zz::plugins
