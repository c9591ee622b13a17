#pragma once
#include <pybind11/pybind11.h>

namespace zz::python {

/// The class `zz._zz.Run`: a pipeline at work, which zz.pipeline wraps.
void bind_run(pybind11::module_& module);

}  // namespace zz::python
