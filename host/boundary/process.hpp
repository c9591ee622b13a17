#pragma once
#include "zz/stage_abi.h"

namespace zz::host {

/// The extension "zz.process/0": runs other programs, and ends them when the run is asked to stop.
extern const zz_process process_table;

}  // namespace zz::host
