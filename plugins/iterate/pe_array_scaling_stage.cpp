#include "plugins/iterate/pe_array_scaling_stage.hpp"

#include <utility>

#include "plugins/internal/objects.hpp"

namespace zz::plugins {

void PEArrayScalingStage::prepare() {
  if (pe_array_scaling.is_null()) return;  // a stage above gives it later
  const Ref given = pe_array_scaling.look();
  ratio_ = core::ratio_from_text(given.kind() == ZZ_STR ? std::string(given.str()) : given.json());
}

Results PEArrayScalingStage::run(Value ctx) {
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  const Value hardware = wrap(core::scaled_array(*accelerator, ratio_));
  const Value network = wrap(core::scaled_mappings(*workload, ratio_));
  const Value below = with(ctx, {{"accelerator"_n, hardware}, {"workload"_n, network}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
