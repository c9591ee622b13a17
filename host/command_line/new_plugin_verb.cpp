#include <fmt/format.h>

#include "host/command_line/exit_code.hpp"
#include "host/command_line/new_plugin.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"

namespace zz::host {
namespace {

PluginLanguage language_of(const std::string& text) {
  if (text == "c++") return PluginLanguage::cpp;
  if (text == "c") return PluginLanguage::c;
  throw UsageError("--language must be c++ or c, but found '" + text + "'");
}

}  // namespace

int new_plugin_verb(const Options& options) {
  const PluginLanguage language = language_of(options.language);
  try {
    const PluginNames names = plugin_names(options.operands.front());
    const std::string folder = options.folder.empty() ? names.plugin : options.folder;
    write_new_plugin(names, language, folder);
    fmt::print("{}: a plugin with the stage {}; README.md says how to build, test and use it\n", folder,
               names.stage);
  } catch (const NewPluginError& error) {
    throw UsageError(error.what());
  }
  return static_cast<int>(ExitCode::done);
}

}  // namespace zz::host
