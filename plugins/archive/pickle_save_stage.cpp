#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/output/archive/contained_evaluations.hpp"
#include "core/value/read.hpp"
#include "plugins/archive/archive_file.hpp"
#include "plugins/archive/gathered_archives.hpp"
#include "plugins/internal/plugin.hpp"

namespace zz::plugins {
namespace {

/// Writes the evaluations of the results that pass to an archive.
class PickleSaveStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.PickleSaveStage",
      .name = "PickleSaveStage",
      .summary = "writes the evaluations of all results that pass to an archive",
      .doc =
          R"(Writes the evaluations of all results that pass to an archive, when all have passed. A result with a list of
pairs [evaluation, extra] stands for those of the list: directly above SumStage that is one for each layer, in the
order of the network; above a reducer with `reduce_minimal_keep_others` it is all results that there were to choose
from. Every other result is written itself, wherever the stage stands; a stage that is opened several times, as below
WorkloadStage, writes one archive with the results of all openings. Results pass unchanged. An archive holds the
complete evaluations with layer, accelerator and mappings; `zz-host show FILE` prints and converts it, and it can be
read from Python (docs/reading-archives.md). It is not a Python pickle, whatever its name. `zz-host show FILE
--format=mapping` makes a mapping file of it, with which the pipeline comes to the same results without a search.

```yaml
stages: [..., SimpleSaveStage, PickleSaveStage: {pickle_filename: outputs/resnet18/layers.zz}, SumStage,
         WorkloadStage, ...]
```)",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::optional<std::string> pickle_filename;
  std::optional<std::string> dump_folder;
  static constexpr auto params = zz::params(
      param<&PickleSaveStage::pickle_filename>("pickle_filename",
                                               "the archive; its folder is made when it is not there; "
                                               "`{datetime}` becomes the start of the run, and `{key}` "
                                               "what the context has under this key"),
      param<&PickleSaveStage::dump_folder>(
          "dump_folder", "without pickle_filename: the folder in which the archive is list_of_cmes.zz"));

  static constexpr Port consumes[] = {
      datetime_port, zz::object("layer", "layer", "for the order of the archive").optional(),
      zz::port("*", ZZ_NULL, "what pickle_filename names").optional()};

  ~PickleSaveStage() { archives_.close(*this); }
  void prepare();
  void check(const Value& ctx) const { check_archive(*this, path(ctx)); }
  Results run(Value ctx);

 private:
  std::string path(const Value& ctx) const;

  GatheredArchives archives_;
};

void PickleSaveStage::prepare() {
  if (!pickle_filename && !dump_folder)
    throw Error(ZZ_E_INVALID, "'pickle_filename' is missing: it says where the evaluations go");
  if (!pickle_filename) return;
  check_pattern("pickle_filename", *pickle_filename);
  claim_file(*this, *pickle_filename);
}

std::string PickleSaveStage::path(const Value& ctx) const {
  return pickle_filename ? path_of_pattern("pickle_filename", *pickle_filename, ctx).path
                         : (std::filesystem::path(*dump_folder) / "list_of_cmes.zz").string();
}

/// The evaluations that a result stands for: those in its list of pairs, else itself.
std::vector<core::Value> parts_of(const Result& result) {
  const core::Value whole = core_value(result.evaluation);
  for (const core::Value& list : {core_value(result.extra), whole}) {
    const auto parts = core::results_in(list);
    if (parts.empty() || parts.size() != core::count_of(list.ref())) continue;
    if (core::kind_of(core::part_at(list.ref(), 0)) != core::Kind::list) continue;
    std::vector<core::Value> evaluations;
    for (const auto& [evaluation, extra] : parts) evaluations.push_back(evaluation);
    return evaluations;
  }
  return {whole};
}

Results PickleSaveStage::run(Value ctx) {
  const std::string file = path(ctx);
  claim_file(*this, file);
  GatheredArchives::Opening archive(archives_, *this, file, ctx);
  for (Result& result : substage(ctx)) {
    for (const core::Value& evaluation : parts_of(result)) archive.add(evaluation);
    co_yield std::move(result);
  }
  if (archive.results() == 0)
    log(Level::warning, "'" + file + "' is not written: no result came from below");
  else
    archive.finish();
}

}  // namespace

ZZ_PLUGIN_STAGE(PickleSaveStage)

}  // namespace zz::plugins
