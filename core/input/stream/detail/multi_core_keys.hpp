#pragma once
#include "core/input/yaml/form.hpp"

/// The tables of the maps of a file of several cores.
namespace zz::core {

/// `later_format`: joined by `core_connectivity`, as in later versions of Stream; else by `graph`.
const yaml::KeyTable& multi_core_keys(bool later_format);
/// An item of `core_connectivity`.
const yaml::KeyTable& connection_keys();

enum class GraphType { mesh, bus, unknown };
const yaml::KeyTable& graph_keys(GraphType type);

}  // namespace zz::core
