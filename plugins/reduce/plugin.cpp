#include "plugins/internal/core_errors.hpp"
#include "plugins/reduce/listify_stage.hpp"
#include "plugins/reduce/minimal_figure_stages.hpp"
#include "plugins/reduce/minimal_metric_stage.hpp"
#include "plugins/reduce/sum_stage.hpp"

ZZ_PLUGIN("org.zz.reduce", zz::plugins::MinimalEnergyStage, zz::plugins::MinimalLatencyStage,
          zz::plugins::MinimalEDPStage, zz::plugins::MinimalMetricStage, zz::plugins::SumStage,
          zz::plugins::ListifyStage)
