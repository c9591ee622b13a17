#include "tools/optimum_table/compared_layer.hpp"

#include <algorithm>
#include <limits>

#include "core/diagnostics/diagnostics.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "core/workload/layer.hpp"

namespace zz::tools {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double best_of_six_factors(const core::SearchProblem& problem, core::Objective objective) {
  core::Loma orders(problem.given.layer, problem.given.accelerator, problem.given.fractional,
                    {.zigzag_compat = problem.given.options.zigzag_compat});
  core::CompactMappings batch;
  double best = infinity;
  for (orders.next(batch, 256); !batch.rows.empty(); orders.next(batch, 256)) {
    for (const core::CompactMapping& row : batch.rows) best = std::min(best, problem.value(row, objective));
  }
  return best;
}

}  // namespace

ComparedLayer compare(const core::Layer& layer, const std::shared_ptr<const core::Accelerator>& accelerator,
                      double seconds, bool zigzag_compat) {
  ComparedLayer compared;
  for (Comparison& entry : compared.by_objective) entry = {infinity, infinity, infinity, 0, 0};
  for (const core::SpatialUnrolling& unrolling :
       core::generate_spatial_mappings(layer, *accelerator, {.zigzag_compat = zigzag_compat}).mappings) {
    const core::MappingProblem problem =
        core::unrolled_problem(layer, accelerator, unrolling, {.zigzag_compat = zigzag_compat});
    const core::SearchProblem tables(problem);
    compared.loops = std::max(compared.loops, tables.space.lattice().loops());
    compared.vectors = std::max(compared.vectors, tables.space.lattice().size());
    for (int i = 0; i < 3; ++i) {
      const auto objective = static_cast<core::Objective>(i);
      Comparison& entry = compared.by_objective[i];
      entry.limited = std::min(entry.limited, best_of_six_factors(tables, objective));
      core::OptimumOptions options;
      options.objective = objective;
      options.limits.seconds = seconds;
      options.break_ties = false;  // the proof alone
      const core::Stopwatch stopwatch;
      try {
        const core::Certificate found = core::find_optimal_mapping(problem, options);
        entry.best = std::min(entry.best, found.value);
        entry.bound = std::min(entry.bound, found.lower_bound);
        entry.states += found.states;
      } catch (const core::NoResult&) {
        // Another spatial mapping may fit.
      }
      entry.milliseconds = std::max(entry.milliseconds, 1e3 * stopwatch.seconds());
    }
  }
  return compared;
}

bool same_search(const core::Layer& a, const core::Layer& b) {
  return core::same_work(a, b) && a.mapping.spatial_mapping == b.mapping.spatial_mapping;
}

}  // namespace zz::tools
