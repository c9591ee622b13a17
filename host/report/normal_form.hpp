#pragma once
#include <string>

#include "host/chain/resolved_pipeline.hpp"
#include "host/pipeline/pipeline_file.hpp"

namespace zz::host {

/// The chain as a pipeline file that says everything and gives the same results: names and settings in
/// their present spelling, defaults written out, each with its origin in a comment. Input files and plugins
/// are named by absolute paths, so that it may be kept anywhere. A default that a stage above replaces
/// stays a comment, because a setting that is written at a stage cannot be replaced.
std::string normal_form(const PipelineFile& pipeline, const ResolvedPipeline& chain);

}  // namespace zz::host
