#pragma once
#include "core/base/diagnostics.hpp"
#include "host/chain/resolved_pipeline.hpp"

namespace zz::host {

/// Looks whether the paths into the accelerator that parameters and settings name, such as
/// "accelerator.memories[l1].size", lead to a part of the accelerator that AcceleratorParserStage will
/// read, and whether the values that parameters give fit: a run would say so once it has read the file.
/// Problems go to `diagnostics`, with the place of the path. Files that cannot be read are left to the run.
void check_named_parts(const ResolvedPipeline& pipeline, core::Diagnostics& diagnostics);

}  // namespace zz::host
