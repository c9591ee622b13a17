#pragma once
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/input/yaml/node.hpp"
#include "core/mapping/spatial_mapping.hpp"

namespace zz::core {

/// Reads a map of array dimensions to lists of "K, 16" (`what`: "'spatial_mapping' of mapping entry
/// 'default'"). Problems are added to `diagnostics`.
SpatialUnrolling read_unrolling(const yaml::Node& node, const std::string& what, Diagnostics& diagnostics);

/// True for "K", "OX", "D0": capitals, then digits.
bool is_loop_dimension_name(const std::string& name);

/// Reports when `name` is no array dimension.
bool check_array_dimension_key(const std::string& name, const SourceMark& mark, const std::string& what,
                               Diagnostics& diagnostics);

}  // namespace zz::core
