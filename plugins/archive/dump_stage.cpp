#include <utility>

#include "plugins/archive/archive_file.hpp"
#include "plugins/archive/gathered_archives.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"

namespace zz::plugins {
namespace {

/// Writes all results that pass to an archive.
class DumpStage : public DumpNameStage {
 public:
  static constexpr Description description{
      .id = "org.zz.DumpStage",
      .name = "DumpStage",
      .summary = "writes all results that pass, with their extras, to an archive",
      .doc =
          R"(Writes every (evaluation, extra) that passes to an archive, and passes them on as they are. An archive holds the
complete evaluations with layer, accelerator and mappings; `zz-host show FILE` prints and converts it, and it can be
read from Python (docs/reading-archives.md). It is written while the results come, so memory does not grow with their
number, and appears under its name when the last one has passed. After a failure or an interruption, or when the stage
above stops early, the results that passed are in `NAME.incomplete.zz` instead, and a warning says so:
SkipIfDumpExistsStage would take a part for all.

The name may hold values of the context: `{loma_lpf_limit}`, `{accelerator}` (its name), `{layer.name}`; `{datetime}` is
the start of the run, or the parameter `datetime`. A stage that is opened several times with the same name writes one
archive with the results of all openings, in the order of the layers that they were for: from the second opening on,
results wait in memory for the end of the run.

A reducer above that would let the mapper leave out what cannot win gets all results when this stage stands between
them: each of them is evaluated in full, which is slow.

```yaml
stages:
  - ...
  - WorkloadStage
  - MinimalLatencyStage
  - DumpStage: {dump_filename_pattern: "outputs/all/{layer.name}.zz"}
  - SpatialMappingGeneratorStage
  - ...
```)",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  ~DumpStage() { archives_.close(*this); }
  void prepare();
  void check(const Value& ctx) const { check_archive(*this, dump_path(ctx)); }
  Results run(Value ctx);

 private:
  GatheredArchives archives_;
};

void DumpStage::prepare() {
  DumpNameStage::prepare();
  if (dump_filename_pattern) claim_file(*this, *dump_filename_pattern);
}

Results DumpStage::run(Value ctx) {
  const std::string path = claimed_path(ctx);
  claim_file(*this, path);
  GatheredArchives::Opening archive(archives_, *this, path, ctx);
  for (Result& result : substage(ctx)) {
    archive.add(core_value(result.evaluation), core_value(result.extra));
    co_yield std::move(result);
  }
  if (!note_of_interruption().empty()) co_return;  // a search below handed up what it had
  count("results dumped", archive.results());
  archive.finish();
}

}  // namespace

ZZ_PLUGIN_STAGE(DumpStage)

}  // namespace zz::plugins
