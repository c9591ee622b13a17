#pragma once
#include <tuple>

#include "plugins/archive/dump_name_stage.hpp"

namespace zz::plugins {

/// Leaves out the chain below when its results were dumped before.
class SkipIfDumpExistsStage : public DumpNameStage {
 public:
  static constexpr Description description{
      .id = "org.zz.SkipIfDumpExistsStage",
      .name = "SkipIfDumpExistsStage",
      .summary = "leaves out the chain below when its results were dumped before",
      .doc =
          R"(When the file that DumpStage would write is already there, the chain below is not opened: the results are read back from
it, so that the stages above work as if they had been computed again. Without the file the chain below runs, and
a DumpStage in it, with the same name, leaves the file for the next time. That makes long runs resumable: what was done
before an interruption is not done again.

Whether the file was made with the same inputs is not checked: put what varies into the name, and remove the file
after a change of anything else.

With `yield_dumped: false`, and when the file is no archive of zz (the name of some other result, such as a JSON file),
nothing is yielded in place of the results, as ZigZag does; reducers above then have nothing to reduce, so use
that at the top of a pipeline only.

```yaml
stages:
  - ...
  - SumStage
  - WorkloadStage
  - SkipIfDumpExistsStage: {dump_filename_pattern: "outputs/{accelerator}/{layer.name}.zz"}
  - DumpStage: {dump_filename_pattern: "outputs/{accelerator}/{layer.name}.zz"}
  - MinimalLatencyStage
  - ...
```)",
      .flags = ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  bool yield_dumped = true;
  static constexpr auto params = std::tuple_cat(
      DumpNameStage::params,
      zz::params(param<&SkipIfDumpExistsStage::yield_dumped>(
          "yield_dumped", "hand up the results in the file; false: nothing in their place")));

  Results run(Value ctx);
};

}  // namespace zz::plugins
