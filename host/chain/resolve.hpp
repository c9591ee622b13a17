#pragma once
#include "core/diagnostics/diagnostics.hpp"
#include "host/chain/resolved_pipeline.hpp"
#include "host/pipeline/pipeline_file.hpp"
#include "host/plugins/plugin_registry.hpp"

namespace zz::host {

/// Gives every name of the pipeline its meaning and every setting its value. All problems go to
/// `diagnostics`; what is returned is only to be run when there are no errors among them.
ResolvedPipeline resolve(const PipelineFile& pipeline, const PluginRegistry& registry,
                         core::Diagnostics& diagnostics);

}  // namespace zz::host
