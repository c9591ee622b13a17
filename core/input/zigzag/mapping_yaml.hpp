#pragma once
#include <string>
#include <string_view>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/input/yaml/form.hpp"
#include "core/input/yaml/node.hpp"
#include "core/mapping/layer_mapping.hpp"

namespace zz::core {

/// The beginning of a line with the cuts of an entry. ZigZag refuses keys that it does not know, so that
/// files which both are to read have this one in a comment: it is read as if there were a blank in place of
/// the "#". As the key `cuts` it is read wherever keys may stand. Comments that say cuts and begin in
/// another way are passed over, which a warning tells.
inline constexpr std::string_view cuts_in_comment = "# cuts: {";

/// The document of a mapping file, with the keys of such comments. Throws as yaml::load_file() does.
yaml::Node load_mapping(const std::string& path, Diagnostics& diagnostics,
                        const Files& files = Files::on_disk());
/// The same for text.
yaml::Node load_mapping_text(const std::string& text, const std::string& name, Diagnostics& diagnostics);

/// Reads a mapping file: a list of entries, or a map with this list as `layers`; one named "default" serves
/// the layers that no other one names. Dimensions are only checked later, against a layer and an
/// accelerator, and whether every layer has an entry with the network.
///
/// Throws InputError with every problem of the file. Doubts are warnings in `diagnostics`.
MappingFile read_mapping(const std::string& path, Diagnostics& diagnostics,
                         const Files& files = Files::on_disk());

/// The same for text; `name` stands for the file in messages.
MappingFile read_mapping_text(const std::string& text, const std::string& name, Diagnostics& diagnostics);

/// The form of the file.
yaml::Form mapping_form();

}  // namespace zz::core
