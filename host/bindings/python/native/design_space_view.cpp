#include "host/bindings/python/native/design_space_view.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "core/exploration/design_space.hpp"
#include "core/store/result_store.hpp"
#include "host/report/point_story.hpp"

namespace zz::python {
namespace {

std::string design_axes(const std::string& written) {
  const core::DesignSpace space(nlohmann::ordered_json::parse(written), "axes");
  auto axes = nlohmann::json::array();
  for (const core::DesignAxis& axis : space.axes())
    axes.push_back({{"names", axis.names}, {"steps", axis.steps}});
  return axes.dump();
}

std::string point_story(const std::string& store, std::uint64_t number) {
  const core::ResultStore opened(store, core::ResultStore::Access::read);
  return host::point_story_json(host::point_story(opened, number)).dump();
}

}  // namespace

void bind_design_space(pybind11::module_& module) {
  module.def("design_axes", design_axes, pybind11::arg("axes"));
  module.def("point_story", point_story, pybind11::arg("store"), pybind11::arg("number"));
}

}  // namespace zz::python
