#include "plugins/internal/core_errors.hpp"
#include "plugins/workload/workload_stage.hpp"

ZZ_PLUGIN("org.zz.workload", zz::plugins::WorkloadStage)
