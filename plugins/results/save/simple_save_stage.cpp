#include "plugins/results/save/simple_save_stage.hpp"

#include "core/writers/simple_json.hpp"

namespace zz::plugins {

void SimpleSaveStage::prepare() { files().require(); }

Results SimpleSaveStage::run(Value ctx) {
  const ResultFiles where = files();
  for (Result& result : substage(where.context(ctx))) {
    const auto evaluation = saved_evaluation(result);
    output(where.path(*evaluation), core::simple_json(*evaluation));
    co_yield std::move(result);
  }
}

}  // namespace zz::plugins
