#include "plugins/plot/figure.hpp"

#include "core/report/cost_figures.hpp"
#include "core/report/mapping_figures.hpp"
#include "plugins/plot/resources.hpp"

namespace zz::plugins {
namespace {

/// One row a line, so that a specification can be read and compared.
std::string rows_text(const core::FigureTable& table) {
  std::string text = "[";
  const char* separator = "\n";
  for (const std::string& row : table.rows) {
    text.append(separator).append(row);
    separator = ",\n";
  }
  return text + "\n]";
}

/// Puts the tables into the data sets of those names.
Figure figure(const std::string& name, const core::FigureTables& tables) {
  std::string text(resource_table.at(name + ".vg.json"));
  for (const core::FigureTable& table : tables) {
    const std::string data_set = "\"name\": \"" + table.name + "\"";
    const std::string empty = "\"values\": []";
    const std::size_t place = text.find(empty, text.find(data_set, text.find("\"data\": [")));
    text.replace(place, empty.size(), "\"values\": " + rows_text(table));
  }
  return {name, text};
}

}  // namespace

std::vector<Figure> figures_of(const core::ResultList& results) {
  std::vector<Figure> figures{figure("energy", core::energy_tables(results)),
                              figure("latency", core::latency_tables(results))};
  const core::FigureTables hierarchy = core::hierarchy_tables(results);
  if (!hierarchy["accelerators"].rows.empty()) figures.push_back(figure("memory_hierarchy", hierarchy));
  const core::FigureTables nests = core::loop_nest_tables(results);
  if (!nests["results"].rows.empty()) figures.push_back(figure("loop_nest", nests));
  return figures;
}

}  // namespace zz::plugins
