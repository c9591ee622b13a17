#include <cstdint>
#include <utility>

#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/iterate/spawned_task.hpp"

namespace zz::plugins {
namespace {

/// Turns each opening into a task that the gathering stage above runs.
class MultiProcessingSpawnStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.MultiProcessingSpawnStage",
      .name = "MultiProcessingSpawnStage",
      .summary = "makes a task of each opening, to be run in parallel by the gathering stage above",
      .doc =
          R"(The lower one of a pair. Instead of running the chain below when it is opened, it hands up a task, which
MultiProcessingGatherStage runs on the threads of the host (`-j`) together with the others. Between the two stand
stages that open the chain several times, such as WorkloadStage or GeneralParameterIteratorStage, and nothing that
reduces, sums or saves: there are no results yet at that point.

The pair changes no result, neither order nor extra. WorkloadStage and HardwareOptimizerStage already run in parallel;
the pair does the same for any other stage that loops.

```yaml
stages: [..., MultiProcessingGatherStage, GeneralParameterIteratorStage, MultiProcessingSpawnStage, SumStage,
         WorkloadStage, ...]
```

Files that are written below the pair must have names of their own in each task.)",
      .flags = ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  int64_t nb_multiprocessing_threads = 0;
  static constexpr auto params =
      zz::params(param<&MultiProcessingSpawnStage::nb_multiprocessing_threads>(
                     "nb_multiprocessing_threads",
                     "how many tasks may run at once; 0: as many as the host has threads (-j)")
                     .allowed("[0, 65536]"));
  static constexpr Port consumes[] = {
      zz::port("multiprocessing_callback", ZZ_BOOL, "says that tasks are gathered above")};

  /// A task must give what this stage must give, because the gathering stage passes on its results.
  zz_demand demand() const { return demanded(); }
  Result run(Value ctx);
};

Result MultiProcessingSpawnStage::run(Value ctx) {
  return Result(Value(), wrap(SpawnedTask{place(), std::move(ctx),
                                          static_cast<uint32_t>(nb_multiprocessing_threads)}));
}

}  // namespace

ZZ_PLUGIN_STAGE(MultiProcessingSpawnStage)

}  // namespace zz::plugins
