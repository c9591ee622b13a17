#include "host/serve/pages.hpp"

#include <nlohmann/json.hpp>

#include "core/base/json_text.hpp"
#include "core/value/type.hpp"

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;

/// {type: {"is", "parts": {name: {"type", "unit", "is", "computed"}}}}, also where a value in a list is
/// found by name.
std::string parts_page() {
  Json types = Json::object();
  for (const core::Type* type : core::object_types()) {
    Json parts = Json::object();
    for (const core::Field& field : type->fields) {
      Json& part = parts[field.name] = Json{{"is", field.doc}};
      if (field.words != nullptr) part["type"] = field.words();
      if (*field.unit != '\0') part["unit"] = field.unit;
      part["computed"] = field.edit == nullptr;
    }
    Json& one = types[std::string(type->name)] = Json{{"is", type->doc}};
    if (*type->label != '\0') one["found_by"] = type->label;
    one["parts"] = std::move(parts);
  }
  return core::json_text(types, {.indent = 1}) + "\n";
}

constexpr Page own_pages[] = {
    {"zz://values", "values", "What values are made of: every type with its parts, their units and meaning",
     "text/markdown", values_page},
    {"zz://parts", "parts",
     "The same as JSON: the parts that paths of 'set' (accelerator.memories[sram].size) and 'part' "
     "(operands[W].levels) are made of",
     "application/json", parts_page},
};

}  // namespace

std::span<const Page> pages() { return own_pages; }

}  // namespace zz::host
