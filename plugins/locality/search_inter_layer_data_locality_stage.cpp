#include "plugins/locality/search_inter_layer_data_locality_stage.hpp"

#include "core/search/locality/locality_search.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

Results SearchInterLayerDataLocalityStage::run(Value ctx) {
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  if (!ctx["vector_unit"_n].is_null())
    throw Error(ZZ_E_INVALID,
                "which data stay on chip between layers cannot be searched with a 'vector_unit': leave one "
                "of both out");
  const core::LocalityOptions options{.network_data_at_top = workload_data_always_from_top_mem,
                                      .rules = rules()};
  core::Locality found = core::search_locality(*workload, *accelerator, options);
  for (const std::string& warning : found.warnings) log(Level::warning, warning);
  const Value levels = wrap(std::move(found.levels));
  const Value below = with(ctx, {{"mem_update_list"_n, levels}, {"mem_update_weight"_n, found.weights}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
