#include "plugins/internal/plugin.hpp"

ZZ_PLUGIN_OF_STAGES("org.zz.reduce", MinimalEnergyStage, MinimalLatencyStage, MinimalEDPStage,
                    MinimalMetricStage, SumStage, ListifyStage)
