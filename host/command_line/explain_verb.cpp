#include <fmt/format.h>

#include "core/value/read.hpp"
#include "host/chain/stage_order.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::host {
namespace {

std::string origin_text(Origin origin, const core::SourceMark& mark) {
  return origin == Origin::fallback ? "default" : core::to_string(mark);
}

std::string ports_text(std::span<const zz_port> ports) {
  std::string text;
  for (const zz_port& port : ports) {
    text += fmt::format("{}{}: {}{}", text.empty() ? "" : ", ", port.key, port_type_name(port),
                        (port.flags & ZZ_OPTIONAL) != 0 ? " (if there)" : "");
  }
  return text;
}

void explain(const ResolvedStage& stage) {
  fmt::print("{:>2}. {}  [{} in {}, {}]\n", stage.position, stage.stage->name, stage.stage->id,
             stage.plugin->file_name(), core::to_string(stage.mark()));
  for (const ResolvedSetting& setting : stage.settings) {
    const char* unit = setting.parameter->unit;
    fmt::print("      {} = {}{}  ({})\n", setting.parameter->name, core::to_json(setting.value.ref()),
               unit != nullptr ? fmt::format(" {}", unit) : "", origin_text(setting.origin, setting.mark));
  }
  if (stage.stage->n_consumes > 0) fmt::print("      takes {}\n", ports_text(consumed_by(*stage.stage)));
  if (stage.stage->n_provides > 0)
    fmt::print("      hands down {}\n", ports_text(provided_by(*stage.stage)));
}

}  // namespace

int explain_verb(const Options& options) {
  PipelineSession session;
  const ExitCode code = open_session(options, session);
  if (!session.chain.context.empty()) fmt::print("parameters\n");
  for (const ContextEntry& entry : session.chain.context) {
    fmt::print("      {} = {}  ({})\n", entry.key, core::to_json(entry.value.ref()),
               origin_text(entry.origin, entry.mark));
  }
  if (!session.chain.stages.empty()) fmt::print("stages, outermost first\n");
  for (const ResolvedStage* stage : all_stages(session.chain.stages)) explain(*stage);
  return static_cast<int>(code);
}

}  // namespace zz::host
