#pragma once
#include <string_view>

namespace zz::plugins {

/// A file that the build embedded, by name: the specifications ("energy.vg.json"), the parts of the pages,
/// and "vega.gz.base64", which is empty when Vega was not there. Throws std::out_of_range for other names.
std::string_view resource(std::string_view name);

}  // namespace zz::plugins
