#include "plugins/pictures/figure.hpp"

#include <map>
#include <utility>

#include "plugins/pictures/resources.hpp"

namespace zz::plugins {

Figure figure(std::string name, core::FigureTables tables) {
  // Only the specification is searched, never rows, which may have any text in them.
  std::string_view left = resource(name + ".vg.json");
  const std::string_view empty = "\"values\": []";
  const std::size_t data = left.find("\"data\": [");
  std::map<std::size_t, std::string_view> places;
  for (const core::FigureTable& table : tables)
    places[left.find(empty, left.find("\"name\": \"" + table.name + "\"", data))] = table.rows.view();
  std::vector<std::string_view> parts;
  std::size_t taken = 0;
  for (const auto& [place, rows] : places) {
    const std::size_t bracket = place + empty.size() - 1;
    parts.push_back(left.substr(taken, bracket - taken));
    parts.push_back(rows.empty() ? "" : "\n");
    parts.push_back(rows);
    parts.push_back("\n");
    taken = bracket;
  }
  parts.push_back(left.substr(taken));
  return {std::move(name), std::move(parts), std::move(tables)};
}

}  // namespace zz::plugins
