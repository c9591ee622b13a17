#pragma once
#include <pybind11/pybind11.h>

namespace zz::python {

/// `component_cost`: what a component costs, as `zz-host cost --format=json` has it; and what it is asked
/// for.
void bind_components(pybind11::module_& module);

}  // namespace zz::python
