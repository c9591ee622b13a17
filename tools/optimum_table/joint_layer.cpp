#include "tools/optimum_table/joint_layer.hpp"

#include <algorithm>
#include <ctime>
#include <limits>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/spatial/spatial_generator.hpp"

#include "tools/optimum_table/compared_layer.hpp"

namespace zz::tools {
namespace {

/// With the best temporal mapping under each of the generator's candidates.
double best_generated(const core::Layer& layer, const std::shared_ptr<const core::Accelerator>& accelerator,
                      core::Objective objective, double seconds, const core::Rules& rules) {
  double best = std::numeric_limits<double>::infinity();
  for (const core::SpatialUnrolling& unrolling :
       core::generate_spatial_mappings(layer, *accelerator, {.rules = rules}).mappings) {
    core::OptimumOptions options;
    options.objective = objective;
    options.limits.seconds = seconds;
    options.break_ties = false;
    try {
      best = std::min(best,
                      core::find_optimal_mapping(
                          core::unrolled_problem(layer, accelerator, unrolling, {.rules = rules}), options)
                          .value);
    } catch (const core::NoResult&) {
      // Another spatial mapping may fit.
    }
  }
  return best;
}

/// Processor time of this program, which has one thread.
double seconds_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

std::array<JointComparison, 3> compare_jointly(const core::Layer& layer,
                                               const std::shared_ptr<const core::Accelerator>& accelerator,
                                               double seconds, const core::Rules& rules) {
  std::array<JointComparison, 3> compared;
  core::Layer open = layer;
  open.mapping.spatial_mapping = {};
  open.mapping.spatial_hints.clear();
  const double seconds_each = seconds / 4;  // one prescribed and three generated: as much time in all
  for (int i = 0; i < 3; ++i) {
    JointComparison& entry = compared[i];
    core::JointOptions options;
    options.objective = static_cast<core::Objective>(i);
    options.limits.seconds = seconds;
    options.model.rules = rules;
    entry.prescribed = best_generated(layer, accelerator, options.objective, seconds_each, rules);
    entry.three = best_generated(open, accelerator, options.objective, seconds_each, rules);
    const double start = seconds_now();
    const core::JointOptimum found = core::find_joint_optimum(open, accelerator, options);
    entry.milliseconds = 1e3 * (seconds_now() - start);
    entry.best = found.certificate.value;
    entry.bound = found.certificate.lower_bound;
    entry.spatial_mappings = found.spatial_mappings;
    entry.searched = found.searched;
  }
  return compared;
}

WithinComparison compare_within(const core::Layer& layer,
                                const std::shared_ptr<const core::Accelerator>& accelerator, double within,
                                double gap, double seconds, const core::Rules& rules) {
  core::JointOptions options;
  options.objective = core::Objective::latency;
  options.mixed = true;
  options.limits.seconds = seconds;
  options.limits.gap = gap;
  options.model.rules = rules;
  double start = seconds_now();
  const core::JointOptimum alone = core::find_joint_optimum(layer, accelerator, options);
  WithinComparison compared;
  compared.seconds = seconds_now() - start;
  compared.least = alone.certificate.value;
  compared.bound = alone.certificate.lower_bound;
  compared.energy_alone = alone.energy;
  options.within = within;
  start = seconds_now();
  const core::JointOptimum both = core::find_joint_optimum(layer, accelerator, options);
  compared.seconds_within = seconds_now() - start;
  compared.latency = both.chosen().latency;
  compared.energy = both.chosen().energy;
  compared.energy_bound = both.chosen().certificate.lower_bound;
  return compared;
}

}  // namespace zz::tools
