#pragma once
#include "core/base/diagnostics.hpp"
#include "host/chain/resolved_pipeline.hpp"
#include "host/plugins/plugin_registry.hpp"

namespace zz::host {

/// Checks the chain as a whole. Only the last stage is a leaf. Each stage finds the context keys that it
/// takes, with the expected types. For missing keys, messages name stages of `registry` that provide them.
void check_ports(const ResolvedPipeline& pipeline, const PluginRegistry& registry,
                 core::Diagnostics& diagnostics);

/// Registers the metrics that the stages of the pipeline describe, for the process. Errors: a metric with
/// the name of a field of evaluations, and two stages with different sums for one metric.
void describe_metrics(const ResolvedPipeline& pipeline, core::Diagnostics& diagnostics);

}  // namespace zz::host
