#pragma once
#include <string>
#include <string_view>

#include "zz/stage_abi.h"

namespace zz::host {

/// A plugin library that is loaded and whose table is in order. Lives as long as the process: code and
/// constants of a library may be referred to from anywhere, so none is ever unloaded.
struct Plugin {
  std::string file;  ///< as found; for messages
  const zz_plugin* table = nullptr;
  bool initialised = false;

  /// The file's name without its folder.
  std::string file_name() const;
};

/// What the dynamic linker said, without the words of Boost.DLL around it.
std::string linker_message(std::string_view what);

/// Loads the library and checks its table. On failure returns nullptr and says in `reason`, in words
/// that complete "file.so: ...", what is wrong with it. Never throws. [main]
Plugin* load_plugin(const std::string& file, std::string& reason);

}  // namespace zz::host
