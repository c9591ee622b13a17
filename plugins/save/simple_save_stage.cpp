#include "core/output/json/evaluation_json.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/save/save_stage.hpp"

namespace zz::plugins {
namespace {

/// Writes each result that passes to a JSON file: energy and latency.
class SimpleSaveStage : public SaveStage {
 public:
  static constexpr Description description{
      .id = "org.zz.SimpleSaveStage",
      .name = "SimpleSaveStage",
      .summary = "writes each result to a JSON file: energy and latency",
      .doc =
          R"(Writes energy (pJ) and latency (cycles) of each result that passes to a JSON file, and under `metrics`
by name what stages below added.
The file is `<dump_folder>/<layer>_simple.json`, with slashes in the name of the layer
replaced by `_` and a long name shortened, `<dump_folder>/overall_simple.json` for a sum, and
`<dump_folder>/schedule_simple.json` for a network on several cores. Two layers whose files would have the same name are
an error; further results of the same layer, sum or schedule go to `<layer>_simple_2.json` and so on, in the order in
which they come. Files appear whole or not at all. Results pass unchanged.

```yaml
parameters: {dump_folder: outputs/resnet18}
stages: [..., SimpleSaveStage, ...]
```)",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  SimpleSaveStage() : SaveStage("simple") {}
  Results run(Value ctx);
};

Results SimpleSaveStage::run(Value ctx) {
  for (Result& result : substage(prepare_below(ctx))) {
    const auto evaluation = evaluation_of(result);
    output(path_for(*evaluation), core::simple_json(*evaluation));
    co_yield std::move(result);
  }
}

}  // namespace

ZZ_PLUGIN_STAGE(SimpleSaveStage)

}  // namespace zz::plugins
