#include "plugins/reduce/best_result.hpp"

#include <algorithm>
#include <vector>

#include "plugins/reduce/pairs.hpp"

namespace zz::plugins {

Result BestResultStage::best_result(const Value& ctx, std::span<const Name> criteria) const {
  Value best;
  std::vector<double> best_figures;
  std::vector<double> figures(criteria.size());
  std::vector<Value> others;
  for (Result& result : substage(ctx)) {
    for (std::size_t i = 0; i < criteria.size(); ++i) figures[i] = result.evaluation[criteria[i]].num();
    if (reduce_minimal_keep_others) others.push_back(pair_of(result));
    if (best && !std::lexicographical_compare(figures.begin(), figures.end(), best_figures.begin(),
                                              best_figures.end()))
      continue;
    best = std::move(result.evaluation);
    best_figures = figures;
  }
  if (!best) throw Error(ZZ_E_NO_RESULT, nothing_found(ctx));
  return Result(std::move(best), make_list(others));
}

zz_demand BestResultStage::demand_for(std::span<const Name> criteria) const {
  zz_demand demand{};
  if (reduce_minimal_keep_others) return demand;
  demand.keep = 1;
  for (const Name name : criteria) demand.metric[demand.n++] = name.id();
  return demand;
}

}  // namespace zz::plugins
