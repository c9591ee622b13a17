#pragma once
#include "core/base/diagnostics.hpp"
#include "host/chain/resolved_pipeline.hpp"
#include "host/pipeline/pipeline_file.hpp"
#include "host/plugins/allowed_code.hpp"
#include "host/plugins/plugin_registry.hpp"

namespace zz::host {

/// Finds the stage of every name in the pipeline and the value of every setting. All problems go to
/// `diagnostics`. Stages in Python files that `allowed` leaves out get stand-ins, as those of plugins that
/// the registry has left. The result may only run when there are no errors, and no stand-ins.
ResolvedPipeline resolve(const PipelineFile& pipeline, const PluginRegistry& registry,
                         const AllowedCode& allowed, core::Diagnostics& diagnostics);

}  // namespace zz::host
