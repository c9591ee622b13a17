#include "plugins/internal/plugin.hpp"

ZZ_PLUGIN_OF_STAGES("org.zz.transformer", ServingTablesStage, TransformerWorkloadStage)
