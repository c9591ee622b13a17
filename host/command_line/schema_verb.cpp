#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "host/boundary/host_table.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/report/stage_description.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;

Json type_of_kind(std::int32_t kind) {
  switch (kind) {
    case ZZ_BOOL:
      return "boolean";
    case ZZ_I64:
      return "integer";
    case ZZ_F64:
      return "number";
    case ZZ_STR:
      return Json::array({"string", "number", "boolean"});
    case ZZ_LIST:
      return "array";
    case ZZ_MAP:
      return "object";
    default:
      return nullptr;
  }
}

/// "[1, 64]", "(0, 1]": as the bounds of a number; "a|b": as an enumeration.
void add_allowed(Json& schema, const zz_param& parameter) {
  if (parameter.allowed == nullptr) return;
  const std::string text = parameter.allowed;
  const auto comma = text.find(',');
  const bool interval = comma != std::string::npos && (text.front() == '[' || text.front() == '(');
  if (!interval) {
    if (parameter.kind == ZZ_STR) schema["enum"] = split_names(parameter.allowed);
    return;
  }
  const std::string low = text.substr(1, comma - 1);
  std::string high = text.substr(comma + 1, text.size() - comma - 2);
  high.erase(0, high.find_first_not_of(' '));
  if (low.find("inf") == std::string::npos)
    schema[text.front() == '[' ? "minimum" : "exclusiveMinimum"] = Json::parse(low, nullptr, false);
  if (high.find("inf") == std::string::npos)
    schema[text.back() == ']' ? "maximum" : "exclusiveMaximum"] = Json::parse(high, nullptr, false);
}

Json schema_of(const zz_param& parameter) {
  Json schema = Json::object();
  if (parameter.doc != nullptr) schema["description"] = parameter.doc;
  if ((parameter.flags & ZZ_STAGES) != 0) {
    schema["anyOf"] = Json::array({{{"$ref", "#/$defs/stages"}}, {{"type", "null"}}});
    return schema;
  }
  Json type = type_of_kind(parameter.kind);
  // The contents of an input file may stand in its place.
  if (parameter.kind == ZZ_STR && (parameter.flags & ZZ_INPUT_PATH) != 0)
    for (const char* whole : {"array", "object"}) type.push_back(whole);
  if (!type.is_null() && (parameter.flags & ZZ_REQUIRED) == 0) {
    if (!type.is_array()) type = Json::array({type});
    type.push_back("null");
  }
  if (!type.is_null()) schema["type"] = std::move(type);
  add_allowed(schema, parameter);
  if (schema.contains("enum") && (parameter.flags & ZZ_REQUIRED) == 0) schema["enum"].push_back(nullptr);
  // Exceptions may follow: "zigzag-3.9 but faster_than_ports".
  if (std::string_view(parameter.name) == "compat" && schema.contains("enum")) {
    schema["anyOf"] = Json::array({{{"enum", schema["enum"]}}, {{"pattern", "^[^ ]+ but .+$"}}});
    schema.erase("enum");
  }
  if (parameter.def != nullptr) schema["default"] = default_of(parameter);
  if ((parameter.flags & ZZ_DEPRECATED) != 0) schema["deprecated"] = true;
  return schema;
}

/// The setting under its name and under every older spelling.
void add_properties(Json& properties, const zz_param& parameter) {
  properties[parameter.name] = schema_of(parameter);
  for (const auto& alias : split_names(parameter.aliases)) {
    properties[alias] = schema_of(parameter);
    properties[alias]["deprecated"] = true;
  }
}

Json settings_schema(const zz_stage_desc& stage) {
  Json properties = Json::object();
  for (const zz_param& parameter : parameters_of(stage)) add_properties(properties, parameter);
  return Json{{"type", Json::array({"object", "null"})},
              {"description", text_or_empty(stage.summary)},
              {"properties", std::move(properties)},
              {"patternProperties", {{"^x-", Json::object()}}},
              {"additionalProperties", false}};
}

/// Every setting of every stage. A setting that several stages define may match any of the definitions.
Json parameters_schema(const std::vector<StageSource>& stages) {
  Json properties = Json::object();
  for (const char* general : {"seed", "compat"})
    properties[general] = Json{{"anyOf", Json::array({Json::object()})}};
  properties["note"] =
      Json{{"type", "string"}, {"description", "what its author says of the pipeline; changes nothing"}};
  for (const StageSource& source : stages) {
    Json own = Json::object();
    for (const zz_param& parameter : parameters_of(*source.stage)) add_properties(own, parameter);
    for (auto& [name, schema] : own.items()) {
      Json& choices = properties[name]["anyOf"];
      if (choices.is_null()) choices = Json::array();
      bool known = false;
      for (const Json& choice : choices) known = known || choice == schema;
      if (!known) choices.push_back(schema);
    }
  }
  return Json{{"type", Json::array({"object", "null"})},
              {"properties", std::move(properties)},
              {"patternProperties", {{"^x-", Json::object()}}},
              {"additionalProperties", false}};
}

Json stages_schema(const std::vector<StageSource>& stages) {
  Json names = Json::array(), with_settings = Json::object();
  for (const StageSource& source : stages) {
    for (const auto& name : names_of(*source.stage)) {
      names.push_back(name);
      with_settings[name] = settings_schema(*source.stage);
    }
  }
  Json map{{"type", "object"},
           {"properties", std::move(with_settings)},
           {"additionalProperties", false},
           {"minProperties", 1},
           {"maxProperties", 1}};
  Json name{{"type", "string"}, {"enum", std::move(names)}};
  return Json{{"type", "array"},
              {"minItems", 1},
              {"items", {{"anyOf", Json::array({std::move(name), std::move(map)})}}}};
}

int run_schema(const Options& options) {
  PluginRegistry registry(host_table());
  const ExitCode code = load_plugins(options, registry);
  // A program reads the schema, or the reason why it is incomplete.
  if (code != ExitCode::done) return static_cast<int>(code);
  registry.add_search_path(options.plugin_paths);
  const auto stages = registry.stages();
  const Json schema{
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "zz pipeline"},
      {"type", "object"},
      {"required", Json::array({"version", "stages"})},
      {"properties",
       {{"version", {{"const", 1}}},
        {"plugins", {{"type", Json::array({"array", "null"})}, {"items", {{"type", "string"}}}}},
        {"parameters", parameters_schema(stages)},
        {"stages", {{"$ref", "#/$defs/stages"}}}}},
      {"patternProperties", {{"^x-", Json::object()}}},
      {"additionalProperties", false},
      {"$defs", {{"stages", stages_schema(stages)}}}};
  fmt::print("{}\n", schema.dump(2));
  return static_cast<int>(code);
}

}  // namespace

const Verb schema_verb("schema", "", "print the JSON Schema of pipeline files, with all stages known here",
                       "json", 0, 0, run_schema);

}  // namespace zz::host
