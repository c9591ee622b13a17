#pragma once
#include <string>

#include "core/diagnostics/diagnostics.hpp"
#include "core/mapping/layer_mapping.hpp"

namespace zz::core {

/// Reads a mapping file: a list of entries, one of which is named "default".
///
/// Throws InputError with every problem of the file; what may be used in spite of a doubt is added to
/// `diagnostics` as a warning. Whether the named dimensions exist shows only with layer and accelerator.
MappingFile read_mapping(const std::string& path, Diagnostics& diagnostics);

/// The same for text; `name` stands for the file in messages.
MappingFile read_mapping_text(const std::string& text, const std::string& name, Diagnostics& diagnostics);

}  // namespace zz::core
