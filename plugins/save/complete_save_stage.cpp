#include <string>
#include <utility>

#include "core/output/json/evaluation_json.hpp"
#include "core/output/json/schedule_json.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/save/save_stage.hpp"

namespace zz::plugins {
namespace {

std::string everything_about(const core::Evaluation& evaluation) {
  const bool scheduled = evaluation.schedule != nullptr && evaluation.layer == nullptr;
  return scheduled ? core::schedule_json(evaluation) : core::complete_json(evaluation);
}

/// Writes each result that passes to a JSON file: everything about it.
class CompleteSaveStage : public SaveStage {
 public:
  static constexpr Description description{
      .id = "org.zz.CompleteSaveStage",
      .name = "CompleteSaveStage",
      .summary = "writes each result to a JSON file: everything about it",
      .doc =
          R"(Writes everything about each result that passes to a JSON file: under `outputs` the figures with their breakdowns per
operand and memory level, under `inputs` the accelerator, the layer and the mapping; under `row` the number of the layer
and what limits it, by which `zz-host compare` puts saved runs side by side.
The file is `<dump_folder>/<layer>_complete.json`, with slashes in the name of the layer
replaced by `_` and a long name shortened, `<dump_folder>/overall_complete.json` for a sum, and
`<dump_folder>/schedule_complete.json` for a network on several cores. Two layers whose files would have the same name
are an error; further results of the same layer, sum or schedule go to `<layer>_complete_2.json` and so on, in the order
in which they come. Files appear whole or not at all. Results pass unchanged.

A `dump_filename_pattern` says instead what the files are called: `outputs/{datetime}/?.json` with `?` for
`<layer>_complete`. Without `?` there is one file, a list of all results that this stage gets, each with its `name`,
in the order of the layers: `outputs/{datetime}.json`. `{datetime}` is the start of the run, or the parameter
`datetime`.

```yaml
parameters: {dump_folder: outputs/resnet18}
stages: [..., CompleteSaveStage, ...]
```

Of a network on several cores everything is in the file that happened, in cycles, bits and pJ:

| field | |
|---|---|
| `latency`, `energy` | the figures of the result |
| `energy_breakdown` | energy by what it is spent on; nodes, evictions, outputs and transfers between cores, links and memories apart |
| `layer_group_per_gene`, `genes` | the pairs [layer, group] that had a choice, and the core that each was given |
| `choice` | settings of InterCoreMappingStage that make this schedule without a search (and `scheduling_order`, where it was given) |
| `core_of_layer_group` | the core of every `layer,group` |
| `cns` | [layer, node of the layer, core, start, end], by layer |
| `scheduling_sequence` | [layer, node of the layer] in the order in which they were placed |
| `transfers` | [tensor, bits, sender, receiver, memory operand there, start, end, link energy, memory energy, links of the route, 1 for each of them that it occupied, nodes placed before]; a tensor is [layer, first node that has it, operand] |
| `blocks` | [node, memory operands, core, start, end, bits per cycle read, bits per cycle written, nodes placed before]: off-chip links reserved for operands that a node streams |
| `removals` | [cause, tensor, bits, core, memory operand, cycle, 1 if it was written back, when it was there, nodes placed before] |
| `memory`, `memory_traces` | peak and use over time, [cycle, bits from then on], of each memory that takes part |
| `links` | each link with the cycles in which it was in use, and by which entries of `transfers` and `blocks`, counted from 0 |
| `layers` | each layer with its energy and latency: its nodes on their cores, one after the other |
| `busy_cycles_per_core`, `last_cn_end`, `total_transfer_bits`, `nb_...` | totals of these lists |
| `cns_sha256`, `transfers_sha256`, `sequence_sha256` | digests of lists, by which two schedules are compared at a glance |
| `latency_bound` | no schedule of these nodes and costs is shorter; in the steady state no period |)",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  CompleteSaveStage() : SaveStage("complete", everything_about) {}
  Results run(Value ctx) { return save(std::move(ctx)); }
};

}  // namespace

ZZ_PLUGIN_STAGE(CompleteSaveStage)

}  // namespace zz::plugins
