#pragma once
#include <string>

#include "core/output/vega/vega_tables.hpp"

namespace zz::plugins {

/// A picture: a Vega specification with its data, complete in itself.
struct Picture {
  std::string name;           ///< "energy"
  std::string specification;  ///< JSON text
};

/// The embedded specification `<name>.vg.json` with the tables in its data sets of those names.
Picture make_picture(const std::string& name, core::VegaTables tables);

}  // namespace zz::plugins
