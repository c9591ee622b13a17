#include <utility>

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

A `dump_filename_pattern` says instead what the files are called: `outputs/{datetime}/?.json` with `?` for
`<layer>_simple`. Without `?` there is one file, a list of all results that this stage gets, each with its `name`, in
the order of the layers: `outputs/{datetime}.json`. `{datetime}` is the start of the run, or the parameter `datetime`.

```yaml
parameters: {dump_folder: outputs/resnet18}
stages: [..., SimpleSaveStage, ...]
```)",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  SimpleSaveStage() : SaveStage("simple", core::simple_json) {}
  Results run(Value ctx) { return save(std::move(ctx)); }
};

}  // namespace

ZZ_PLUGIN_STAGE(SimpleSaveStage)

}  // namespace zz::plugins
