#pragma once
#include <string>

#include "plugins/internal/objects.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// A file name in which a user left places open: `{key}` is the value that the context has under this key
/// or path, as {layer.name}, and objects stand for their names; `{datetime}` is the start of the run,
/// unless the context has a text under that key; `{{` and `}}` are braces.
///
/// Problems are Errors that name `setting`, where the pattern comes from: ZZ_E_INVALID for braces that do
/// not match.
void check_pattern(const std::string& setting, const std::string& pattern);

/// A pattern filled in over a context.
struct PatternPath {
  std::string path;    ///< slashes in values become "_", so that a value never makes a folder
  std::string values;  ///< "the results of layer.name = 'conv'"; "" when it has no open places
};

/// Throws ZZ_E_MISSING for a key that is not there, too, and ZZ_E_TYPE for one without a short text.
PatternPath path_of_pattern(const std::string& setting, const std::string& pattern, const Value& ctx);

/// Port for the docs of a setting of this kind.
inline constexpr Port datetime_port =
    port("datetime", ZZ_STR, "what `{datetime}` is in file names; without it, the start of the run")
        .optional();

}  // namespace zz::plugins
