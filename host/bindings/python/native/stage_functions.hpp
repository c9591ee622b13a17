#pragma once
#include "zz/stage_abi.h"

namespace zz::python {

/// The functions of the boundary for a stage in Python: create, open, pull ... . They take the
/// interpreter's lock, and the class follows from the settings `file` and `stage`.
void set_functions(zz_stage_desc& stage);

}  // namespace zz::python
