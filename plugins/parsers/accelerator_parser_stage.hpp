#pragma once
#include <string>

#include "zz/stage.hpp"

namespace zz::plugins {

/// Reads an accelerator of one or several cores and hands it down.
class AcceleratorParserStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.AcceleratorParserStage",
      .name = "AcceleratorParserStage",
      .summary = "reads an accelerator of one or several cores from YAML files",
      .doc =
          R"(Reads the YAML file `accelerator`. The file of one core has the operational array and the memories with
their sizes, costs and ports; it is handed down as the object `accelerator`, and as a `multi_core_accelerator` of
one core. The file of several cores has `cores`, the files of its cores, and says how they are joined; it is
handed down as `multi_core_accelerator` alone. A stage above may replace the parameter by the path of another
file for each of its openings. Results from below pass unchanged.

Beside one core there may be a vector unit, on which softmax, normalisations, activations and other operators on
elements run. Its file `vector_unit` is written as that of a core: lanes as the dimensions of the array, the energy of an
operation, and memories up to the off-chip one. Its `dataflows` name the loops that the lanes prefer.

A file of several cores is written in one of two ways, as in Stream 0.0.8 or as in later versions:

```
name: two_and_memory                     name: two_and_memory
cores: [a.yaml, b.yaml, dram.yaml]       cores: {0: a.yaml, 1: b.yaml}
graph:                                   offchip_core: dram.yaml
  type: 2d_mesh       # or bus           core_connectivity: ["0, 1"]
  nb_rows: 1                             bandwidth: 64
  nb_cols: 2                             unit_energy_cost: 0.5
  bandwidth: 64
  unit_energy_cost: 0.5
  offchip_core_id: 2
```

The position in the list is the id of the core. `graph` may also name a `pooling_core_id` and a `simd_core_id`.
Items of `core_connectivity` name two cores, which get a link each way, or more, which share a bus; they may be
maps with `cores`, `bandwidth`, `unit_energy_cost` and `type: bus` of their own. In both ways
`core_memory_sharing`, a list of lists of ids, names cores whose topmost memories of the same name are one memory;
they get no link. Bandwidths are in bits per cycle, `unit_energy_cost` in pJ per cycle of a transfer and link.

A core file with the sizes 0 is a memory without units. Files of later versions may say so, with `type: memory` or
`type: compute`. Core files are looked for beside the accelerator file, in the folder `cores` there, and in folders
called `hardware` or `cores` near it.

```yaml
parameters: {accelerator: tpu_like.yaml}
stages: [WorkloadParserStage, AcceleratorParserStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string accelerator;
  std::string vector_unit;
  static constexpr auto params =
      zz::params(param<&AcceleratorParserStage::accelerator>("accelerator", "the accelerator file (YAML)")
                     .required()
                     .input_path()
                     .alias("accelerator_path"),
                 param<&AcceleratorParserStage::vector_unit>(
                     "vector_unit", "the accelerator file of the vector unit beside one core (YAML)")
                     .input_path());
  static constexpr Port provides[] = {
      zz::object(
          "accelerator", "accelerator",
          "the array of arithmetic units and the memories around it; absent when there are several cores")
          .optional(),
      zz::object("vector_unit", "accelerator", "the vector unit, if there is one").optional(),
      zz::object("multi_core_accelerator", "multi_core_accelerator", "the cores and how they are joined")};

  Results run(Value ctx);
};

}  // namespace zz::plugins
