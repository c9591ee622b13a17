#pragma once
#include <pybind11/pybind11.h>

namespace zz::python {

/// `DesignSpace(json)`: the points of the axes that pipelines have, with values as JSON;
/// `unbeaten(figures)`: the places of those that no other one beats;
/// `point_story(store, number)`: what `zz-host why STORE POINT --format=json` says. Both as JSON.
void bind_design_space(pybind11::module_& module);

}  // namespace zz::python
