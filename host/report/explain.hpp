#pragma once
#include <string>

#include "host/chain/resolved_pipeline.hpp"

namespace zz::host {

/// The chain as it would run, with the origin of each setting: for people.
std::string explain_as_text(const ResolvedPipeline& chain);

/// The same for programs.
std::string explain_as_json(const ResolvedPipeline& chain);

/// The same as a pipeline file that says everything and gives the same results: names and settings in their
/// present spelling, defaults written out, each with its origin in a comment. Input files and plugins are
/// named by absolute paths, so that it may be kept anywhere. A default that a stage above replaces stays a
/// comment, because a setting that is written at a stage cannot be replaced.
std::string normal_form(const PipelineFile& pipeline, const ResolvedPipeline& chain);

/// "default", or the place where it was written.
std::string origin_text(Origin origin, const core::SourceMark& mark);

}  // namespace zz::host
