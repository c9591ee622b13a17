#pragma once
#include "zz/internal_run.h"

namespace zz::host {

/// The extension "zz.internal.run/<build>".
extern const zz_internal_run run_table;

}  // namespace zz::host
