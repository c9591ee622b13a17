#pragma once
#include <pybind11/pybind11.h>

namespace zz::python {

/// `design_axes(json)`: the axes of a space as pipelines have them, as a list of {names, steps};
/// `point_story(store, number)`: what `zz-host why STORE POINT --format=json` says. Both as JSON.
void bind_design_space(pybind11::module_& module);

}  // namespace zz::python
