#pragma once
#include "zz/stage_abi.h"

namespace zz::host {

/// True when of the names in the settings of the stage only those that are settings of the stages below are
/// context keys, and the others are the stage's own (port "*" of the type "setting").
bool names_settings_alone(const zz_stage_desc& stage);

}  // namespace zz::host
