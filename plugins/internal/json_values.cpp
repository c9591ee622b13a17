#include "plugins/internal/json_values.hpp"

#include <span>
#include <string>
#include <vector>

namespace zz::plugins {

Value value_of_json(const nlohmann::json& json) {
  if (json.is_boolean()) return make(json.get<bool>());
  if (json.is_number_integer()) return make(json.get<std::int64_t>());
  if (json.is_number()) return make(json.get<double>());
  if (json.is_string()) return make(json.get_ref<const std::string&>());
  if (json.is_array()) {
    std::vector<Value> items;
    for (const nlohmann::json& item : json) items.push_back(value_of_json(item));
    return make_list(items);
  }
  if (json.is_object()) {
    std::vector<Value> held;
    std::vector<Entry> entries;
    for (const auto& [name, part] : json.items())
      entries.emplace_back(name, held.emplace_back(value_of_json(part)));
    return make(Literal(std::span<const Entry>(entries)));
  }
  return {};
}

nlohmann::ordered_json json_of_value(Ref value) {
  if (value.kind() == ZZ_F64) return value.num();
  if (value.kind() == ZZ_LIST) {
    auto items = nlohmann::ordered_json::array();
    for (const Ref item : value) items.push_back(json_of_value(item));
    return items;
  }
  if (value.kind() == ZZ_MAP) {
    auto parts = nlohmann::ordered_json::object();
    for (uint32_t i = 0; i < value.size(); ++i)
      parts[std::string(value.key(i))] = json_of_value(value.at(i));
    return parts;
  }
  return nlohmann::ordered_json::parse(value.json());
}

}  // namespace zz::plugins
