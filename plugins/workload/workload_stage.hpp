#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/missing_work.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Opens the chain below once for each layer of the network.
class WorkloadStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.WorkloadStage",
      .name = "WorkloadStage",
      .summary = "opens the chain below once per layer of the network",
      .doc =
          R"(Walks the network `workload` in topological order and opens the chain below for each layer, with
`layer` and `accelerator`. Layers that work on elements (softmax, normalisations, activations, ...) go to the
`vector_unit`, if there is one, all of whose lanes work whatever the axes are called. Operators that are kept only for their connections (activations, reshapes, ...) have no
cost and are passed over; the log lists them once with their share of the network's output elements. On
in-memory-computing arrays, layers of type Pooling and Add are passed over and listed, too.

Yields (evaluation, [layer, extra]) for each result from below, layer by layer; for a network without a layer that has
a cost, one evaluation of nothing, with a warning. A SumStage above makes the total:

```yaml
stages: [..., SumStage, WorkloadStage, MinimalLatencyStage, SpatialMappingGeneratorStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr Port consumes[] = {
      zz::object("workload", "workload", "the network whose layers are mapped"),
      zz::object("accelerator", "accelerator", "what the layers are mapped on"),
      zz::object("vector_unit", "accelerator", "what layers that work on elements are mapped on")
          .optional()};
  static constexpr Port provides[] = {
      zz::object("layer", "layer", "one layer of the network"),
      zz::object("accelerator", "accelerator", "the accelerator, or the vector unit"),
      zz::port("missing_work", ZZ_STR, "a sentence on operators without a cost that may multiply")
          .optional()};
  static constexpr auto& metrics = MissingWork::metrics;

  Results run(Value ctx);

 private:
  void report_what_has_no_cost(const core::Workload& workload,
                               const std::vector<std::shared_ptr<const core::Layer>>& left_out);

  std::atomic<bool> reported_ = false;
};

}  // namespace zz::plugins
