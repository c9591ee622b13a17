#include "plugins/results/save/complete_save_stage.hpp"

#include "core/writers/complete_json.hpp"
#include "core/writers/schedule_json.hpp"

namespace zz::plugins {

void CompleteSaveStage::prepare() { files().require(); }

Results CompleteSaveStage::run(Value ctx) {
  const ResultFiles where = files();
  for (Result& result : substage(where.context(ctx))) {
    const auto evaluation = saved_evaluation(result);
    const bool scheduled = evaluation->schedule != nullptr && evaluation->layer == nullptr;
    if (scheduled)
      output(where.path(*evaluation), core::schedule_json(*evaluation));
    else
      output(where.path(*evaluation), core::complete_json_here(*evaluation));
    co_yield std::move(result);
  }
}

}  // namespace zz::plugins
