#pragma once
#include <string>

#include "zz/stage.hpp"

namespace zz::plugins {

/// Reads an accelerator description and hands it down as "accelerator".
class AcceleratorParserStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.AcceleratorParserStage",
      .name = "AcceleratorParserStage",
      .summary = "reads an accelerator from a YAML file",
      .doc =
          R"(Reads the YAML file `accelerator`, the operational array and the memories with their sizes, costs
and ports, and hands it down as the object `accelerator`. A stage above may replace the parameter by the path
of another file for each of its openings. Results from below pass unchanged.

```yaml
parameters: {accelerator: tpu_like.yaml}
stages: [WorkloadParserStage, AcceleratorParserStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string accelerator;
  static constexpr auto params =
      zz::params(param<&AcceleratorParserStage::accelerator>("accelerator", "the accelerator file (YAML)")
                     .required()
                     .input_path()
                     .alias("accelerator_path"));
  static constexpr Port provides[] = {
      zz::object("accelerator", "accelerator", "the array of arithmetic units and the memories around it")};

  Results run(Value ctx);
};

}  // namespace zz::plugins
