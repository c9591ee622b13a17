#include "core/search/optimal/detail/search_problem.hpp"

#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/base/diagnostics.hpp"

namespace zz::core {

SearchProblem::SearchProblem(const MappingProblem& problem, int factor_limit)
    : given(problem),
      model(problem.accelerator, problem.layer, problem.fractional, problem.integral, problem.options),
      tables(model.tables()),
      space(*problem.layer, *problem.fractional, factor_limit, problem.options.rules),
      fit(*problem.layer, *problem.accelerator, *problem.fractional, space, problem.options.rules) {
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
  if (std::isnan(score.energy_total)) return infinite;
  return goal.value(score.energy_total, score.latency_total2);
}

}  // namespace zz::core
