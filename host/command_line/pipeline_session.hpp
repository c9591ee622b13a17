#pragma once
#include "host/command_line/options.hpp"
#include "host/library/open_pipeline.hpp"

namespace zz::host {

/// Loads the plugins of the command line and the search path. Reports files that the user named and that do
/// not load; the result is then ExitCode::plugin, else done.
ExitCode load_plugins(const Options& options, PluginRegistry& registry);

/// The verb makes its pipeline itself, of Options::choices.
bool is_made(const Options& options);

/// The pipeline of the command line.
PipelineRequest request_of(const Options& options);

/// Opens the pipeline of the command line and reports everything that is wrong. The program ends with any
/// code but ExitCode::done.
OpenPipeline open_session(const Options& options);

}  // namespace zz::host
