#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/nearest_name.hpp"
#include "core/compat/rules.hpp"
#include "core/exploration/space_forms.hpp"
#include "core/input/stream/multi_core_yaml.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"
#include "core/schema/fused_groups.hpp"
#include "host/base/standard_output.hpp"
#include "host/boundary/host_table.hpp"
#include "host/chain/foreign_names.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/report/form_schema.hpp"
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

/// "zigzag-3.9 but faster_than_ports": names, and the exceptions that may follow them.
std::string pattern_of_compat(const zz_param& parameter) {
  std::string names, rules;
  for (const std::string& name : split_names(parameter.allowed)) {
    if (name.empty()) continue;
    names += names.empty() ? "" : "|";
    for (const char letter : name) names += letter == '.' ? std::string("\\.") : std::string(1, letter);
  }
  for (const core::RuleRow& row : core::rule_rows())
    rules += (rules.empty() ? "" : "|") + std::string(row.name);
  return fmt::format("^({}) but ({})(, *({}))*$", names, rules, rules);
}

/// The schema of pipeline files, made from the tables of stages.
class PipelineSchema {
 public:
  explicit PipelineSchema(const std::vector<StageSource>& stages) : stages_(stages) {}

  /// `space`: one stage at least must be ExplorationStage.
  Json whole(bool space) {
    definitions_["stages"] = nullptr;
    definitions_["stages"] = stages();
    Json list{{"$ref", "#/$defs/stages"}};
    if (space) list["contains"] = explorer();
    Json properties{{"version", {{"const", 1}, {"description", "of the form of pipeline files"}}},
                    {"plugins",
                     {{"type", Json::array({"array", "null"})},
                      {"items", {{"type", "string"}}},
                      {"description", "files of plugins"}}},
                    {"parameters", parameters()},
                    {"stages", std::move(list)}};
    return Json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                {"title", space ? "zz design space" : "zz pipeline"},
                {"type", "object"},
                {"required", Json::array({"version", "stages"})},
                {"properties", std::move(properties)},
                {"patternProperties", {{"^x-", Json::object()}}},
                {"additionalProperties", false},
                {"$defs", std::move(definitions_)}};
  }

 private:
  static Json explorer() {
    return {
        {"anyOf", Json::array({{{"const", "ExplorationStage"}},
                               {{"type", "object"}, {"required", Json::array({"ExplorationStage"})}}})}};
  }

  Json setting(const zz_param& parameter) {
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
    if (std::string_view(parameter.name) == "compat" && schema.contains("enum")) {
      schema["anyOf"] = Json::array(
          {{{"enum", schema["enum"]}}, {{"type", "string"}, {"pattern", pattern_of_compat(parameter)}}});
      schema.erase("enum");
      schema.erase("type");
    }
    if (parameter.def != nullptr) schema["default"] = default_of(parameter);
    if ((parameter.flags & ZZ_DEPRECATED) != 0) schema["deprecated"] = true;
    return schema;
  }

  /// Each setting has one definition, in its stage.
  static Json reference(const zz_stage_desc& stage, const char* setting = nullptr) {
    std::string place = fmt::format("#/$defs/{}", stage.name);
    if (setting != nullptr) place += fmt::format("/properties/{}", setting);
    return {{"$ref", std::move(place)}};
  }

  /// Spellings of one setting do not stand together.
  static void add_apart(std::set<std::pair<std::string, std::string>>& apart, const zz_param& parameter) {
    std::vector<std::string> names = split_names(parameter.aliases);
    names.insert(names.begin(), parameter.name);
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t j = i + 1; j < names.size(); ++j) apart.emplace(names[i], names[j]);
  }

  static void write_apart(Json& schema, const std::set<std::pair<std::string, std::string>>& apart) {
    for (const auto& [name, other] : apart)
      schema["allOf"].push_back({{"not", {{"required", Json::array({name, other})}}}});
  }

  Json settings(const zz_stage_desc& stage) {
    Json properties = Json::object();
    std::set<std::pair<std::string, std::string>> apart;
    for (const zz_param& parameter : parameters_of(stage)) {
      properties[parameter.name] = setting(parameter);
      for (const auto& alias : split_names(parameter.aliases)) {
        properties[alias] = reference(stage, parameter.name);
        properties[alias]["deprecated"] = true;
      }
      add_apart(apart, parameter);
    }
    if (std::string_view(stage.name) == "ExplorationStage") add_forms_of_space(properties);
    Json schema{{"type", Json::array({"object", "null"})},
                {"description", text_or_empty(stage.summary)},
                {"properties", std::move(properties)},
                {"patternProperties", {{"^x-", Json::object()}}},
                {"additionalProperties", false}};
    write_apart(schema, apart);
    return schema;
  }

  void add_forms_of_space(Json& properties) {
    const auto refine = [&](const char* name, const core::yaml::Form& form) {
      Json& property = properties[name];
      const bool may_be_null = property["type"].is_array();
      property.erase("type");
      Json own = schema_of(form, definitions_);
      property["anyOf"] = Json::array({std::move(own)});
      if (may_be_null) property["anyOf"].push_back({{"type", "null"}});
    };
    refine("axes", core::axes_form());
    refine("linked", core::closed_forms_form());
    refine("metrics", core::closed_forms_form());
  }

  /// Every setting of every stage. One that several stages define may match any of the definitions.
  Json parameters() {
    Json properties = Json::object();
    properties["note"] =
        Json{{"type", "string"}, {"description", "what its author says of the pipeline; changes nothing"}};
    std::set<std::pair<std::string, std::string>> apart;
    std::set<std::string> own_names, objects;
    for (const StageSource& source : stages_) {
      for (const zz_param& parameter : parameters_of(*source.stage)) {
        add_choice(properties[parameter.name], *source.stage, parameter);
        for (const auto& alias : split_names(parameter.aliases))
          add_choice(properties[alias], *source.stage, parameter);
        add_apart(apart, parameter);
        own_names.insert(parameter.name);
      }
      for (const zz_port& port : provided_by(*source.stage))
        if (std::string_view(port.key) != "*" && (port.kind == ZZ_OBJECT || port.kind == ZZ_NULL))
          objects.insert(std::string(port.key).substr(0, std::string_view(port.key).find_first_of(".[")));
    }
    // A pipeline may give what stages take from above, too.
    for (const StageSource& source : stages_)
      for (const zz_port& port : consumed_by(*source.stage))
        if (port.kind != ZZ_OBJECT && std::string_view(port.key) != "*" && !properties.contains(port.key))
          properties[port.key] = Json{{"description", text_or_empty(port.doc)}};
    for (const std::string_view name : passed_over_names())
      if (!properties.contains(std::string(name)))
        properties[std::string(name)] = Json{{"description", "of ZigZag or Stream; changes nothing here"}};
    std::erase_if(apart, [&](const auto& pair) { return own_names.contains(pair.second); });
    std::string paths;
    for (const std::string& key : objects) paths += (paths.empty() ? "" : "|") + key;
    Json schema{{"type", Json::array({"object", "null"})},
                {"properties", std::move(properties)},
                {"patternProperties",
                 {{"^x-", Json::object()},
                  {fmt::format("^({})[.\\[]", paths),
                   {{"description", "a part of what a stage hands down, by its path"}}}}},
                {"additionalProperties", false}};
    write_apart(schema, apart);
    return schema;
  }

  /// The first one stands for all stages that define a setting alike.
  void add_choice(Json& property, const zz_stage_desc& stage, const zz_param& parameter) {
    Json& choices = property["anyOf"];
    if (choices.is_null()) choices = Json::array();
    const Json own = definitions_[stage.name]["properties"][parameter.name];
    for (const Json& choice : choices)
      if (definitions_.at(Json::json_pointer(
              choice["$ref"].get<std::string>().substr(std::string("#/$defs").size()))) == own)
        return;
    choices.push_back(reference(stage, parameter.name));
  }

  Json stages() {
    Json names = Json::array(), with_settings = Json::object();
    for (const StageSource& source : stages_) {
      definitions_[source.stage->name] = settings(*source.stage);
      for (const auto& name : names_of(*source.stage)) {
        names.push_back(name);
        with_settings[name] = reference(*source.stage);
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

  const std::vector<StageSource>& stages_;
  Json definitions_ = Json::object();
};

const std::vector<std::string>& kinds_of_files() {
  static const std::vector<std::string> kinds = {"pipeline", "accelerator", "core",  "multi_core",
                                                 "mapping",  "workload",    "space", "fused"};
  return kinds;
}

/// The schema of files that readers of their own read; null for pipelines and spaces.
Json schema_of_inputs(const std::string& kind) {
  if (kind == "accelerator")
    return file_schema("zz accelerator", core::accelerator_form(core::Units::required));
  if (kind == "core") return file_schema("zz core", core::accelerator_form(core::Units::optional));
  if (kind == "multi_core") return file_schema("zz accelerator of several cores", core::multi_core_form());
  if (kind == "mapping") return file_schema("zz mapping", core::mapping_form());
  if (kind == "workload") return file_schema("zz workload", core::workload_form());
  if (kind == "fused") return file_schema("zz fused groups", core::fused_groups_form());
  return nullptr;
}

int run_schema(const Options& options) {
  const std::string kind = options.operands.empty() ? "pipeline" : options.operands.front();
  const std::vector<std::string>& kinds = kinds_of_files();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    throw UsageError(fmt::format("there is no schema of '{}'", kind), core::suggestion(kind, kinds));
  Json schema = schema_of_inputs(kind);
  if (schema.is_null()) {
    PluginRegistry registry(host_table());
    // A program reads the schema, or the reason why it is incomplete.
    const ExitCode code = load_plugins(options, registry);
    if (code != ExitCode::done) return static_cast<int>(code);
    registry.add_search_path(options.plugin_paths);
    const auto stages = registry.stages();
    schema = PipelineSchema(stages).whole(kind == "space");
  }
  fmt::print(standard_output(), "{}\n", schema.dump(1));
  return static_cast<int>(ExitCode::done);
}

}  // namespace

const Verb schema_verb("schema", "[KIND]",
                       "print the JSON Schema of pipelines with all stages known here, or of another kind "
                       "of input file",
                       "json", 0, 1, run_schema, nullptr, nullptr, [] { return words(kinds_of_files()); });

}  // namespace zz::host
