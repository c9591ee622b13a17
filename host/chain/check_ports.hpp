#pragma once
#include "core/diagnostics/diagnostics.hpp"
#include "host/chain/resolved_pipeline.hpp"
#include "host/plugins/plugin_registry.hpp"

namespace zz::host {

/// Checks the chain as a whole: leaf last and only there, each stage finds the context keys that it
/// takes, with the type that it expects. `registry` is asked which stages could provide what is missing.
void check_ports(const ResolvedPipeline& pipeline, const PluginRegistry& registry,
                 core::Diagnostics& diagnostics);

}  // namespace zz::host
