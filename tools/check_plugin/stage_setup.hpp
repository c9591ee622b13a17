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

/// A file for the setting of that name, or STAGE.SETTING, or with "" for all that are files and have no
/// other value.
struct InputFile {
  std::string name;
  std::string path;  ///< absolute, because stages run in another folder
};

/// The user's values for the stages.
struct GivenValues {
  Assignments assigned;
  std::vector<InputFile> inputs;
};

/// "FILE", or "SETTING=FILE". Throws core::InputError when there is no such file.
InputFile input_file(const std::string& text);

/// With what a stage is run: values for its settings and for the context keys that it takes.
struct StageSetup {
  std::vector<ResolvedSetting> settings;  ///< in the order of its table
  core::Value settings_map;
  ContextEntries context;
  std::string lacking;  ///< things the example has no value for, in words; "" when it is complete
  std::vector<std::size_t> inputs;  ///< the settings with a file that the user gave

  /// The file that such a setting names.
  std::string path_of(std::size_t setting) const;
  /// settings_map, but with another file there.
  core::Value settings_with(std::size_t setting, const std::string& path) const;
};

/// Takes the values that the user gave, else the default; for a setting without one the least that is
/// allowed. Context keys get objects of the example, and the simplest value of their kind. Throws
/// core::InputError for an assignment that cannot be read.
StageSetup set_up(const zz_stage_desc& stage, const GivenValues& given);

}  // namespace zz::host
