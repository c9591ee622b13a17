#pragma once
#include "core/base/diagnostics.hpp"
#include "host/chain/resolved_pipeline.hpp"

namespace zz::host {

/// Registers the metrics that the stages of the pipeline describe, for the process. Errors: a metric with
/// the name of a field of evaluations, and two stages with different sums for one metric.
void describe_metrics(const ResolvedPipeline& pipeline, core::Diagnostics& diagnostics);

}  // namespace zz::host
