#include "plugins/iterate/cache_before_yield_stage.hpp"

#include <utility>
#include <vector>

namespace zz::plugins {

Results CacheBeforeYieldStage::run(Value ctx) {
  std::vector<Result> all;
  for (Result& result : substage(ctx)) all.push_back(std::move(result));
  for (Result& result : all) co_yield std::move(result);
}

}  // namespace zz::plugins
