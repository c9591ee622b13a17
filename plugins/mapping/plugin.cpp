#include "plugins/internal/core_errors.hpp"
#include "plugins/mapping/salsa_stage.hpp"
#include "plugins/mapping/spatial_mapping_conversion_stage.hpp"
#include "plugins/mapping/spatial_mapping_generator_stage.hpp"
#include "plugins/mapping/temporal_mapping_generator_stage.hpp"
#include "plugins/mapping/temporal_ordering_conversion_stage.hpp"

ZZ_PLUGIN("org.zz.mapping", zz::plugins::SpatialMappingGeneratorStage,
          zz::plugins::SpatialMappingConversionStage, zz::plugins::TemporalMappingGeneratorStage,
          zz::plugins::TemporalOrderingConversionStage, zz::plugins::SalsaStage)
