#include "plugins/archive/dump_stage.hpp"
#include "plugins/archive/pickle_save_stage.hpp"
#include "plugins/archive/skip_if_dump_exists_stage.hpp"
#include "plugins/internal/core_errors.hpp"

ZZ_PLUGIN("org.zz.archive", zz::plugins::PickleSaveStage, zz::plugins::DumpStage,
          zz::plugins::SkipIfDumpExistsStage)
