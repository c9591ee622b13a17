#include "plugins/save/simple_save_stage.hpp"

#include "core/output/json/evaluation_json.hpp"

namespace zz::plugins {

Results SimpleSaveStage::run(Value ctx) {
  for (Result& result : substage(prepare_below(ctx))) {
    const auto evaluation = evaluation_of(result);
    output(path_for(*evaluation), core::simple_json(*evaluation));
    co_yield std::move(result);
  }
}

}  // namespace zz::plugins
