#include "plugins/pictures/picture.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json_text.hpp"
#include "plugins/pictures/resources.hpp"

namespace zz::plugins {

Picture make_picture(const std::string& name, core::VegaTables tables) {
  nlohmann::ordered_json specification = nlohmann::ordered_json::parse(resource(name + ".vg.json"));
  for (auto& data : specification["data"]) {
    const auto table = tables.find(data["name"].get<std::string>());
    if (table != tables.end()) data["values"] = std::move(*table);
  }
  // Rows of data, on level 4, have a line each.
  return {name, core::json_text(specification, {.indent = 2, .levels = 4}) + "\n"};
}

}  // namespace zz::plugins
