#include <utility>
#include <vector>

#include "plugins/internal/plugin.hpp"
#include "plugins/internal/this_run.hpp"
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

A list holds every evaluation, of some 10 kB each, while it is collected. At the top of a pipeline that is run from the
command line, or below nothing but stages that read files and convert mappings, no list is made: the run keeps the
figures of the rows, and a million results take what their rows take.

```yaml
stages: [ListifyStage, ..., WorkloadStage, MinimalLatencyStage, ...]
```)",
      .flags = ZZ_STAGE_REDUCES | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  Results run(Value ctx);
};

Results ListifyStage::run(Value ctx) {
  if (this_run().takes_list_in_parts(place()) == 1) {
    for (Result& result : substage(ctx)) co_yield std::move(result);
    co_return;
  }
  std::vector<Value> pairs;
  for (const Result& result : substage(ctx)) pairs.push_back(pair_of(result));
  co_yield Result(make_list(pairs));
}

}  // namespace

ZZ_PLUGIN_STAGE(ListifyStage)

}  // namespace zz::plugins
