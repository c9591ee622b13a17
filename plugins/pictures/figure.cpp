#include "plugins/pictures/figure.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "plugins/pictures/resources.hpp"

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

}  // namespace

Figure figure(const std::string& name, const Json& tables) {
  // Only the specification is searched, never rows, which may have any text in them.
  const std::string_view specification = resource(name + ".vg.json");
  const std::string_view empty = "\"values\": []";
  const std::size_t data = specification.find("\"data\": [");
  std::map<std::size_t, const Json*> places;
  for (const auto& [table, rows] : tables.items())
    places[specification.find(empty, specification.find("\"name\": \"" + table + "\"", data))] = &rows;
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

}  // namespace zz::plugins
