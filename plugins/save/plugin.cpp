#include "plugins/internal/core_errors.hpp"
#include "plugins/save/complete_save_stage.hpp"
#include "plugins/save/simple_save_stage.hpp"

ZZ_PLUGIN("org.zz.save", zz::plugins::SimpleSaveStage, zz::plugins::CompleteSaveStage)
