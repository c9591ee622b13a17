#include "plugins/archive/pickle_save_stage.hpp"

#include <filesystem>
#include <vector>

#include "core/output/archive/contained_evaluations.hpp"
#include "plugins/archive/result_archive.hpp"

namespace zz::plugins {

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
  if (evaluations.empty())
    log(Level::warning, "'" + path() + "' has no evaluations: the reducer below keeps only the best one");
}

}  // namespace zz::plugins
