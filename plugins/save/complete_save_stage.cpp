#include "plugins/save/complete_save_stage.hpp"

#include "core/output/json/evaluation_json.hpp"
#include "core/output/json/schedule_json.hpp"

namespace zz::plugins {

Results CompleteSaveStage::run(Value ctx) {
  for (Result& result : substage(prepare_below(ctx))) {
    const auto evaluation = evaluation_of(result);
    const bool scheduled = evaluation->schedule != nullptr && evaluation->layer == nullptr;
    output(path_for(*evaluation),
           scheduled ? core::schedule_json(*evaluation) : core::complete_json(*evaluation));
    co_yield std::move(result);
  }
}

}  // namespace zz::plugins
