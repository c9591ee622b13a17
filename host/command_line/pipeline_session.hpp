#pragma once
#include "host/chain/resolved_pipeline.hpp"
#include "host/command_line/exit_code.hpp"
#include "host/command_line/options.hpp"

namespace zz::host {

/// Loads what the command line and the search path name. Failures of files that the user named are
/// printed; the result is then ExitCode::plugin, else done.
ExitCode load_plugins(const Options& options, PluginRegistry& registry);

/// A pipeline read from its file, with its plugins loaded, resolved and checked.
struct PipelineSession {
  PipelineFile pipeline;
  PluginRegistry registry;
  ResolvedPipeline chain;
};

/// Does all that, and prints everything that is wrong. What is not ExitCode::done is the way to end.
ExitCode open_session(const Options& options, PipelineSession& session);

/// Prints diagnostics on stderr, each one once.
void print(const core::Diagnostics& diagnostics);

}  // namespace zz::host
