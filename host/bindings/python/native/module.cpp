#include <pybind11/pybind11.h>

#include "host/bindings/python/native/calibration_view.hpp"
#include "host/bindings/python/native/component_view.hpp"
#include "host/bindings/python/native/design_space_view.hpp"
#include "host/bindings/python/native/failure.hpp"
#include "host/bindings/python/native/pipeline_view.hpp"
#include "host/bindings/python/native/python_stages.hpp"
#include "host/bindings/python/native/run_view.hpp"
#include "host/bindings/python/native/store_view.hpp"
#include "host/bindings/python/native/transfer_view.hpp"
#include "host/bindings/python/native/value_view.hpp"

/// The native part of the package zz. What users import is in zz/__init__.py.
PYBIND11_MODULE(_zz, module) {
  module.attr("version") = ZZ_VERSION;
  zz::python::bind_failures();
  zz::python::bind_value(module);
  zz::python::bind_imc(module);
  zz::python::bind_ports(module);
  zz::python::bind_transfers(module);
  zz::python::bind_run(module);
  zz::python::bind_default_pipeline(module);
  zz::python::bind_stage_list(module);
  zz::python::bind_components(module);
  zz::python::bind_calibration(module);
  zz::python::bind_stages(module);
  zz::python::bind_design_space(module);
  zz::python::bind_store(module);
}
