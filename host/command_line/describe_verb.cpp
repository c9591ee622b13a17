#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/stage_description.hpp"
#include "host/command_line/verb_table.hpp"

namespace zz::host {

int describe_verb(const Options& options) {
  PluginRegistry registry;
  const ExitCode code = load_plugins(options, registry);
  registry.add_search_path(options.plugin_paths);
  const std::string& name = options.operands.front();
  const auto found = registry.find(name);
  if (found.empty()) {
    const std::string missing = registry.missing_builtins();
    fmt::print(stderr, "zz-host: error: unknown stage '{}'; {}\n", name,
               missing.empty() ? registry.suggestion(name) : missing);
    return static_cast<int>(missing.empty() ? ExitCode::usage : ExitCode::plugin);
  }
  for (const StageSource& source : found) {
    fmt::print("{}", options.format == "json" ? description_of(source).dump(2) + "\n" : page_of(source));
  }
  return static_cast<int>(code);
}

}  // namespace zz::host
