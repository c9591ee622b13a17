#pragma once
#include "core/diagnostics/diagnostics.hpp"
#include "host/chain/resolved_pipeline.hpp"

namespace zz::host {

/// Tells the process what the metrics that the stages of the pipeline describe mean. Wrong are a metric
/// with the name of a field of evaluations, and two stages that say different things of the sum of one.
void describe_metrics(const ResolvedPipeline& pipeline, core::Diagnostics& diagnostics);

}  // namespace zz::host
