#include "plugins/internal/plugin.hpp"

ZZ_PLUGIN_OF_STAGES("org.zz.parsers", WorkloadParserStage, AcceleratorParserStage,
                    UserDefinedModelParserStage)
