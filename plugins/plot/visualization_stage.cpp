#include "plugins/plot/visualization_stage.hpp"

#include <filesystem>

#include "plugins/internal/objects.hpp"

namespace zz::plugins {

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

}  // namespace zz::plugins
