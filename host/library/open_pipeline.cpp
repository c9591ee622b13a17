#include "host/library/open_pipeline.hpp"

#include <mutex>
#include <set>

#include "core/base/files.hpp"
#include "core/store/result_store.hpp"
#include "host/base/run.hpp"
#include "host/base/time_spent.hpp"
#include "host/chain/chain_checks.hpp"
#include "host/chain/resolve.hpp"
#include "host/plugins/search_path.hpp"

namespace zz::host {
namespace {

/// Loads those that are allowed. Returns false when one of them does not load.
bool load_plugins_of(OpenPipeline& open, const AllowedCode& allowed) {
  bool all = true;
  for (const PluginEntry& plugin : open.pipeline.plugins) {
    current_run().files.note_read(plugin.file);
    std::string wrong = other_writers_of_file(plugin.file), hint;
    if (!wrong.empty()) {
      wrong = plugin.file + ": " + wrong;
      hint = "change who may write there, or load it by --plugin";
    } else if (allowed.allows(plugin.file)) {
      wrong = open.registry.add_file(plugin.file, "plugins of " + open.pipeline.path);
    }
    if (wrong.empty()) continue;
    open.diagnostics.error(plugin.mark, "the plugin " + wrong, hint);
    all = false;
  }
  return all;
}

/// Looks at the others without loading them. Returns false when one of them cannot be a plugin.
bool leave_plugins_of(OpenPipeline& open, const AllowedCode& allowed) {
  bool all = true;
  for (const PluginEntry& plugin : open.pipeline.plugins) {
    if (allowed.allows(plugin.file) || !other_writers_of_file(plugin.file).empty()) continue;
    const std::size_t before = open.registry.files().size();
    const std::string wrong = open.registry.leave(plugin.file, "plugins of " + open.pipeline.path);
    if (!wrong.empty()) {
      open.diagnostics.error(plugin.mark, "the plugin " + wrong);
      all = false;
    } else if (open.registry.files().size() > before) {
      open.diagnostics.warning(
          plugin.mark, "the plugin " + plugin.file + " is not loaded, so its stages are not looked at",
          allowed.hint);
    }
  }
  return all;
}

bool load_requested_plugins(const PipelineRequest& request, OpenPipeline& open) {
  bool all = true;
  for (const std::string& file : request.plugins) {
    const std::string wrong = open.registry.add_file(file, "--plugin");
    current_run().files.note_read(file);
    if (wrong.empty()) continue;
    open.diagnostics.error({}, "the plugin " + wrong);
    all = false;
  }
  return all;
}

PipelineFile read_as_written(const PipelineRequest& request, core::Diagnostics& diagnostics) {
  if (request.choices.has_value()) {
    PipelineFile made = default_pipeline(*request.choices, current_run().files);
    if (request.choices->mapping.empty())
      diagnostics.warning(
          {},
          "without a mapping file no unrolling is prescribed, and I1 holds inputs, I2 weights, O outputs");
    return made;
  }
  if (request.text.has_value())
    return read_pipeline_text(*request.text, request.path, diagnostics, current_run().files);
  return read_pipeline(request.path, diagnostics, current_run().files);
}

PipelineFile read(const PipelineRequest& request, core::Diagnostics& diagnostics) {
  PipelineFile pipeline = read_as_written(request, diagnostics);
  for (const std::string& assignment : request.set) {
    apply_set(pipeline, assignment, diagnostics, request.set_given_as);
    // Named by the user, and not by a pipeline alone, which may be a stranger's.
    const std::size_t value = assignment.find('=') + 1;
    const bool quoted = assignment.size() > value + 1 && assignment[value] == '"';
    core::ResultStore::trust_server(
        assignment.substr(value + (quoted ? 1 : 0), assignment.size() - value - (quoted ? 2 : 0)));
  }
  pipeline.arguments.insert(request.arguments.begin(), request.arguments.end());
  return pipeline;
}

}  // namespace

std::vector<std::string> OpenPipeline::code_left() const {
  std::set<std::string> files;
  for (const PluginFile& file : registry.files())
    if (file.left) files.insert(file.file);
  const std::string plugins = registry.left_files();
  for (const ResolvedStage* stage : stages_not_looked_at(chain.stages))
    if (stage->stand_in->files() != plugins) files.insert(stage->stand_in->files());
  return {files.begin(), files.end()};
}

OpenPipeline open_pipeline(const PipelineRequest& request) {
  // Plugins say so; a stage in Python may open a pipeline while its file is read.
  static std::recursive_mutex loading;
  const std::lock_guard lock(loading);
  const Charge charge("pipeline and checks");
  OpenPipeline open;
  bool loaded = load_requested_plugins(request, open);
  try {
    open.pipeline = read(request, open.diagnostics);
    loaded = load_plugins_of(open, request.allowed) && loaded;
    open.registry.add_search_path(request.plugin_paths);
    loaded = leave_plugins_of(open, request.allowed) && loaded;
    if (request.edit) request.edit(open.pipeline, open.registry);
    open.chain = resolve(open.pipeline, open.registry, request.allowed, open.diagnostics);
    // With an unknown stage, messages about missing keys would mislead.
    if (open.chain.all_found && !open.chain.stages.empty()) {
      check_ports(open.chain, open.registry, open.diagnostics);
      describe_metrics(open.chain, open.diagnostics);
    }
  } catch (const core::InputError& error) {
    for (const core::Diagnostic& problem : error.diagnostics())
      open.diagnostics.error(problem.mark, problem.message, problem.hint);
    open.code = ExitCode::usage;
    return open;
  }
  if (!loaded || (open.diagnostics.has_errors() && open.chain.plugin_missing))
    open.code = ExitCode::plugin;
  else if (open.diagnostics.has_errors())
    open.code = ExitCode::usage;
  return open;
}

}  // namespace zz::host
