#pragma once
#include <map>
#include <string_view>

namespace zz::plugins {

/// The files that the build embedded, by name: the specifications ("energy.vg.json"), the parts of the
/// page, and "vega.js", which is empty when Vega was not there.
extern const std::map<std::string_view, std::string_view> resource_table;

}  // namespace zz::plugins
