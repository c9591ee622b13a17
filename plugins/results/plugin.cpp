#include "plugins/archive/dump_stage.hpp"
#include "plugins/archive/pickle_save_stage.hpp"
#include "plugins/archive/skip_if_dump_exists_stage.hpp"
#include "plugins/internal/core_errors.hpp"
#include "plugins/plot/plot_temporal_mappings_stage.hpp"
#include "plugins/plot/visualization_stage.hpp"
#include "plugins/save/complete_save_stage.hpp"
#include "plugins/save/simple_save_stage.hpp"

ZZ_PLUGIN("org.zz.results", zz::plugins::SimpleSaveStage, zz::plugins::CompleteSaveStage,
          zz::plugins::PickleSaveStage, zz::plugins::DumpStage, zz::plugins::SkipIfDumpExistsStage,
          zz::plugins::PlotTemporalMappingsStage, zz::plugins::VisualizationStage)
