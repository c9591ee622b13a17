#pragma once
#include <string>

#include "core/diagnostics/diagnostics.hpp"
#include "core/input/yaml/node.hpp"

namespace zz::core::yaml {

/// Reads the one document of a YAML file. Throws InputError with the place when the file is missing or
/// empty, holds a syntax error or several documents, nests deeper than 500 levels, or has aliases that
/// expand to more than four million nodes. Of two equal keys of a map the last one counts, as in the Python
/// tools, and a warning that names both places is added to `diagnostics`. Threads may read at the same
/// time.
Node load_file(const std::string& path, Diagnostics& diagnostics);
/// The same for text; `name` stands for the file in messages.
Node load_text(const std::string& text, const std::string& name, Diagnostics& diagnostics);

}  // namespace zz::core::yaml
