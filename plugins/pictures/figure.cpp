#include "plugins/pictures/figure.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "plugins/pictures/resources.hpp"

namespace zz::plugins {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::string>;

/// One row a line, so that a specification can be read and compared.
std::string rows_text(const Rows& rows) {
  std::string text = "[";
  const char* separator = "\n";
  for (const std::string& row : rows) {
    text.append(separator).append(row);
    separator = ",\n";
  }
  return text + "\n]";
}

Figure filled(const std::string& name, const std::vector<std::pair<std::string, const Rows*>>& tables) {
  // Only the specification is searched, never rows, which may have any text in them.
  const std::string_view specification = resource(name + ".vg.json");
  const std::string_view empty = "\"values\": []";
  const std::size_t data = specification.find("\"data\": [");
  std::map<std::size_t, const Rows*> places;
  for (const auto& [table, rows] : tables)
    places[specification.find(empty, specification.find("\"name\": \"" + table + "\"", data))] = rows;
  std::string text;
  std::size_t copied = 0;
  for (const auto& [place, rows] : places) {
    text.append(specification.substr(copied, place - copied))
        .append("\"values\": ")
        .append(rows_text(*rows));
    copied = place + empty.size();
  }
  return {name, text.append(specification.substr(copied))};
}

}  // namespace

Figure figure(const std::string& name, const core::FigureTables& tables) {
  std::vector<std::pair<std::string, const Rows*>> all;
  for (const core::FigureTable& table : tables) all.emplace_back(table.name, &table.rows);
  return filled(name, all);
}

Figure figure(const std::string& name, const Json& tables) {
  std::map<std::string, Rows> texts;
  std::vector<std::pair<std::string, const Rows*>> all;
  for (const auto& [table, rows] : tables.items()) {
    Rows& of_table = texts[table];
    for (const Json& row : rows)
      of_table.push_back(row.dump(-1, ' ', false, Json::error_handler_t::replace));
    all.emplace_back(table, &of_table);
  }
  return filled(name, all);
}

}  // namespace zz::plugins
