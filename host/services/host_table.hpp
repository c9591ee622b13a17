#pragma once
#include "zz/stage_abi.h"

namespace zz::host {

/// The one table that every plugin is given. Constant for the process. [any]
const zz_host& host_table();

}  // namespace zz::host
