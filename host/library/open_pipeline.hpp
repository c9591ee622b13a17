#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "host/base/exit_code.hpp"
#include "host/boundary/host_table.hpp"
#include "host/chain/resolved_pipeline.hpp"
#include "host/pipeline/default_pipeline.hpp"
#include "host/pipeline/pipeline_file.hpp"
#include "host/plugins/allowed_code.hpp"
#include "host/plugins/plugin_registry.hpp"

namespace zz::host {

/// Changes what was written; all plugins are loaded by then.
using PipelineEdit = std::function<void(PipelineFile&, const PluginRegistry&)>;

/// Which pipeline is wanted, and how it differs from what is written.
struct PipelineRequest {
  /// The pipeline file. With `text` it need not exist: it is the name in messages, and relative paths in
  /// the text count from its folder.
  std::string path{};
  std::optional<std::string> text{};    ///< the pipeline itself, as YAML or JSON
  std::vector<std::string> set{};       ///< "key=value" each, as for apply_set()
  std::string set_given_as = "--set ";  ///< stands before these in messages
  std::vector<std::string> plugins{};   ///< files
  std::vector<std::string> plugin_paths{};
  std::optional<PipelineChoices> choices{};  ///< the default pipeline in place of `path` and `text`
  PipelineEdit edit{};                       ///< comes after `set`
  /// Parameters that a program gave as arguments: one that no stage reads is an error.
  std::vector<std::string> arguments{};
  AllowedCode allowed{};  ///< code that the pipeline names and that is loaded
};

/// A pipeline with its plugins loaded, resolved and checked; or as far as that went.
struct OpenPipeline {
  PipelineFile pipeline;
  PluginRegistry registry{host_table()};
  ResolvedPipeline chain;
  core::Diagnostics diagnostics;  ///< everything that is wrong, and warnings
  ExitCode code =
      ExitCode::done;  ///< only with `done` the pipeline may run, and only without code that was left

  /// The plugins and Python files that the pipeline names and that were not loaded, as they are not
  /// allowed.
  std::vector<std::string> code_left() const;
};

/// Reads, resolves and checks a pipeline without running anything of it. Problems are part of the result.
/// Plugins stay loaded until the process ends, and are not loaded again while their files stay as they are.
/// For a thread that works for the run whose files the pipeline names. [any]
OpenPipeline open_pipeline(const PipelineRequest& request);

}  // namespace zz::host
