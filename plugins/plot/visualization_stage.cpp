#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/pictures/schedule_pictures.hpp"
#include "plugins/plot/plot_files.hpp"

namespace zz::plugins {
namespace {

/// Shows each result of a layer that passes: pictures in one page, and its loops as text. Of a network on
/// several cores it shows the schedule.
class VisualizationStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.VisualizationStage",
      .name = "VisualizationStage",
      .summary = "shows the results of layers, and schedules of networks on several cores, as pictures",
      .doc =
          R"(Draws the results of single layers and the schedules that pass. Everything goes to `dump_folder`. Of layers:

- `visualization.html`: the energy of each layer by memory, operand and direction, its latency by cause, the
  memory hierarchy, and the loop nests with the memory of each operand beside each loop. One file that opens offline
  in a browser (of 2023 or later); every picture can be saved from there as SVG or PNG.
- `visualization_energy.vg.json`, `..._latency`, `..._memory_hierarchy`, `..._loop_nest`: the same pictures as
  [Vega](https://vega.github.io/vega/) specifications with their data, to be restyled in a notebook.
- `loop_ordering.txt`: the loop nests as text.

Of a network on several cores:

- `schedule.html`: the cores and links over time with every node, transfer and reservation, and below them the use of
  each memory with its capacity, all zoomed and moved in time together. Pointing at a node shows its figures, what it
  waits for and what waits for it. Then, where the cycles of each core and link go: at work, or waiting for earlier
  nodes, links, data on the way, room in a memory. Then the cut of each layer: its loops, its pieces, and what would
  limit larger and smaller ones.
- `schedule.vg.json`, `schedule_waits.vg.json`: the same pictures as Vega specifications with their data.
- `schedule.perfetto.json`: the same as a trace for [Perfetto](https://ui.perfetto.dev), with a track for each core and
  link, the memories as counters, and arrows where data go from core to core. A cycle is shown there as a microsecond.

With `compare: outputs/before/schedule.vg.json`, the file of an earlier run, `schedule.html` shows that schedule above
the new one, over the same cycles and zoomed together, what resources wait for side by side, and its cuts beside the new
ones (`schedule_before.vg.json`).

Further schedules go to `schedule_2.html` and so on, in the order in which they come. Several schedules of a run, as
`all_results` of SearchHintLoopsStage and InterCoreMappingStage makes them, are compared in

- `front.html`: latency against energy of each schedule, with what no choice can be below where that is known; which of
  them no other one beats in both; order, cuts and cores in a table; and a link to the page of each schedule.
- `front.vg.json`: the same as a Vega specification with its data.

The files are those of this run, not added to older ones. They appear whole or not at all. Results pass unchanged, and
sums are not drawn: `PlotTemporalMappingsStage` draws them.

```yaml
parameters: {dump_folder: outputs/resnet18}
stages: [..., WorkloadStage, VisualizationStage, CompleteSaveStage, MinimalLatencyStage, ...]
```)",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string dump_folder;
  int64_t plot_results = 200;
  int64_t plot_bars = 20000;
  std::optional<std::string> compare;
  static constexpr zz::Port consumes[] = {
      zz::object("layer", "layer", "for the order of what is drawn").optional(),
      zz::port("missing_work", ZZ_STR, "what the figures leave out, for the top of the page").optional()};
  static constexpr auto params = zz::params(
      param<&VisualizationStage::dump_folder>("dump_folder",
                                              "the folder for the files; made when it is not there")
          .required(),
      param<&VisualizationStage::plot_results>(
          "plot_results",
          "how many results the page shows, further ones are in the text only; and "
          "how many schedules are drawn")
          .allowed("[1, inf]"),
      param<&VisualizationStage::plot_bars>(
          "plot_bars",
          "how many nodes, transfers and reservations the page of a schedule shows, the first ones of "
          "longer schedules; the trace for Perfetto has them all")
          .allowed("[1, inf]"),
      param<&VisualizationStage::compare>(
          "compare",
          "the `schedule.vg.json` of an earlier run, which the page of a schedule shows beside it")
          .input_path());
  static constexpr Port provides[] = {
      zz::port("dump_folder", ZZ_STR, "the folder that the files of this stage go to").optional()};

  ~VisualizationStage() { files_.close(*this); }
  void prepare();
  Results run(Value ctx);

 private:
  PlotFiles files_;
  SchedulePictures schedules_;
};

void VisualizationStage::prepare() {
  const std::filesystem::path folder(dump_folder);
  files_.set((folder / "visualization").string(), (folder / "loop_ordering.txt").string(), plot_results);
  schedules_.set((folder / "schedule").string(), {.most_bars = static_cast<std::size_t>(plot_bars)},
                 plot_results);
  if (compare && !compare->empty()) schedules_.compare_with(*compare);
}

Results VisualizationStage::run(Value ctx) {
  files_.begin_opening();
  const bool known = ctx["dump_folder"_n].str("") == dump_folder;
  const Value below = known ? ctx : with(ctx, {{"dump_folder"_n, dump_folder}});
  for (Result& result : substage(below)) {
    auto evaluation = object_or_null<core::Evaluation>(result.evaluation);
    if (evaluation && evaluation->layer)
      files_.add(ctx, std::move(evaluation));
    else if (evaluation && evaluation->schedule)
      schedules_.draw(*this, *evaluation);
    co_yield std::move(result);
  }
  files_.end_opening(*this);
  schedules_.draw_front(*this, (std::filesystem::path(dump_folder) / "front").string());
}

}  // namespace

ZZ_PLUGIN_STAGE(VisualizationStage)

}  // namespace zz::plugins
