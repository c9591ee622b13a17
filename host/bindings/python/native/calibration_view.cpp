#include "host/bindings/python/native/calibration_view.hpp"

#include <nlohmann/json.hpp>
#include <pybind11/stl.h>

#include "core/base/interruption.hpp"
#include "core/cost/evaluation.hpp"
#include "core/search/optimal/roofline.hpp"
#include "host/bindings/python/native/failure.hpp"
#include "host/bindings/python/native/interrupt.hpp"
#include "host/bindings/python/native/value_view.hpp"
#include "host/boundary/parallel.hpp"
#include "host/library/calibration_run.hpp"

namespace zz::python {
namespace {

std::string calibrate(const host::CalibrationRequest& request, const py::dict& files, unsigned threads) {
  host::Run run;
  for (const auto& [name, bytes] : files)
    if (py::isinstance<py::str>(bytes))
      run.files.add_value(name.cast<std::string>(), bytes.cast<std::string>());
    else
      run.files.add(name.cast<std::string>(), bytes.cast<std::string>());
  run.threads = host::threads_for(threads);
  std::string text;
  core::Diagnostics diagnostics;
  Interruptible interruptible(run);
  try {
    const py::gil_scoped_release released;
    const host::WorkingFor working(run);
    auto document = host::calibration_as_json(host::calibrate(request, diagnostics, run));
    document["warnings"] = nlohmann::ordered_json::array();
    for (const core::Diagnostic& one : diagnostics.all())
      document["warnings"].push_back(one.hint.empty() ? one.message : one.message + "; " + one.hint);
    text = document.dump();
  } catch (const core::Interrupted&) {
    if (interruptible.interrupted() && PyErr_CheckSignals() != 0) throw py::error_already_set();
    throw;
  }
  if (interruptible.interrupted() && PyErr_CheckSignals() != 0) throw py::error_already_set();
  return text;
}

std::pair<double, double> roofline(const core::Value& value) {
  const auto evaluation = value.as<core::Evaluation>();
  if (evaluation == nullptr || evaluation->layer == nullptr || evaluation->accelerator == nullptr)
    throw py::type_error("a roofline is that of the evaluation of one layer; this is none");
  const core::Roofline found = core::roofline(*evaluation->layer, evaluation->accelerator);
  return {found.operations, found.data};
}

}  // namespace

void bind_calibration(pybind11::module_& module) {
  module.def("roofline", roofline, py::arg("evaluation"));
  module.def(
      "calibrate",
      [](const std::string& accelerator, const std::string& measurements,
         const std::vector<std::string>& keys, const std::string& workload, const std::string& precision,
         const std::string& mapping, const std::string& output, const py::dict& files, unsigned threads) {
        return calibrate({accelerator, measurements, keys, workload, precision, mapping, output}, files,
                         threads);
      },
      py::arg("accelerator"), py::arg("measurements"), py::arg("keys"), py::arg("workload"),
      py::arg("precision"), py::arg("mapping"), py::arg("output"), py::arg("files"), py::arg("threads"));
}

}  // namespace zz::python
