#include "host/bindings/python/native/pipeline_view.hpp"

#include <nlohmann/json.hpp>
#include <pybind11/stl.h>
#include <set>
#include <string>
#include <vector>

#include "core/input/yaml/document.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/schema/width_costs.hpp"
#include "host/base/run.hpp"
#include "host/bindings/python/native/value_view.hpp"
#include "host/boundary/host_table.hpp"
#include "host/pipeline/default_pipeline.hpp"
#include "host/report/stage_description.hpp"
#include "host/values/setting_value.hpp"
#include "host/values/stage_table.hpp"

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
                                  const std::string& mapping, const std::string& objective, bool quick,
                                  std::optional<std::int64_t> limit, std::optional<double> within,
                                  const std::string& output, const std::string& precision, bool fused,
                                  const py::dict& files) {
  host::Run run;
  for (const auto& [name, bytes] : files)
    if (py::isinstance<py::str>(bytes))
      run.files.add_value(name.cast<std::string>(), bytes.cast<std::string>());
    else
      run.files.add(name.cast<std::string>(), bytes.cast<std::string>());
  const host::WorkingFor working(run);
  const host::PipelineFile pipeline = host::default_pipeline(
      {workload, accelerator, mapping, objective, quick, limit, within, "", output, precision, fused},
      run.files);
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

/// Contents of an input file, as dicts and lists; with `text`, the text of one that is called `path`.
py::object read_yaml(const std::string& path, const std::optional<std::string>& text) {
  core::Diagnostics diagnostics;
  const core::yaml::Node node =
      text ? core::yaml::load_text(*text, path, diagnostics) : core::yaml::load_file(path, diagnostics);
  return to_plain_python(host::value_of(node));
}

/// Cuts in comments are keys.
py::object read_mapping(const std::string& path, const std::optional<std::string>& text) {
  core::Diagnostics diagnostics;
  return to_plain_python(host::value_of(text ? core::load_mapping_text(*text, path, diagnostics)
                                             : core::load_mapping(path, diagnostics)));
}

}  // namespace

void bind_default_pipeline(py::module_& module) {
  module.def("read_yaml", read_yaml, py::arg("path"), py::arg("text") = py::none());
  module.def("read_mapping", read_mapping, py::arg("path"), py::arg("text") = py::none());
  module.def("default_pipeline", default_pipeline_as_dict, py::arg("workload"), py::arg("accelerator"),
             py::arg("mapping"), py::arg("objective"), py::arg("quick"), py::arg("limit"),
             py::arg("within"), py::arg("output"), py::arg("precision"), py::arg("fused"),
             py::arg("files"));
}

namespace {

host::PluginRegistry plugins(const std::vector<std::string>& files, const std::vector<std::string>& paths) {
  host::PluginRegistry registry(host::host_table());
  for (const std::string& file : files) {
    if (const std::string wrong = registry.add_file(file, "plugins"); !wrong.empty())
      throw std::runtime_error("the plugin " + wrong);
  }
  registry.add_search_path(paths);
  return registry;
}

/// The descriptions of all stages as JSON, as `zz-host stages --format=json` has them.
std::string stages_as_json(const std::vector<std::string>& files, const std::vector<std::string>& paths) {
  auto all = nlohmann::ordered_json::array();
  for (const host::StageSource& source : plugins(files, paths).stages())
    all.push_back(host::description_of(source));
  return all.dump();
}

/// Names that are a path wherever a stage has them. What is a path to one stage and a map to another, as
/// `config`, stays what the user gave.
std::set<std::string> names_of_input_files() {
  std::set<std::string> files, others;
  for (const host::StageSource& source : plugins({}, {}).stages()) {
    for (const zz_param& parameter : host::parameters_of(*source.stage)) {
      std::set<std::string>& names = (parameter.flags & ZZ_INPUT_PATH) == 0 ? others : files;
      names.insert(parameter.name);
      for (std::string& name : host::split_names(parameter.aliases)) names.insert(std::move(name));
    }
  }
  for (const std::string& name : others) files.erase(name);
  return files;
}

}  // namespace

void bind_stage_list(pybind11::module_& module) {
  module.def("stages_as_json", stages_as_json);
  module.def("names_of_input_files", names_of_input_files);
  module.def("warning_of_width_without_cost", [](const std::vector<std::string>& paths) {
    return core::warning_of_width_without_cost(paths);
  });
  module.def("width_without_cost", core::width_without_cost);
}

}  // namespace zz::python
