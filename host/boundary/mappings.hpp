#pragma once
#include "zz/stage_abi.h"

namespace zz::host {

/// The extension "zz.mappings/0": temporal mappings by the rules of the built-in searches.
extern const zz_mappings mappings_table;

}  // namespace zz::host
