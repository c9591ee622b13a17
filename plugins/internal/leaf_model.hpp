#pragma once
#include <memory>
#include <vector>

#include "core/cost/cost_model.hpp"
#include "core/search/temporal/best_by_score.hpp"
#include "plugins/internal/objects.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The model by which the leaf directly below the stage at `at` evaluates mappings over the context;
/// nullptr where something else stands there.
inline std::shared_ptr<const core::CostModel> leaf_model(zz_place* at, const Value& ctx) {
  std::shared_ptr<const core::CostModel> model;
  const zz_status code = internal_tier().cost_model(at, ctx.handle(), &model, detail::sink());
  if (code != ZZ_OK) detail::throw_last_failure<Below>(code, "there is no cost model below");
  return model;
}

}  // namespace zz::plugins
