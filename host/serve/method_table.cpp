#include "host/serve/method_table.hpp"

#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

constexpr MethodParameter which{"pipeline", "string",
                                "name of a loaded pipeline; default: the one that was used last"};
constexpr MethodParameter changed{
    "set", "object",
    "what to change: parameters (loma_lpf_limit), settings of stages (LomaStage.loma_lpf_limit), entries "
    "of "
    "maps (dimensions.batch), and parts of what a stage has read (accelerator.memories[sram].size, "
    "workload.layers[conv1].loops[K].size), each with its new value"};

constexpr MethodParameter of_load[] = {
    {"path", "string", "the pipeline file"},
    {"text", "any", "or the pipeline itself: YAML, or the tree that YAML would give"},
    {"pipeline", "string", "a name for it; one that is loaded is replaced. Default: a number"},
    {"files", "object",
     "files in memory, {name: text or tree}: the pipeline may name them where it names input files"},
    changed};
constexpr MethodParameter of_unload[] = {which};
constexpr MethodParameter of_change[] = {
    which, changed, {"reset", "boolean", "undo all earlier changes first; default: false"}};
constexpr MethodParameter of_check[] = {which};
constexpr MethodParameter of_run[] = {
    which,
    changed,
    {"threads", "integer", "threads to use, at most 1024; 0: all there are; default: those of the server"}};
constexpr MethodParameter of_results[] = {
    which,
    {"result", "integer", "number of a result of the last run, from 1; default: 1"},
    {"layer", "string", "name of a layer; default: the result as a whole, as the total of a network"},
    {"part", "string", "path of a part of the evaluation, as operands[W].levels; default: all of it"}};
constexpr MethodParameter of_why[] = {
    which,
    {"result", "integer", "number of a result of the last run, from 1; default: 1"},
    {"layer", "string", "name of a layer; default: all of them, and the whole"},
    {"mapping", "boolean", "explain the mappings as they are; default: false, every change is mapped anew"},
    {"energy", "boolean", "also what would lower the energy; default: false"},
    {"search", "boolean", "with mapping: other unrollings as well, for a second a layer; default: false"}};
constexpr MethodParameter of_explain[] = {
    which, {"format", "string", "json, text, or yaml: a complete pipeline file", false, "json|text|yaml"}};
constexpr MethodParameter of_stages[] = {
    {"stage", "string", "a stage to describe with its settings; default: the names of all"}};

constexpr Method table[] = {
    {"load", "Reads a pipeline and checks it. It stays loaded under a name.", &Session::load, of_load,
     false, true},
    {"change", "Changes fields of a loaded pipeline for all later runs. With an error nothing changes.",
     &Session::change, of_change, false, true, true},
    {"run",
     "Runs a loaded pipeline and returns energy (pJ), latency (cycles) and utilization of each layer and "
     "in "
     "total, with warnings. `set` holds for this run only.",
     &Session::run, of_run, false, true},
    {"results", "Returns an evaluation of the last run with all its figures, or a part of it.",
     &Session::results, of_results, true},
    {"why",
     "Says what limits the layers of the last run, and what changes of the accelerator save, each with the "
     "layers mapped anew; with `mapping` where the cycles of these mappings go, in parts that add up.",
     &Session::why, of_why, true},
    {"explain", "Shows the stages as they run and where each setting comes from.", &Session::explain,
     of_explain, true, true},
    {"check", "Checks a loaded pipeline without running it.", &Session::check, of_check, true, true},
    {"stages", "Lists the stages that pipelines are made of, or describes one with its settings.",
     &Session::stages, of_stages, true},
    {"unload", "Forgets a loaded pipeline.", &Session::unload, of_unload},
};

constexpr MethodParameter of_list_pages[] = {{"cursor", "string", "none is ever given"}};
constexpr MethodParameter of_read_page[] = {
    {"uri", "string", "as zz://stages/LomaStage, zz://values", true}};
constexpr Method resource_table[] = {
    {"resources/list", "Lists the pages of the stages, and those of values and their parts.",
     &Session::list_pages, of_list_pages, true},
    {"resources/read", "Returns such a page.", &Session::read_page, of_read_page, true},
};

bool has_type(const Json& value, std::string_view type) {
  if (type == "string") return value.is_string();
  if (type == "object") return value.is_object();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_unsigned() && value.get<std::uint64_t>() <= 1'000'000'000;
  return true;
}

void check_value(const Method& method, const MethodParameter& parameter, const Json& value) {
  const std::string place = fmt::format("params.{}", parameter.name);
  if (!has_type(value, parameter.type)) {
    throw RpcError(
        RpcCode::invalid_params,
        fmt::format("'{}' of '{}' must be of type {}{}, but is {}", parameter.name, method.name,
                    parameter.type, std::string_view(parameter.type) == "integer" ? " from 0 to 1e9" : "",
                    value.is_number() ? core::shown_text(value.dump()) : value.type_name()),
        place, parameter.doc);
  }
  if (*parameter.allowed == '\0') return;
  const std::vector<std::string> allowed = split_names(parameter.allowed);
  for (const std::string& one : allowed) {
    if (value == one) return;
  }
  const std::string given = value.get<std::string>();
  throw RpcError(
      RpcCode::invalid_params,
      fmt::format("'{}' of '{}' cannot be '{}'", parameter.name, method.name, core::shown_text(given)),
      place, core::suggestion(given, allowed));
}

}  // namespace

std::span<const Method> methods() { return table; }
std::span<const Method> resource_methods() { return resource_table; }

const Method* find_method(std::span<const Method> methods, const std::string& name) {
  for (const Method& method : methods) {
    if (name == method.name) return &method;
  }
  return nullptr;
}

std::string nearest_method(const std::string& name) {
  std::vector<std::string> names{"cancel", "shutdown", "ping", "initialize", "tools/list", "tools/call"};
  for (const Method& method : table) names.emplace_back(method.name);
  for (const Method& method : resource_table) names.emplace_back(method.name);
  const std::string near = core::nearest_name(name, names);
  return near.empty()
             ? core::suggestion("", {{"load, change, run, results, explain, check, stages, cancel"}})
             : "did you mean '" + near + "'?";
}

void check_parameters(const Method& method, const Json& params) {
  for (const auto& [name, value] : params.items()) {
    if (name == "_meta") continue;
    const MethodParameter* found = nullptr;
    std::vector<std::string> names;
    for (const MethodParameter& parameter : method.parameters) {
      if (name == parameter.name) found = &parameter;
      names.emplace_back(parameter.name);
    }
    if (found == nullptr) {
      throw RpcError(RpcCode::invalid_params,
                     fmt::format("unknown parameter '{}' of '{}'", core::shown_text(name), method.name),
                     "params." + core::shown_text(name), core::suggestion(name, names));
    }
    check_value(method, *found, value);
  }
  for (const MethodParameter& parameter : method.parameters) {
    if (!parameter.required || params.contains(parameter.name)) continue;
    throw RpcError(RpcCode::invalid_params,
                   fmt::format("'{}' needs the parameter '{}'", method.name, parameter.name), "params",
                   parameter.doc);
  }
}

Json schema_of(const Method& method) {
  Json properties = Json::object(), required = Json::array();
  for (const MethodParameter& parameter : method.parameters) {
    Json& property = properties[parameter.name] = {{"description", parameter.doc}};
    if (std::string_view(parameter.type) != "any") property["type"] = parameter.type;
    if (*parameter.allowed != '\0') property["enum"] = split_names(parameter.allowed);
    if (parameter.required) required.push_back(parameter.name);
  }
  Json schema{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

}  // namespace zz::host
