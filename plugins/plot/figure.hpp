#pragma once
#include <string>
#include <vector>

#include "core/report/result_names.hpp"

namespace zz::plugins {

/// A picture: a Vega specification with its data, complete in itself.
struct Figure {
  std::string name;           ///< "energy"
  std::string specification;  ///< JSON
};

/// The pictures of some results: energy and latency, and memory_hierarchy and loop_nest when a result says
/// what was evaluated.
std::vector<Figure> figures_of(const core::ResultList& results);

}  // namespace zz::plugins
