#pragma once
#include "zz/stage.hpp"

namespace zz::plugins {

/// Adds up everything that comes from below.
class SumStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.SumStage",
      .name = "SumStage",
      .summary = "adds up all results from below",
      .doc =
          R"(Runs the chain below to its end and yields one result: the sum of all evaluations, added in the order in
which they came, starting from zero. Energies, cycles, breakdowns and accesses are added, utilisations follow from
the sums. The extra is the list of all [evaluation, extra] that were added. Directly above WorkloadStage the sum is
that of the network. Two results of one layer are an error: they are mappings to choose from, and a reducer below keeps one.

```yaml
stages: [..., SimpleSaveStage, SumStage, WorkloadStage, CompleteSaveStage, ...]
```)",
      .flags = ZZ_STAGE_REDUCES | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  Result run(const Value& ctx);
};

}  // namespace zz::plugins
