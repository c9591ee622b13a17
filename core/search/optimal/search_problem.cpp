#include "core/search/optimal/search_problem.hpp"

#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "core/diagnostics/diagnostics.hpp"
#include "core/search/spatial/spatial_conversion.hpp"

namespace zz::core {

double Stopwatch::now() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

MappingProblem unrolled_problem(Layer layer, std::shared_ptr<const Accelerator> accelerator,
                                const SpatialUnrolling& unrolling, const CostModelOptions& options) {
  layer.mapping.spatial_mapping = unrolling;
  ConvertedSpatialMapping converted = convert_spatial_mapping(layer, *accelerator, options.zigzag_compat);
  MappingProblem problem;
  problem.accelerator = std::move(accelerator);
  problem.layer = std::make_shared<const Layer>(std::move(layer));
  problem.fractional = std::make_shared<const SpatialMapping>(std::move(converted.fractional));
  problem.integral = std::make_shared<const SpatialMapping>(std::move(converted.integral));
  problem.options = options;
  return problem;
}

SearchProblem::SearchProblem(const MappingProblem& problem, int factor_limit)
    : given(problem),
      tables(*problem.accelerator, *problem.layer, *problem.fractional, *problem.integral),
      space(*problem.layer, *problem.fractional, factor_limit, problem.options.zigzag_compat),
      fit(*problem.layer, *problem.accelerator, *problem.fractional, space),
      model(problem.accelerator, problem.layer, problem.fractional, problem.integral, problem.options) {
  for (int loop = 0; loop < static_cast<int>(problem.layer->loops.size()); ++loop) {
    if (problem.layer->relevancy(0, loop) == Relevancy::partially_relevant) {
      throw InputError(
          fmt::format("layer '{}': a window slides over its output, for which the optimum cannot be proven",
                      problem.layer->name));
    }
  }
}

double SearchProblem::value(const CompactMapping& mapping, const Goal& goal) const {
  const Score score = model.score(mapping);
  if (std::isnan(score.energy_total)) return std::numeric_limits<double>::infinity();
  return goal.of(score.energy_total, score.latency_total2);
}

}  // namespace zz::core
