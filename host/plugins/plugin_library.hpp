#pragma once
#include <string>
#include <string_view>

#include "zz/stage_abi.h"

namespace zz::host {

/// A loaded plugin library with a valid table. It lives as long as the process: anything may refer to its
/// code and constants, so it is never unloaded.
struct Plugin {
  std::string file;  ///< as found; for messages
  const zz_plugin* table = nullptr;
  const zz_host* host = nullptr;  ///< for its stages
  bool initialised = false;

  /// The file's name without its folder.
  std::string file_name() const;
};

/// The message of the dynamic linker, without the words that Boost.DLL adds.
std::string linker_message(std::string_view what);

/// Why the file cannot be a plugin, to follow "file.so: "; "" when it looks like one. Nothing of it runs.
std::string why_no_plugin(const std::string& file);

/// Loads the library and checks its table. A file that does not look like a plugin is not loaded. On
/// failure returns nullptr and sets `reason`, to follow "file.so: ". Never throws. [main]
Plugin* load_plugin(const std::string& file, const zz_host& host, std::string& reason);

}  // namespace zz::host
