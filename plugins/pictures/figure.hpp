#pragma once
#include <nlohmann/json_fwd.hpp>
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
/// The same with tables as lists of objects.
Figure figure(const std::string& name, const nlohmann::ordered_json& tables);

}  // namespace zz::plugins
