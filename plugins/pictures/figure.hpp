#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/output/vega/figure_tables.hpp"

namespace zz::plugins {

/// A picture: a Vega specification with its data, complete in itself.
struct Figure {
  std::string name;  ///< "energy"
  /// The parts of the specification (JSON), one after the other: what the build embedded, and the rows of
  /// `tables`, from which the data need not be copied.
  std::vector<std::string_view> specification;
  core::FigureTables tables;
};

/// The embedded specification `<name>.vg.json` with the tables in its data sets of those names.
Figure figure(std::string name, core::FigureTables tables);

}  // namespace zz::plugins
