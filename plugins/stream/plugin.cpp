#include "plugins/internal/core_errors.hpp"
#include "plugins/stream/determine_hint_loops_stage.hpp"
#include "plugins/stream/determine_layer_stacks_stage.hpp"
#include "plugins/stream/determine_scheduling_order_stage.hpp"
#include "plugins/stream/generate_cn_workload_hybrid_stage.hpp"
#include "plugins/stream/inter_core_mapping_stage.hpp"
#include "plugins/stream/intra_core_mapping_stage.hpp"
#include "plugins/stream/search_hint_loops_stage.hpp"

ZZ_PLUGIN("org.zz.stream", zz::plugins::DetermineHintLoopsStage, zz::plugins::DetermineLayerStacksStage,
          zz::plugins::DetermineSchedulingOrderStage, zz::plugins::GenerateCNWorkloadHybridStage,
          zz::plugins::InterCoreMappingStage, zz::plugins::IntraCoreMappingStage,
          zz::plugins::SearchHintLoopsStage)
