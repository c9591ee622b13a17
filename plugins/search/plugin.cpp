#include "plugins/internal/core_errors.hpp"
#include "plugins/search/cost/cost_model_stage.hpp"
#include "plugins/search/locality/exploit_inter_layer_data_locality_stage.hpp"
#include "plugins/search/locality/search_inter_layer_data_locality_stage.hpp"
#include "plugins/search/mapping/optimal_mapping_stage.hpp"
#include "plugins/search/mapping/optimal_temporal_mapping_stage.hpp"
#include "plugins/search/mapping/salsa_stage.hpp"
#include "plugins/search/mapping/spatial_mapping_conversion_stage.hpp"
#include "plugins/search/mapping/spatial_mapping_generator_stage.hpp"
#include "plugins/search/mapping/temporal_mapping_generator_stage.hpp"
#include "plugins/search/mapping/temporal_ordering_conversion_stage.hpp"
#include "plugins/search/reduce/listify_stage.hpp"
#include "plugins/search/reduce/minimal_edp_stage.hpp"
#include "plugins/search/reduce/minimal_energy_stage.hpp"
#include "plugins/search/reduce/minimal_latency_stage.hpp"
#include "plugins/search/reduce/minimal_metric_stage.hpp"
#include "plugins/search/reduce/sum_stage.hpp"
#include "plugins/search/workload/workload_stage.hpp"

ZZ_PLUGIN("org.zz.search", zz::plugins::WorkloadStage, zz::plugins::SearchInterLayerDataLocalityStage,
          zz::plugins::ExploitInterLayerDataLocalityStage, zz::plugins::SpatialMappingGeneratorStage,
          zz::plugins::SpatialMappingConversionStage, zz::plugins::TemporalMappingGeneratorStage,
          zz::plugins::TemporalOrderingConversionStage, zz::plugins::SalsaStage,
          zz::plugins::OptimalTemporalMappingStage, zz::plugins::OptimalMappingStage,
          zz::plugins::CostModelStage, zz::plugins::MinimalEnergyStage, zz::plugins::MinimalLatencyStage,
          zz::plugins::MinimalEDPStage, zz::plugins::MinimalMetricStage, zz::plugins::SumStage,
          zz::plugins::ListifyStage)
