#pragma once
#include "host/chain/resolved_pipeline.hpp"
#include "host/command_line/exit_code.hpp"
#include "host/command_line/options.hpp"

namespace zz::host {

/// Loads what the command line and the search path name. Failures of files that the user named are
/// told; the result is then ExitCode::plugin, else done.
ExitCode load_plugins(const Options& options, PluginRegistry& registry);

/// A pipeline read from its file, with its plugins loaded, resolved and checked.
struct PipelineSession {
  PipelineFile pipeline;
  PluginRegistry registry;
  ResolvedPipeline chain;
};

/// Does all that, and tells of everything that is wrong. Any code but ExitCode::done ends the program.
ExitCode open_session(const Options& options, PipelineSession& session);

}  // namespace zz::host
