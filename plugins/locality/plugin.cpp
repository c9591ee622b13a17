#include "plugins/internal/core_errors.hpp"
#include "plugins/locality/exploit_inter_layer_data_locality_stage.hpp"
#include "plugins/locality/search_inter_layer_data_locality_stage.hpp"

ZZ_PLUGIN("org.zz.locality", zz::plugins::SearchInterLayerDataLocalityStage,
          zz::plugins::ExploitInterLayerDataLocalityStage)
