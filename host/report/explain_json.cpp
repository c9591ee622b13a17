#include <nlohmann/json.hpp>

#include "core/value/read.hpp"
#include "host/plugins/stage_table.hpp"
#include "host/report/explain.hpp"

namespace zz::host {
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
    Json changes = Json::array();
    for (const ChangedPart& change : stage.changes) {
      changes.push_back({{"name", change.path},
                         {"value", json_of(change.value)},
                         {"origin", origin_text(change.origin, change.mark)}});
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
                   {"changes", std::move(changes)},
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
