#include <algorithm>
#include <utility>
#include <vector>

#include "plugins/internal/plugin.hpp"
#include "plugins/iterate/spawned_task.hpp"

namespace zz::plugins {
namespace {

/// Runs the tasks that the spawning stage below hands up, and yields their results in order.
class MultiProcessingGatherStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.MultiProcessingGatherStage",
      .name = "MultiProcessingGatherStage",
      .summary = "runs the tasks of the spawning stage below in parallel, results in order",
      .doc =
          R"(The upper one of a pair, see MultiProcessingSpawnStage: runs the tasks that come up on the threads of the host
(`-j`) and yields their results in the order of the tasks, whatever the number of threads. A task that fails ends the
run with its message, after the results of the tasks before it.

```yaml
stages: [..., MultiProcessingGatherStage, GeneralParameterIteratorStage, MultiProcessingSpawnStage, SumStage,
         WorkloadStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr Port provides[] = {
      zz::port("multiprocessing_callback", ZZ_BOOL, "says that tasks are gathered above")};

  Results run(Value ctx);
};

/// So many tasks are collected before they start: enough to even out that some take longer.
std::size_t wanted(const std::vector<Value>& tasks, uint32_t width) {
  std::size_t most = width > 1 ? 8 * static_cast<std::size_t>(width) : 1;
  if (!tasks.empty()) {
    const uint32_t at_once = find_task(tasks.front())->most_at_once;
    if (at_once > 0) most = std::min<std::size_t>(most, at_once);
  }
  return most;
}

Results MultiProcessingGatherStage::run(Value ctx) {
  const Value gathering = with(ctx, {{"multiprocessing_callback"_n, true}});
  Substage markers = substage(gathering);
  bool more = true;
  while (more) {
    std::vector<Value> tasks;  // the extras that hold them
    Result marker;
    while (more && tasks.size() < wanted(tasks, threads())) {
      more = markers.next(marker);
      if (!more) break;
      if (!marker.evaluation.is_null() || find_task(marker.extra) == nullptr) {
        throw Error(ZZ_E_INVALID,
                    "only stages that open the chain several times may stand between "
                    "MultiProcessingGatherStage and MultiProcessingSpawnStage; one there yields results "
                    "of its own");
      }
      tasks.push_back(std::move(marker.extra));
    }
    if (tasks.empty()) break;
    Ordered runs(
        find_task(tasks.front())->place, static_cast<uint32_t>(tasks.size()),
        [&](uint32_t i) { return find_task(tasks[i])->context; }, nullptr, AfterFailure::stop);
    for (Result result; runs.next(result);) {
      const Value extra = with_task_replaced(tasks[runs.index()], result.extra);
      co_yield Result(std::move(result.evaluation), extra);
    }
    count("parallel tasks", tasks.size());
  }
}

}  // namespace

ZZ_PLUGIN_STAGE(MultiProcessingGatherStage)

}  // namespace zz::plugins
