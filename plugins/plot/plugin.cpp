#include "plugins/internal/core_errors.hpp"
#include "plugins/plot/plot_temporal_mappings_stage.hpp"
#include "plugins/plot/visualization_stage.hpp"

ZZ_PLUGIN("org.zz.plot", zz::plugins::PlotTemporalMappingsStage, zz::plugins::VisualizationStage)
