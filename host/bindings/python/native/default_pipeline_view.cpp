#include "default_pipeline_view.hpp"

#include <pybind11/stl.h>
#include <string>
#include <vector>

#include "host/chain/setting_value.hpp"
#include "host/pipeline/default_pipeline.hpp"
#include "host/services/run.hpp"

#include "value_view.hpp"

namespace zz::python {
namespace {

namespace py = pybind11;

py::dict settings_of(const std::vector<host::WrittenSetting>& settings) {
  py::dict all;
  for (const host::WrittenSetting& setting : settings)
    all[py::str(setting.name)] = to_plain_python(host::value_of(setting.value));
  return all;
}

py::dict default_pipeline_as_dict(const std::string& workload, const std::string& accelerator,
                                  const std::string& mapping, const std::string& objective, bool optimal,
                                  std::optional<std::int64_t> limit, const std::string& output,
                                  const py::dict& files) {
  host::Run run;
  for (const auto& [name, bytes] : files)
    run.files.add(name.cast<std::string>(), bytes.cast<std::string>());
  const host::WorkingFor working(run);
  const host::PipelineFile pipeline =
      host::default_pipeline({workload, accelerator, mapping, objective, optimal, limit, output});
  py::list stages;
  for (const host::StageEntry& stage : pipeline.stages) {
    if (stage.settings.empty()) {
      stages.append(stage.name);
      continue;
    }
    py::dict entry;
    entry[py::str(stage.name)] = settings_of(stage.settings);
    stages.append(entry);
  }
  py::dict result;
  result["version"] = 1;
  result["parameters"] = settings_of(pipeline.parameters);
  result["stages"] = stages;
  return result;
}

}  // namespace

void bind_default_pipeline(py::module_& module) {
  module.def("default_pipeline", default_pipeline_as_dict, py::arg("workload"), py::arg("accelerator"),
             py::arg("mapping"), py::arg("objective"), py::arg("optimal"), py::arg("limit"),
             py::arg("output"), py::arg("files"));
}

}  // namespace zz::python
