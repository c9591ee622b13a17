#include <filesystem>
#include <tuple>

#include "core/output/archive/archive.hpp"
#include "plugins/archive/archive_file.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"

namespace zz::plugins {
namespace {

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

Value wrapped(const core::Value& value) { return Value::take(internal_tier().wrap(&value)); }

Results SkipIfDumpExistsStage::run(Value ctx) {
  const std::string path = claimed_path(ctx);
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) {
    for (Result& result : substage(ctx)) co_yield std::move(result);
    co_return;
  }
  count("dumps that were there");
  if (!yield_dumped || !core::is_archive(path)) {
    log(Level::warning, "'" + path +
                            "' is there: the stages below are left out, and there are no results of " +
                            "theirs" + (yield_dumped ? ", as the file is no archive" : ""));
    co_return;
  }
  log(Level::info, "'" + path + "' is there: its results are taken instead of running the stages below");
  core::ArchiveReader reader(path, core::ArchiveReader::As::objects, files_of_run());
  core::Value evaluation, extra;
  while (reader.next(evaluation, extra)) co_yield Result(wrapped(evaluation), wrapped(extra));
}

}  // namespace

ZZ_PLUGIN_STAGE(SkipIfDumpExistsStage)

}  // namespace zz::plugins
