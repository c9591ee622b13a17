#include "plugins/plot/plot_temporal_mappings_stage.hpp"

#include <filesystem>

#include "plugins/internal/objects.hpp"
#include "plugins/pictures/page.hpp"

namespace zz::plugins {

void PlotTemporalMappingsStage::prepare() {
  if (std::filesystem::path(plot_filename_pattern).filename().empty())
    throw Error(ZZ_E_INVALID,
                "'plot_filename_pattern' must name a file, not '" + plot_filename_pattern + "'");
  files_.set(without_picture_extension(plot_filename_pattern), "", plot_results);
}

Results PlotTemporalMappingsStage::run(Value ctx) {
  files_.begin_opening();
  for (Result& result : substage(ctx)) {
    if (auto evaluation = object_or_null<core::Evaluation>(result.evaluation))
      files_.add(ctx, std::move(evaluation));
    co_yield std::move(result);
  }
  files_.end_opening(*this);
}

}  // namespace zz::plugins
