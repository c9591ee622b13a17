#pragma once
#include "zz/stage_abi.h"

namespace zz::host {

/// The table of the host that every plugin gets. Constant. [any]
const zz_host& host_table();

}  // namespace zz::host
