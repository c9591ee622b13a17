#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

#include "plugins/archive/archive_file.hpp"
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

The name may hold values of the context: `{loma_lpf_limit}`, `{accelerator}` (its name), `{layer.name}`. A stage that is
opened several times with the same name writes the same file again and again, with a warning; the last one stays.

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

  Results run(Value ctx);

 private:
  FileClaims written_;
};

/// "out/all.zz" -> "out/all.incomplete.zz"
std::string incomplete_path(const std::string& path) {
  std::filesystem::path name(path);
  const std::string extension = name.extension().string();
  return name.replace_extension(".incomplete" + extension).string();
}

/// Keeps the results that passed when not all of them come, under a name that nobody takes for the whole.
class KeptPart {
 public:
  KeptPart(const Stage& stage, ResultArchive& archive, const std::string& path)
      : stage_(stage), archive_(archive), path_(path), kept_(incomplete_path(path)) {}
  KeptPart(const KeptPart&) = delete;
  KeptPart& operator=(const KeptPart&) = delete;
  ~KeptPart() {
    if (whole_ || archive_.results() == 0) return;
    const std::string what = "'" + path_ + "' is not written: not all of its results came; ";
    const std::string passed = std::to_string(archive_.results());
    try {
      archive_.finish_as(kept_);
      stage_.log(Level::warning, what + "the " + passed + " that had passed are in '" + kept_ + "'");
    } catch (const std::exception& problem) {
      stage_.log(Level::warning, what + passed + " had passed, and are lost: " + problem.what());
    }
  }

  /// The archive is finished: what an earlier run left is out of date.
  void drop() {
    whole_ = true;
    std::error_code none;
    std::filesystem::remove(kept_, none);
  }

 private:
  const Stage& stage_;
  ResultArchive& archive_;
  std::string path_, kept_;
  bool whole_ = false;
};

Results DumpStage::run(Value ctx) {
  const std::string path = dump_path(ctx);
  ResultArchive archive(path);
  KeptPart part(*this, archive, path);
  for (Result& result : substage(ctx)) {
    archive.add(core_value(result.evaluation), core_value(result.extra));
    co_yield std::move(result);
  }
  if (!note_of_interruption().empty()) co_return;  // a search below handed up what it had
  archive.finish();
  part.drop();
  if (written_.next(path, path) == 2)
    log(Level::warning, "'" + path +
                            "' is written again, and its earlier results are lost; a part of the name "
                            "such as {layer.name} gives each opening a file of its own");
  count("results dumped", archive.results());
}

}  // namespace

ZZ_PLUGIN_STAGE(DumpStage)

}  // namespace zz::plugins
