#include "host/command_line/pipeline_session.hpp"

#include "host/chain/check_ports.hpp"
#include "host/chain/metrics.hpp"
#include "host/chain/resolve.hpp"
#include "host/report/problems.hpp"
#include "host/services/time_spent.hpp"

namespace zz::host {
namespace {

ExitCode load_plugins_of(const PipelineFile& pipeline, PluginRegistry& registry,
                         core::Diagnostics& diagnostics) {
  ExitCode code = ExitCode::done;
  for (const PluginEntry& plugin : pipeline.plugins) {
    const std::string wrong = registry.add_file(plugin.file, "plugins of " + pipeline.path);
    if (wrong.empty()) continue;
    diagnostics.error(plugin.mark, "the plugin " + wrong);
    code = ExitCode::plugin;
  }
  return code;
}

ExitCode worst(ExitCode plugins, const core::Diagnostics& diagnostics, bool plugin_missing) {
  if (plugins != ExitCode::done) return plugins;
  if (!diagnostics.has_errors()) return ExitCode::done;
  return plugin_missing ? ExitCode::plugin : ExitCode::usage;
}

}  // namespace

ExitCode load_plugins(const Options& options, PluginRegistry& registry) {
  ExitCode code = ExitCode::done;
  for (const auto& file : options.plugins) {
    const std::string wrong = registry.add_file(file, "--plugin");
    if (wrong.empty()) continue;
    tell_error("the plugin " + wrong);
    code = ExitCode::plugin;
  }
  return code;
}

ExitCode open_session(const Options& options, PipelineSession& session) {
  core::Diagnostics diagnostics;
  ExitCode plugins = load_plugins(options, session.registry);
  try {
    const Charge charge("pipeline and checks");
    session.pipeline = read_pipeline(options.operands.front(), diagnostics);
    for (const auto& assignment : options.set) apply_set(session.pipeline, assignment, diagnostics);
    if (!options.seed.empty()) apply_set(session.pipeline, "seed=" + options.seed, diagnostics);
    const ExitCode own = load_plugins_of(session.pipeline, session.registry, diagnostics);
    if (own != ExitCode::done) plugins = own;
    session.registry.add_search_path(options.plugin_paths);
    session.chain = resolve(session.pipeline, session.registry, diagnostics);
    // With an unknown stage, messages about missing keys would mislead.
    if (session.chain.complete && !session.chain.stages.empty()) {
      check_ports(session.chain, session.registry, diagnostics);
      describe_metrics(session.chain, diagnostics);
    }
  } catch (const core::InputError& error) {
    tell(diagnostics);
    tell(error);
    return ExitCode::usage;
  }
  tell(diagnostics);
  return worst(plugins, diagnostics, session.chain.plugin_missing);
}

}  // namespace zz::host
