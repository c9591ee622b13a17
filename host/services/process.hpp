#pragma once
#include "zz/stage_abi.h"

namespace zz::host {

/// The extension "zz.process/0": other programs, ended when the run is asked to stop.
extern const zz_process process_table;

}  // namespace zz::host
