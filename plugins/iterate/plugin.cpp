#include "plugins/internal/plugin.hpp"

ZZ_PLUGIN_OF_STAGES("org.zz.iterate", PEArrayScalingStage, RemoveExtraInfoStage, CacheBeforeYieldStage,
                    MultiProcessingGatherStage, MultiProcessingSpawnStage)
