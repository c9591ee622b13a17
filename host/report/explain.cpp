#include "host/report/explain.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/value/read.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::host {
namespace {

std::string ports_text(std::span<const zz_port> ports) {
  std::string text;
  for (const zz_port& port : ports) {
    text += fmt::format("{}{}: {}{}", text.empty() ? "" : ", ", port.key, port_type_name(port),
                        (port.flags & ZZ_OPTIONAL) != 0 ? " (if there)" : "");
  }
  return text;
}

std::string stage_text(const ResolvedStage& stage) {
  std::string text = fmt::format("{:>2}. {}  [{} in {}, {}]\n", stage.position, stage.stage->name,
                                 stage.stage->id, stage.plugin->file_name(), core::to_string(stage.mark()));
  for (const ResolvedSetting& setting : stage.settings) {
    const char* unit = setting.parameter->unit;
    text += fmt::format("      {} = {}{}  ({})\n", setting.parameter->name,
                        core::to_json(setting.value.ref()), unit != nullptr ? fmt::format(" {}", unit) : "",
                        origin_text(setting.origin, setting.mark));
  }
  if (stage.stage->n_consumes > 0)
    text += fmt::format("      takes {}\n", ports_text(consumed_by(*stage.stage)));
  if (stage.stage->n_provides > 0)
    text += fmt::format("      hands down {}\n", ports_text(provided_by(*stage.stage)));
  return text;
}

}  // namespace

std::string origin_text(Origin origin, const core::SourceMark& mark) {
  return origin == Origin::fallback ? "default" : core::to_string(mark);
}

std::string explain_as_text(const ResolvedPipeline& chain) {
  std::string text = chain.context.empty() ? "" : "parameters\n";
  for (const ContextEntry& entry : chain.context) {
    text += fmt::format("      {} = {}  ({})\n", entry.key, core::to_json(entry.value.ref()),
                        origin_text(entry.origin, entry.mark));
  }
  if (!chain.stages.empty()) text += "stages, outermost first\n";
  for (const ResolvedStage* stage : all_stages(chain.stages)) text += stage_text(*stage);
  return text;
}

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const core::Value& value) { return Json::parse(core::to_json(value.ref()), nullptr, false); }

Json json_of(std::span<const zz_port> ports) {
  Json all = Json::array();
  for (const zz_port& port : ports) {
    all.push_back(
        {{"key", port.key}, {"type", port_type_name(port)}, {"optional", (port.flags & ZZ_OPTIONAL) != 0}});
  }
  return all;
}

Json json_of(const std::vector<ResolvedStage>& stages) {
  Json all = Json::array();
  for (const ResolvedStage& stage : stages) {
    Json settings = Json::array();
    for (const ResolvedSetting& setting : stage.settings) {
      const char* unit = setting.parameter->unit;
      settings.push_back({{"name", setting.parameter->name},
                          {"value", json_of(setting.value)},
                          {"unit", unit != nullptr ? Json(unit) : Json(nullptr)},
                          {"origin", origin_text(setting.origin, setting.mark)}});
    }
    Json nested = Json::object();
    for (const NestedStages& list : stage.nested) nested[list.parameter->name] = json_of(list.stages);
    all.push_back({{"position", stage.position},
                   {"name", stage.stage->name},
                   {"id", stage.stage->id},
                   {"plugin", stage.plugin->file},
                   {"place", core::to_string(stage.mark())},
                   {"settings", std::move(settings)},
                   {"consumes", json_of(consumed_by(*stage.stage))},
                   {"provides", json_of(provided_by(*stage.stage))},
                   {"stages_in_settings", std::move(nested)}});
  }
  return all;
}

}  // namespace

std::string explain_as_json(const ResolvedPipeline& chain) {
  Json parameters = Json::array();
  for (const ContextEntry& entry : chain.context) {
    parameters.push_back({{"name", entry.key},
                          {"value", json_of(entry.value)},
                          {"origin", origin_text(entry.origin, entry.mark)}});
  }
  return Json{{"parameters", std::move(parameters)}, {"stages", json_of(chain.stages)}}.dump(2) + "\n";
}

}  // namespace zz::host
