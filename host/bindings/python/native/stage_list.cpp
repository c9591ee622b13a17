#include "stage_list.hpp"

#include <nlohmann/json.hpp>
#include <pybind11/stl.h>
#include <set>

#include "host/command_line/stage_description.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::python {
namespace {

host::PluginRegistry plugins(const std::vector<std::string>& files, const std::vector<std::string>& paths) {
  host::PluginRegistry registry;
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

std::set<std::string> names_of_input_files() {
  std::set<std::string> names;
  for (const host::StageSource& source : plugins({}, {}).stages()) {
    for (const zz_param& parameter : host::parameters_of(*source.stage)) {
      if ((parameter.flags & ZZ_INPUT_PATH) == 0) continue;
      names.insert(parameter.name);
      for (std::string& name : host::split_names(parameter.aliases)) names.insert(std::move(name));
    }
  }
  return names;
}

}  // namespace

void bind_stage_list(pybind11::module_& module) {
  module.def("stages_as_json", stages_as_json);
  module.def("names_of_input_files", names_of_input_files);
}

}  // namespace zz::python
