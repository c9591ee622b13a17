#include <utility>
#include <vector>

#include "plugins/internal/plugin.hpp"

namespace zz::plugins {
namespace {

/// Runs the chain below to its end before it hands on anything.
class CacheBeforeYieldStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.CacheBeforeYieldStage",
      .name = "CacheBeforeYieldStage",
      .summary = "runs the chain below to its end before it hands on anything",
      .doc =
          R"(Collects all results of the chain below and then yields them in their order, unchanged. What stages below do on
the way, such as writing files, is done before a stage above sees the first result; and when the chain
below fails, nothing at all is handed on. All results are in memory at once.

```yaml
stages: [..., SimpleSaveStage, CacheBeforeYieldStage, WorkloadStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  Results run(Value ctx);
};

Results CacheBeforeYieldStage::run(Value ctx) {
  std::vector<Result> all;
  for (Result& result : substage(ctx)) all.push_back(std::move(result));
  for (Result& result : all) co_yield std::move(result);
}

}  // namespace

ZZ_PLUGIN_STAGE(CacheBeforeYieldStage)

}  // namespace zz::plugins
