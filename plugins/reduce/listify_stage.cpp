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

A list holds every evaluation, some 10 kB each. From the command line the run keeps only the figures that it prints,
some 300 bytes a result, where all stages above this one read files, convert mappings or open it for each layer
(WorkloadStage).

```yaml
stages: [ListifyStage, ..., WorkloadStage, MinimalLatencyStage, ...]
```)",
      .flags = ZZ_STAGE_REDUCES | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  Results run(Value ctx);
};

Result part(const char* place_in_list, const Value& pair) {
  return Result(make(nullptr, {{place_in_list, pair}}));
}

Results ListifyStage::run(Value ctx) {
  const bool in_parts = this_run().takes_list_in_parts(place()) == 1;
  std::vector<Value> pairs;
  bool begun = false;
  for (const Result& result : substage(ctx)) {
    if (in_parts && !pairs.empty()) {  // it is known only now that the one before was not the last
      co_yield part(begun ? ZZ_LIST_GOES_ON : ZZ_LIST_BEGINS, pairs.back());
      begun = true;
      pairs.pop_back();
    }
    pairs.push_back(pair_of(result));
  }
  if (begun)
    co_yield part(ZZ_LIST_ENDS, pairs.back());
  else
    co_yield Result(make_list(pairs));
}

}  // namespace

ZZ_PLUGIN_STAGE(ListifyStage)

}  // namespace zz::plugins
