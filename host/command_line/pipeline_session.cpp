#include "host/command_line/pipeline_session.hpp"

#include "host/command_line/network_options.hpp"
#include "host/report/problems.hpp"

namespace zz::host {

namespace {

constexpr const char* code_hint =
    "--allow-code loads it; 'trusted_folders' of zz/config.yaml names folders where that is not needed";

}  // namespace

bool is_made(const Options& options) {
  return options.verb == "map" || options.verb == "fused" || options.verb == "profile";
}

ExitCode load_plugins(const Options& options, PluginRegistry& registry) {
  ExitCode code = ExitCode::done;
  for (const auto& file : options.plugins) {
    const std::string wrong = registry.add_file(file, "--plugin");
    if (wrong.empty()) continue;
    tell_error("the plugin " + wrong, ExitCode::plugin);
    code = ExitCode::plugin;
  }
  return code;
}

PipelineRequest request_of(const Options& options) {
  PipelineRequest request;
  if (is_made(options))
    request.choices = options.choices;
  else
    request.path = options.operands.front();
  request.set = assignments_of(options);
  if (!options.seed.empty()) request.set.push_back("seed=" + options.seed);
  if (!options.point.empty()) request.set.push_back("ExplorationStage.point=" + options.point);
  if (!options.shard.empty()) request.set.push_back("ExplorationStage.shard=" + options.shard);
  request.plugins = options.plugins;
  request.plugin_paths = options.plugin_paths;
  // A pipeline that is only looked at runs nothing of a stranger.
  const bool looks = options.verb == "check" || options.verb == "explain";
  if (looks && !options.allow_code) request.allowed = {false, trusted_folders(), code_hint};
  return request;
}

OpenPipeline open_session(const Options& options) {
  OpenPipeline open = open_pipeline(request_of(options));
  tell(open.diagnostics);
  return open;
}

}  // namespace zz::host
