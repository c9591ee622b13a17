#pragma once
#include "host/chain/resolved_pipeline.hpp"
#include "host/command_line/exit_code.hpp"
#include "host/command_line/options.hpp"

namespace zz::host {

/// Loads the plugins of the command line and the search path. Reports files that the user named and that do
/// not load; the result is then ExitCode::plugin, else done.
ExitCode load_plugins(const Options& options, PluginRegistry& registry);

/// A pipeline read from its file, with its plugins loaded, resolved and checked.
struct PipelineSession {
  PipelineFile pipeline;
  PluginRegistry registry;
  ResolvedPipeline chain;
};

/// Opens the pipeline of the command line and reports everything that is wrong. The program ends with any
/// code but ExitCode::done.
ExitCode open_session(const Options& options, PipelineSession& session);

}  // namespace zz::host
