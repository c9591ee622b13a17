#pragma once
#include <pybind11/pybind11.h>

namespace zz::python {

/// Figures of single transfers that evaluations do not keep, and of the units that take part in them.
void bind_transfers(pybind11::module_& module);

}  // namespace zz::python
