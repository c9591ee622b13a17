#pragma once
#include <optional>
#include <string>

#include "plugins/archive/dump_name.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Leaves out the chain below when its results were dumped before.
class SkipIfDumpExistsStage : public Stage {
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

  std::optional<std::string> dump_filename_pattern;
  std::optional<std::string> dump_folder;
  bool yield_dumped = true;
  static constexpr auto params = zz::params(
      param<&SkipIfDumpExistsStage::dump_filename_pattern>("dump_filename_pattern", dump_pattern_doc),
      param<&SkipIfDumpExistsStage::dump_folder>("dump_folder", archive_folder_doc),
      param<&SkipIfDumpExistsStage::yield_dumped>(
          "yield_dumped", "hand up the results in the file; false: nothing in their place"));
  static constexpr Port consumes[] = {
      zz::port("*", ZZ_NULL, "what dump_filename_pattern names").optional()};

  void prepare() { name().require(); }
  Results run(Value ctx);

 private:
  DumpName name() const { return {dump_filename_pattern, dump_folder}; }
};

}  // namespace zz::plugins
