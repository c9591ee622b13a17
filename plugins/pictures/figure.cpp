#include "plugins/pictures/figure.hpp"

#include <map>
#include <string_view>

#include "plugins/pictures/resources.hpp"

namespace zz::plugins {
namespace {

std::size_t size_of(const core::FigureTables& tables) {
  std::size_t size = 0;
  for (const core::FigureTable& table : tables) size += table.rows.size() + 2;
  return size;
}

}  // namespace

Figure figure(const std::string& name, const core::FigureTables& tables) {
  // Only the specification is searched, never rows, which may have any text in them.
  const std::string_view specification = resource(name + ".vg.json");
  const std::string_view empty = "\"values\": []";
  const std::size_t data = specification.find("\"data\": [");
  std::map<std::size_t, const std::string*> places;
  for (const core::FigureTable& table : tables)
    places[specification.find(empty, specification.find("\"name\": \"" + table.name + "\"", data))] =
        &table.rows;
  std::string text;
  text.reserve(specification.size() + size_of(tables));
  std::size_t copied = 0;
  for (const auto& [place, rows] : places) {
    text.append(specification.substr(copied, place - copied)).append("\"values\": [");
    if (!rows->empty()) text += '\n';
    text.append(*rows).append("\n]");
    copied = place + empty.size();
  }
  return {name, text.append(specification.substr(copied))};
}

}  // namespace zz::plugins
