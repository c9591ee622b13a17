#pragma once
#include <string>

#include "core/report/figure_tables.hpp"

namespace zz::plugins {

/// A picture: a Vega specification with its data, complete in itself.
struct Figure {
  std::string name;           ///< "energy"
  std::string specification;  ///< JSON
};

/// The embedded specification `<name>.vg.json` with the tables in its data sets of those names.
Figure figure(const std::string& name, const core::FigureTables& tables);

}  // namespace zz::plugins
