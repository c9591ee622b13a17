#pragma once
#include <string>
#include <vector>

#include "core/value/value.hpp"
#include "host/chain/resolved_pipeline.hpp"
#include "host/plugins/plugin_library.hpp"
#include "host/values/context.hpp"

namespace zz::host {

/// "KEY=VALUE" or "STAGE.SETTING=VALUE" of the command line.
using Assignments = std::vector<std::string>;

/// With what a stage is run: values for its settings and for the context keys that it takes.
struct StageSetup {
  std::vector<ResolvedSetting> settings;  ///< in the order of its table
  core::Value settings_map;
  ContextEntries context;
  std::string lacking;  ///< what the example has no value for, in words; "" when it is complete
};

/// What the user assigned, else the default; for a setting without one the least that is allowed. Context
/// keys get objects of the example, and the simplest value of their kind. Throws core::InputError for an
/// assignment that cannot be read.
StageSetup set_up(const zz_stage_desc& stage, const Assignments& assigned);

}  // namespace zz::host
