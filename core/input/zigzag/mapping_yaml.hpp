#pragma once
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/mapping/layer_mapping.hpp"

namespace zz::core {

/// Reads a mapping file: a list of entries, or a map with this list as `layers`; one named "default" serves
/// the layers that no other one names. Dimensions are only checked later, against a layer and an
/// accelerator, and whether every layer has an entry with the network.
///
/// Throws InputError with every problem of the file. Doubts are warnings in `diagnostics`.
MappingFile read_mapping(const std::string& path, Diagnostics& diagnostics,
                         const Files& files = Files::on_disk());

/// The same for text; `name` stands for the file in messages.
MappingFile read_mapping_text(const std::string& text, const std::string& name, Diagnostics& diagnostics);

}  // namespace zz::core
