#include "plugins/plot/result_figures.hpp"

#include <utility>

#include "core/output/vega/cost_figures.hpp"
#include "core/output/vega/mapping_figures.hpp"

namespace zz::plugins {

std::vector<Figure> figures_of(const core::ResultList& results) {
  std::vector<Figure> figures;
  figures.push_back(figure("energy", core::energy_tables(results)));
  figures.push_back(figure("latency", core::latency_tables(results)));
  core::FigureTables hierarchy = core::hierarchy_tables(results);
  if (hierarchy["accelerators"].row_count > 0)
    figures.push_back(figure("memory_hierarchy", std::move(hierarchy)));
  core::FigureTables nests = core::loop_nest_tables(results);
  if (nests["results"].row_count > 0) figures.push_back(figure("loop_nest", std::move(nests)));
  return figures;
}

}  // namespace zz::plugins
