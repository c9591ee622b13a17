#pragma once
#include <vector>

#include "core/output/result_names.hpp"
#include "plugins/pictures/figure.hpp"

namespace zz::plugins {

/// The pictures of some results: energy and latency, and memory_hierarchy and loop_nest when a result says
/// what was evaluated.
std::vector<Figure> figures_of(const core::ResultList& results);

}  // namespace zz::plugins
