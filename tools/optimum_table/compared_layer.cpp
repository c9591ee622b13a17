#include "tools/optimum_table/compared_layer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>

#include "core/base/diagnostics.hpp"
#include "core/cost/cost_model.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "core/workload/layer.hpp"

namespace zz::tools {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using Values = std::array<double, 3>;  ///< energy, latency, EDP

Values best_of_six_factors(const core::MappingProblem& problem) {
  const core::CostModel model(problem.accelerator, problem.layer, problem.fractional, problem.integral,
                              problem.options);
  core::Loma orders(problem.layer, problem.accelerator, problem.fractional,
                    {.rules = problem.options.rules});
  Values best = {infinity, infinity, infinity};
  core::CompactMappings batch;
  for (orders.next(batch, 256); !batch.rows.empty(); orders.next(batch, 256)) {
    for (const core::CompactMapping& row : batch.rows) {
      const core::Score score = model.score(row);
      if (std::isnan(score.energy_total)) continue;  // a port is missing
      const Values values = {score.energy_total, score.latency_total2,
                             score.energy_total * score.latency_total2};
      for (int i = 0; i < 3; ++i) best[i] = std::min(best[i], values[i]);
    }
  }
  return best;
}

void count_factors(const core::MappingProblem& problem, ComparedLayer& compared) {
  const core::Rules& rules = problem.options.rules;
  int loops = 0;
  std::size_t multisets = 1;
  const auto remaining = core::remaining_loops(*problem.layer, *problem.fractional, rules);
  for (const auto& table : core::loop_factors(*problem.layer, remaining, {}, 0, rules)) {
    for (const auto& [size, count] : table.entries) {
      if (size == 1) continue;
      loops += count;
      multisets *= static_cast<std::size_t>(count) + 1;
    }
  }
  compared.loops = std::max(compared.loops, loops);
  compared.multisets = std::max(compared.multisets, multisets);
}

/// Processor time of this program, which has one thread.
double milliseconds_now() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

ComparedLayer compare(const core::Layer& layer, const std::shared_ptr<const core::Accelerator>& accelerator,
                      double seconds, const core::Rules& rules) {
  ComparedLayer compared;
  for (Comparison& entry : compared.by_objective) entry = {infinity, infinity, infinity, 0, 0};
  for (const core::SpatialUnrolling& unrolling :
       core::generate_spatial_mappings(layer, *accelerator, {.rules = rules}).mappings) {
    const core::MappingProblem problem =
        core::unrolled_problem(layer, accelerator, unrolling, {.rules = rules});
    count_factors(problem, compared);
    const Values limited = best_of_six_factors(problem);
    for (int i = 0; i < 3; ++i) {
      const auto objective = static_cast<core::Objective>(i);
      Comparison& entry = compared.by_objective[i];
      entry.limited = std::min(entry.limited, limited[i]);
      core::OptimumOptions options;
      options.objective = objective;
      options.limits.seconds = seconds;
      options.break_ties = false;  // the proof alone
      const double start = milliseconds_now();
      try {
        const core::Certificate found = core::find_optimal_mapping(problem, options);
        entry.best = std::min(entry.best, found.value);
        entry.bound = std::min(entry.bound, found.lower_bound);
        entry.states += found.states;
      } catch (const core::NoResult&) {
        // Another spatial mapping may fit.
      }
      entry.milliseconds = std::max(entry.milliseconds, milliseconds_now() - start);
    }
  }
  return compared;
}

bool same_search(const core::Layer& a, const core::Layer& b) {
  return core::same_work(a, b) && a.mapping.spatial_mapping == b.mapping.spatial_mapping;
}

}  // namespace zz::tools
