#include <utility>

#include "plugins/internal/plugin.hpp"

namespace zz::plugins {
namespace {

/// Takes the extra away from every result.
class RemoveExtraInfoStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.RemoveExtraInfoStage",
      .name = "RemoveExtraInfoStage",
      .summary = "hands on evaluations without the extra that came with them",
      .doc =
          R"(Yields the evaluations of the chain below in their order, each without its extra. Where a stage above collects
many results, this lets go of what reducers and loops below attached to them.

```yaml
stages: [..., SumStage, WorkloadStage, RemoveExtraInfoStage, MinimalLatencyStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  Results run(Value ctx);
};

Results RemoveExtraInfoStage::run(Value ctx) {
  for (Result& result : substage(ctx)) co_yield Result(std::move(result.evaluation));
}

}  // namespace

ZZ_PLUGIN_STAGE(RemoveExtraInfoStage)

}  // namespace zz::plugins
