#pragma once
#include <pybind11/pybind11.h>

namespace zz::python {

/// What follows from an array that computes in its memory alone: area, clock, and what it can do at most.
void bind_imc(pybind11::module_& module);

}  // namespace zz::python
