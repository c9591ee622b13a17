#pragma once
#include "core/input/yaml/form.hpp"

/// The tables of the maps of a mapping file.
namespace zz::core {

/// O, W and I: what layouts and cuts are of.
const std::vector<std::string>& layer_operand_names();
const yaml::KeyTable& mapping_entry_keys();
const yaml::KeyTable& memory_operand_link_keys();
/// For the file as later versions of Stream have it; else it is a list of entries.
const yaml::KeyTable& mapping_file_keys();

}  // namespace zz::core
