#include "host/bindings/python/native/component_view.hpp"

#include <nlohmann/json.hpp>
#include <pybind11/stl.h>

#include "host/report/component_report.hpp"

namespace zz::python {

void bind_components(pybind11::module_& module) {
  module.def(
      "component_cost",
      [](const std::string& component, const std::map<std::string, std::string>& given) {
        return host::component_as_json(host::report_component(component, given)).dump();
      },
      pybind11::arg("component"), pybind11::arg("given"));
}

}  // namespace zz::python
