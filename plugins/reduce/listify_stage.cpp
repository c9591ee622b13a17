#include <vector>

#include "plugins/internal/plugin.hpp"
#include "plugins/reduce/pairs.hpp"

namespace zz::plugins {
namespace {

/// Collects everything that comes from below into one result.
class ListifyStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.ListifyStage",
      .name = "ListifyStage",
      .summary = "collects all results from below into one list",
      .doc =
          R"(Runs the chain below to its end and yields one result, which is the list of all [evaluation, extra] that came
up, in order, with no extra of its own. The list may be empty. A stage above sees a list in the place of the
evaluation, so reducers and savers belong below.

```yaml
stages: [ListifyStage, ..., WorkloadStage, MinimalLatencyStage, ...]
```)",
      .flags = ZZ_STAGE_REDUCES | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  Result run(const Value& ctx);
};

Result ListifyStage::run(const Value& ctx) {
  std::vector<Value> pairs;
  for (const Result& result : substage(ctx)) pairs.push_back(pair_of(result));
  return Result(make_list(pairs));
}

}  // namespace

ZZ_PLUGIN_STAGE(ListifyStage)

}  // namespace zz::plugins
