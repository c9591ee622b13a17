#pragma once
#include <pybind11/pybind11.h>

namespace zz::python {

/// Stages that are classes of Python (zz/stages.py): the capsule `zz._zz.stage_files` is what the plugin
/// zz-python hands to the host, and `Substage` is what a stage's `substage()` returns.
void bind_stages(pybind11::module_& module);

}  // namespace zz::python
