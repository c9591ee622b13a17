#pragma once
#include "zz/stage.hpp"

namespace zz::plugins {

/// Runs the tasks that the spawning stage below hands up, and yields their results in order.
class MultiProcessingGatherStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.MultiProcessingGatherStage",
      .name = "MultiProcessingGatherStage",
      .summary = "runs the tasks of the spawning stage below in parallel, results in order",
      .doc =
          R"(The upper one of a pair, see MultiProcessingSpawnStage: runs the tasks that come up on the threads of the host
(`-j`) and yields their results in the order of the tasks, whatever the number of threads. A task that fails ends the run
with its message, after the results of the tasks before it.

```yaml
stages: [..., MultiProcessingGatherStage, GeneralParameterIteratorStage, MultiProcessingSpawnStage, SumStage, WorkloadStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr Port provides[] = {
      zz::port("multiprocessing_callback", ZZ_BOOL, "says that tasks are gathered above")};

  Results run(Value ctx);
};

}  // namespace zz::plugins
