#include "plugins/internal/core_errors.hpp"
#include "plugins/optimal/optimal_mapping_stage.hpp"
#include "plugins/optimal/optimal_temporal_mapping_stage.hpp"

ZZ_PLUGIN("org.zz.optimal", zz::plugins::OptimalTemporalMappingStage, zz::plugins::OptimalMappingStage)
