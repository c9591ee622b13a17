#include <fmt/format.h>

#include "core/value/read.hpp"
#include "host/plugins/stage_table.hpp"
#include "host/report/explain.hpp"

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
  for (const ChangedPart& change : stage.changes) {
    text += fmt::format("      with {} = {}  ({})\n", change.path, core::to_json(change.value.ref()),
                        origin_text(change.origin, change.mark));
  }
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

}  // namespace zz::host
