#include <string>

#include "core/search/locality/locality_search.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/placed_layers.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"

namespace zz::plugins {
namespace {

/// Finds for each layer the lowest memory in which its data can wait for the next layer.
class SearchInterLayerDataLocalityStage : public Stage, public CompatSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.SearchInterLayerDataLocalityStage",
      .name = "SearchInterLayerDataLocalityStage",
      .aliases = "SearchUnusedMemoryStage",
      .summary = "finds how far up the memories the data between layers have to go",
      .doc =
          R"(Looks at the whole network before any layer is mapped. A layer that feeds one other layer need not
send its output to the topmost memory when a lower one holds both tensors in full: the stage finds the lowest such
memory for each layer, and the lowest one with room for all weights of the network. Outputs that several layers
read, or that are joined with others, go to the topmost memory. Where nothing fits, there is a warning, and the
topmost memory is taken.

The result goes down the chain, and ExploitInterLayerDataLocalityStage applies it to each layer:

```yaml
  - SumStage
  - SearchInterLayerDataLocalityStage
  - WorkloadStage
  - ExploitInterLayerDataLocalityStage
  - MinimalLatencyStage
```

Results from below pass unchanged. A stage in between may change a level:
`with(ctx, {{"mem_update_list.layers[conv1].output", 3}})`.)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  bool workload_data_always_from_top_mem = false;
  static constexpr auto params = zz::params(
      param<&SearchInterLayerDataLocalityStage::workload_data_always_from_top_mem>(
          "workload_data_always_from_top_mem",
          "what the network itself reads and writes comes from and goes to the topmost memory; otherwise "
          "it starts and ends in the lowest memory that has room"),
      compat_setting);
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator", "the sizes of its memories and what they hold count"),
      zz::object("workload", "workload", "the network, with the data that flow between its layers"),
      zz::object("vector_unit", "accelerator", "refused: its data are not followed").optional()};
  static constexpr Port provides[] = {
      zz::object("accelerator", "accelerator", "the accelerator, unchanged"),
      zz::object("workload", "workload", "the network, unchanged"),
      zz::object("mem_update_list", "data_levels",
                 "the highest memory that activations and outputs of each layer need"),
      zz::port("mem_update_weight", ZZ_I64,
               "the highest memory that weights need, counted from 0 in the accelerator")};

  Results run(Value ctx);
};

Results SearchInterLayerDataLocalityStage::run(Value ctx) {
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  if (!ctx["vector_unit"_n].is_null())
    throw Error(ZZ_E_INVALID,
                "which data stay on chip between layers cannot be searched with a 'vector_unit': leave one "
                "of both out");
  const core::LocalityOptions options{.network_data_at_top = workload_data_always_from_top_mem,
                                      .rules = rules()};
  core::Workload sized = *workload;
  sized.layers = layers_with_numbers_of(*accelerator, workload->layers, no_scales_with(compat));
  core::Locality found = core::search_locality(sized, *accelerator, options);
  for (const std::string& warning : found.warnings) log(Level::warning, warning);
  const Value levels = wrap(std::move(found.levels));
  const Value below = with(ctx, {{"mem_update_list"_n, levels}, {"mem_update_weight"_n, found.weights}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace

ZZ_PLUGIN_STAGE(SearchInterLayerDataLocalityStage)

}  // namespace zz::plugins
