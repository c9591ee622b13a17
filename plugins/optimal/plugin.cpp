#include "plugins/internal/plugin.hpp"

ZZ_PLUGIN_OF_STAGES("org.zz.optimal", OptimalTemporalMappingStage, OptimalMappingStage,
                    OptimalFusedMappingStage)
