#pragma once
#include <vector>

#include "core/base/diagnostics.hpp"
#include "host/chain/resolved_pipeline.hpp"
#include "host/pipeline/pipeline_file.hpp"
#include "host/plugins/allowed_code.hpp"
#include "host/plugins/plugin_registry.hpp"

namespace zz::host {

struct FoundStages {
  std::vector<ResolvedStage> stages;  ///< with the stages of their settings, but without settings yet
  bool complete = true;               ///< every stage could be found, and was looked at
  bool all_found = true;              ///< every stage could be found
  bool plugin_missing = false;        ///< one could not because a plugin did not load
};

/// Finds the stages of a list, and of settings that are lists of stages, by their names. Unknown and
/// ambiguous names go to `diagnostics`.
FoundStages find_stages(const std::vector<StageEntry>& entries, const PluginRegistry& registry,
                        const AllowedCode& allowed, core::Diagnostics& diagnostics);

}  // namespace zz::host
