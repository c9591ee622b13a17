#pragma once
#include <pybind11/pybind11.h>

namespace zz::python {

/// `calibrate`: what `zz-host calibrate --format=json` says, with files in memory by name. `roofline`: of
/// an evaluation (core::Roofline), cycles of operations and of data.
void bind_calibration(pybind11::module_& module);

}  // namespace zz::python
