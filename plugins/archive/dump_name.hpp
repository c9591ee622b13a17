#pragma once
#include <optional>
#include <string>

#include "zz/stage.hpp"

namespace zz::plugins {

inline constexpr const char* dump_pattern_doc =
    "name of the archive; `{key}` becomes the value that the context has under this key or path, as "
    "{layer.name}; `{{` and `}}` are braces";
inline constexpr const char* archive_folder_doc =
    "without dump_filename_pattern: the folder in which the archive is dump.zz";

/// Which file the results of one opening go to.
struct DumpName {
  std::optional<std::string> pattern;
  std::optional<std::string> folder;

  /// Throws Error(ZZ_E_INVALID) when there is neither, or when the braces of the pattern do not match.
  void require() const;
  /// The name with the values of this context in it. Objects stand for their names; slashes in values
  /// become "_", so that a value never makes a folder. Throws Error(ZZ_E_MISSING) for a key that is not
  /// there, (ZZ_E_TYPE) for one without a short text.
  std::string expand(const Value& ctx) const;
};

}  // namespace zz::plugins
