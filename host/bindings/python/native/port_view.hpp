#pragma once
#include <pybind11/pybind11.h>

namespace zz::python {

/// What evaluations do not keep of single ports.
void bind_ports(pybind11::module_& module);

}  // namespace zz::python
