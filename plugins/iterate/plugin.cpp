#include "plugins/internal/core_errors.hpp"
#include "plugins/iterate/cache_before_yield_stage.hpp"
#include "plugins/iterate/general_parameter_iterator_stage.hpp"
#include "plugins/iterate/hardware_optimizer_stage.hpp"
#include "plugins/iterate/multi_processing_gather_stage.hpp"
#include "plugins/iterate/multi_processing_spawn_stage.hpp"
#include "plugins/iterate/pe_array_scaling_stage.hpp"
#include "plugins/iterate/remove_extra_info_stage.hpp"

ZZ_PLUGIN("org.zz.iterate", zz::plugins::GeneralParameterIteratorStage, zz::plugins::PEArrayScalingStage,
          zz::plugins::HardwareOptimizerStage, zz::plugins::RemoveExtraInfoStage,
          zz::plugins::CacheBeforeYieldStage, zz::plugins::MultiProcessingGatherStage,
          zz::plugins::MultiProcessingSpawnStage)
