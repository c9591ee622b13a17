#pragma once
#include <optional>
#include <string>

#include "core/input/yaml/node.hpp"
#include "core/value/value.hpp"

namespace zz::host {

/// An input that is written into the pipeline in place of the name of its file: keeps it as a file in
/// memory of the run that this thread works for, and makes the node its name. `what` is the name of the
/// setting.
void keep_as_file(core::yaml::Node& node, const std::string& what);

/// Contents of a file in memory that holds YAML, as a value; none for other files.
std::optional<core::Value> input_in_place(const std::string& path);

}  // namespace zz::host
