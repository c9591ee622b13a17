#pragma once
#include <pybind11/pybind11.h>

namespace zz::python {

/// Adds `default_pipeline`, the pipeline of `zz-host map` as a dict.
void bind_default_pipeline(pybind11::module_& module);

/// Parts of pipelines: the stages, and which settings name input files.
void bind_stage_list(pybind11::module_& module);

}  // namespace zz::python
