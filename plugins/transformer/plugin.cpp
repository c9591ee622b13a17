#include "plugins/internal/core_errors.hpp"
#include "plugins/transformer/transformer_workload_stage.hpp"

ZZ_PLUGIN("org.zz.transformer", zz::plugins::TransformerWorkloadStage)
