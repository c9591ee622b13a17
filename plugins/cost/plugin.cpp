#include "plugins/cost/cost_model_stage.hpp"
#include "plugins/internal/core_errors.hpp"

ZZ_PLUGIN("org.zz.cost", zz::plugins::CostModelStage)
