#pragma once
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/mapping/layer_mapping.hpp"

namespace zz::core {

/// Reads a mapping file: a list of entries, one of them named "default". Dimensions are only checked later,
/// against a layer and an accelerator.
///
/// Throws InputError with every problem of the file. Doubts are warnings in `diagnostics`.
MappingFile read_mapping(const std::string& path, Diagnostics& diagnostics,
                         const Files& files = Files::on_disk());

/// The same for text; `name` stands for the file in messages.
MappingFile read_mapping_text(const std::string& text, const std::string& name, Diagnostics& diagnostics);

}  // namespace zz::core
