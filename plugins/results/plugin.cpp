#include "plugins/internal/core_errors.hpp"
#include "plugins/results/archive/dump_stage.hpp"
#include "plugins/results/archive/pickle_save_stage.hpp"
#include "plugins/results/archive/skip_if_dump_exists_stage.hpp"
#include "plugins/results/plot/plot_temporal_mappings_stage.hpp"
#include "plugins/results/plot/visualization_stage.hpp"
#include "plugins/results/save/complete_save_stage.hpp"
#include "plugins/results/save/simple_save_stage.hpp"

ZZ_PLUGIN("org.zz.results", zz::plugins::SimpleSaveStage, zz::plugins::CompleteSaveStage,
          zz::plugins::PickleSaveStage, zz::plugins::DumpStage, zz::plugins::SkipIfDumpExistsStage,
          zz::plugins::PlotTemporalMappingsStage, zz::plugins::VisualizationStage)
