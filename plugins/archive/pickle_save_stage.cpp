#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/output/archive/contained_evaluations.hpp"
#include "plugins/archive/archive_file.hpp"
#include "plugins/internal/plugin.hpp"

namespace zz::plugins {
namespace {

/// Writes the evaluations that the result from below was made of to an archive.
class PickleSaveStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.PickleSaveStage",
      .name = "PickleSaveStage",
      .summary = "writes the evaluations that a sum was made of, one per layer, to an archive",
      .doc =
          R"(Writes the evaluations in the extra of the last result that passes to an archive, when all have passed: directly
above SumStage that is one for each layer, in the order of the network; above a reducer with
`reduce_minimal_keep_others` it is all results that there were to choose from. Results pass unchanged. An archive holds
the complete evaluations with layer, accelerator and mappings; `zz-host show FILE` prints and converts it, and it can be
read from Python (docs/reading-archives.md). It is not a Python pickle, whatever its name.
`zz-host show FILE --format=mapping` makes a mapping file of it, with which the pipeline comes to the same results
without a search.

```yaml
stages: [..., SimpleSaveStage, PickleSaveStage: {pickle_filename: outputs/resnet18/layers.zz}, SumStage,
         WorkloadStage, ...]
```)",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::optional<std::string> pickle_filename;
  std::optional<std::string> dump_folder;
  static constexpr auto params = zz::params(
      param<&PickleSaveStage::pickle_filename>("pickle_filename",
                                               "the archive; its folder is made when it is not there"),
      param<&PickleSaveStage::dump_folder>(
          "dump_folder", "without pickle_filename: the folder in which the archive is list_of_cmes.zz"));

  void prepare();
  Results run(Value ctx);

 private:
  std::string path() const;

  std::atomic<bool> written_{false};
};

void PickleSaveStage::prepare() {
  if (!pickle_filename && !dump_folder)
    throw Error(ZZ_E_INVALID, "'pickle_filename' is missing: it says where the evaluations go");
}

std::string PickleSaveStage::path() const {
  return pickle_filename ? *pickle_filename
                         : (std::filesystem::path(*dump_folder) / "list_of_cmes.zz").string();
}

Results PickleSaveStage::run(Value ctx) {
  Value last;
  bool received = false;
  for (Result& result : substage(ctx)) {
    last = result.extra;
    received = true;
    co_yield std::move(result);
  }
  if (!received) {
    log(Level::warning, "'" + path() + "' is not written: no result came from below");
    co_return;
  }
  std::vector<core::Value> evaluations;
  if (!core::evaluations_of_pairs(core_value(last), evaluations))
    throw Error(ZZ_E_TYPE,
                "the extra of the result from below is no list of [evaluation, extra]; this stage belongs "
                "directly above SumStage or a reducer with reduce_minimal_keep_others");
  ResultArchive archive(path());
  for (const core::Value& evaluation : evaluations) archive.add(evaluation);
  archive.finish();
  if (written_.exchange(true))
    log(Level::warning, "'" + path() + "' is written again, and its earlier evaluations are lost");
  if (evaluations.empty())
    log(Level::warning, "'" + path() + "' has no evaluations: the reducer below keeps only the best one");
}

}  // namespace

ZZ_PLUGIN_STAGE(PickleSaveStage)

}  // namespace zz::plugins
