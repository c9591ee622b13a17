#include <cstdint>
#include <filesystem>
#include <string>

#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/pictures/picture.hpp"
#include "plugins/plot/plot_files.hpp"

namespace zz::plugins {
namespace {

/// Draws the results that pass, sums too, as one page of pictures.
class PlotTemporalMappingsStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.PlotTemporalMappingsStage",
      .name = "PlotTemporalMappingsStage",
      .summary = "draws energy, latency and mapping of the results that pass",
      .doc =
          R"(Draws all results that pass, those of layers and sums, as one page: the energy by memory, operand and
direction, the latency by cause, the memory hierarchy, and the loop nests. Below a stage that yields several
mappings of a layer it compares them; above `WorkloadStage` it compares layers.

`plot_filename_pattern` is the name of the page. It is taken literally, except that a picture's extension (`.png`,
`.pdf`, `.svg`) becomes `.html`, which is appended where it is missing. The same pictures lie beside it as
[Vega](https://vega.github.io/vega/) specifications with their data (`<page>_energy.vg.json` and so on), to be restyled
in a notebook. Files appear whole or not at all. Results pass unchanged.

```yaml
stages: [..., {PlotTemporalMappingsStage: {plot_filename_pattern: outputs/mappings.html}}, WorkloadStage, ...]
```)",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string plot_filename_pattern;
  int64_t plot_results = 200;
  static constexpr zz::Port consumes[] = {
      zz::object("layer", "layer", "for the order of what is drawn").optional(),
      zz::port("missing_work", ZZ_STR, "what the figures leave out, for the top of the page").optional()};
  static constexpr auto params =
      zz::params(param<&PlotTemporalMappingsStage::plot_filename_pattern>("plot_filename_pattern",
                                                                          "the file name of the page")
                     .required(),
                 param<&PlotTemporalMappingsStage::plot_results>(
                     "plot_results", "how many results the page shows; further ones are only counted")
                     .allowed("[1, inf]"));

  ~PlotTemporalMappingsStage() { files_.close(*this); }
  void prepare();
  Results run(Value ctx);

 private:
  PlotFiles files_;
};

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

}  // namespace

ZZ_PLUGIN_STAGE(PlotTemporalMappingsStage)

}  // namespace zz::plugins
