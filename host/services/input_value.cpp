#include "host/services/input_value.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/input/yaml/document.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/schema/types.hpp"
#include "host/chain/setting_value.hpp"

namespace zz::host {
namespace {

using core::Value;
using Json = nlohmann::ordered_json;

// Text that nests deeper would exhaust the stack where it is walked. docs/limits.md names both limits.
constexpr int deepest_json = 500;
constexpr std::uintmax_t most_json_bytes = std::uintmax_t{256} << 20;

/// Whole numbers from 2^63 on become doubles.
bool beyond_integers(const Json& json) {
  return json.is_number_unsigned() &&
         json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

Value value_of_json(const Json& json) {
  if (json.is_boolean()) return Value::boolean(json.get<bool>());
  if (json.is_number_integer() && !beyond_integers(json)) return Value::integer(json.get<std::int64_t>());
  if (json.is_number()) return Value::number(json.get<double>());
  if (json.is_string()) return Value::text(json.get<std::string>());
  if (json.is_array()) {
    std::vector<Value> items;
    for (const Json& item : json) items.push_back(value_of_json(item));
    return Value::list(std::move(items));
  }
  if (!json.is_object()) return {};
  std::vector<std::pair<std::string, Value>> entries;
  for (const auto& [key, item] : json.items()) entries.emplace_back(key, value_of_json(item));
  return Value::map(std::move(entries));
}

Value read_json(const std::string& text, const std::string& name) {
  bool too_deep = false;
  const Json::parser_callback_t watch = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > deepest_json;
    return !too_deep;
  };
  try {
    const Json json = Json::parse(text, watch);
    if (too_deep)
      throw core::InputError(fmt::format("{}: nests deeper than {} levels", name, deepest_json));
    return value_of_json(json);
  } catch (const Json::exception& error) {
    throw core::InputError(fmt::format("{}: is no JSON: {}", name, error.what()));
  }
}

template <class T>
Value shared(T object) {
  return Value::object(std::make_shared<const T>(std::move(object)));
}

[[noreturn]] void refuse(std::string_view type) {
  const std::vector<std::string> known = {"accelerator", "mapping_file", "yaml", "json"};
  throw core::InputError(fmt::format("a text or file cannot be read as '{}'; {}", type,
                                     core::suggestion(std::string(type), known)));
}

}  // namespace

Value parse_value(std::string_view type, const std::string& text, const std::string& name,
                  core::Diagnostics& diagnostics) {
  if (type == "accelerator") return shared(core::read_accelerator_text(text, name, diagnostics));
  if (type == "mapping_file") return shared(core::read_mapping_text(text, name, diagnostics));
  if (type == "yaml") return value_of(core::yaml::load_text(text, name, diagnostics));
  if (type == "json") return read_json(text, name);
  refuse(type);
}

Value load_value(std::string_view type, const std::string& path, const core::Files& files,
                 core::Diagnostics& diagnostics) {
  if (type == "accelerator") return shared(core::read_accelerator(path, diagnostics, files));
  if (type == "mapping_file") return shared(core::read_mapping(path, diagnostics, files));
  if (type == "yaml") return value_of(core::yaml::load_file(path, diagnostics, files));
  if (type == "json") return read_json(files.read(path, most_json_bytes, "a JSON file"), path);
  refuse(type);
}

}  // namespace zz::host
