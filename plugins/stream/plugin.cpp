#include "plugins/internal/plugin.hpp"

ZZ_PLUGIN_OF_STAGES("org.zz.stream", DetermineHintLoopsStage, DetermineLayerStacksStage,
                    DetermineSchedulingOrderStage, GenerateCNWorkloadHybridStage, InterCoreMappingStage,
                    IntraCoreMappingStage, SearchHintLoopsStage)
