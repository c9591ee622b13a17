#include "host/bindings/python/native/design_space_view.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <pybind11/stl.h>
#include <string>
#include <vector>

#include "core/base/unbeaten.hpp"
#include "core/exploration/design_space.hpp"
#include "core/store/result_store.hpp"
#include "host/report/point_story.hpp"

namespace zz::python {
namespace {

std::string axes_of(const core::DesignSpace& space) {
  auto axes = nlohmann::json::array();
  for (const core::DesignAxis& axis : space.axes())
    axes.push_back({{"names", axis.names}, {"steps", axis.steps}});
  return axes.dump();
}

std::string values_of(const core::DesignSpace& space, std::uint64_t number) {
  return nlohmann::json(space.values(number)).dump();
}

/// The number of the point with these values; none where an axis has no such step.
std::optional<std::uint64_t> number_of(const core::DesignSpace& space, const std::string& values) {
  const auto own = nlohmann::json::parse(values);
  core::DesignSpace::Steps steps;
  auto value = own.begin();
  for (const core::DesignAxis& axis : space.axes()) {
    const auto end = value + static_cast<std::ptrdiff_t>(axis.names.size());
    const std::vector<nlohmann::json> wanted(value, end);
    const auto step = std::find(axis.steps.begin(), axis.steps.end(), wanted);
    if (step == axis.steps.end()) return std::nullopt;
    steps.push_back(static_cast<std::uint32_t>(step - axis.steps.begin()));
    value = end;
  }
  return space.number_of(steps);
}

using core::ResultStore;

/// The text of the space; nothing where there is none yet.
std::optional<std::string> stored_space(const std::string& store) {
  const bool on_server = ResultStore::is_on_server(store);
  if (!on_server && !std::filesystem::exists(store)) return std::nullopt;
  // An empty database gets its tables.
  const ResultStore opened(store, on_server ? ResultStore::Access::write : ResultStore::Access::read);
  return opened.has_space() ? std::optional(opened.space().text) : std::nullopt;
}

std::string stored_rows(const std::string& store, const std::string& view) {
  const ResultStore opened(store, ResultStore::Access::read);
  return host::stored_rows_json(view == "front" ? opened.front() : opened.figures()).dump();
}

std::string stored_rows_of(const std::string& store, std::uint64_t number) {
  return host::stored_rows_json(ResultStore(store, ResultStore::Access::read).figures_of(number)).dump();
}

std::vector<std::uint64_t> stored_points(const std::string& store) {
  return ResultStore(store, ResultStore::Access::read).points();
}

std::string point_story(const std::string& store, std::uint64_t number) {
  const ResultStore opened(store, ResultStore::Access::read);
  return host::point_story_json(host::point_story(opened, number)).dump();
}

}  // namespace

void bind_design_space(pybind11::module_& module) {
  pybind11::class_<core::DesignSpace>(module, "DesignSpace")
      .def(pybind11::init([](const std::string& axes) {
             return core::DesignSpace(nlohmann::ordered_json::parse(axes), "axes");
           }),
           pybind11::arg("axes"))
      .def("size", &core::DesignSpace::size)
      .def("names", &core::DesignSpace::names)
      .def("axes", axes_of)
      .def("values", values_of, pybind11::arg("number"))
      .def("number", number_of, pybind11::arg("values"));
  module.def("unbeaten", core::unbeaten, pybind11::arg("figures"));
  module.def("stored_space", stored_space, pybind11::arg("store"));
  module.def("stored_rows", stored_rows, pybind11::arg("store"), pybind11::arg("view"));
  module.def("stored_rows_of", stored_rows_of, pybind11::arg("store"), pybind11::arg("number"));
  module.def("stored_points", stored_points, pybind11::arg("store"));
  module.def("point_story", point_story, pybind11::arg("store"), pybind11::arg("number"));
}

}  // namespace zz::python
