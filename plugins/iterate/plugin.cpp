#include "plugins/internal/plugin.hpp"

ZZ_PLUGIN_OF_STAGES("org.zz.iterate", GeneralParameterIteratorStage, PEArrayScalingStage,
                    HardwareOptimizerStage, RemoveExtraInfoStage, CacheBeforeYieldStage,
                    MultiProcessingGatherStage, MultiProcessingSpawnStage)
