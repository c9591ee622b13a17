#include "plugins/iterate/remove_extra_info_stage.hpp"

#include <utility>

namespace zz::plugins {

Results RemoveExtraInfoStage::run(Value ctx) {
  for (Result& result : substage(ctx)) co_yield Result(std::move(result.evaluation));
}

}  // namespace zz::plugins
