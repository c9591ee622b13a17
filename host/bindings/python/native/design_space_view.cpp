#include "host/bindings/python/native/design_space_view.hpp"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <pybind11/stl.h>
#include <string>
#include <vector>

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
  module.def("design_axes", design_axes, pybind11::arg("axes"));
  module.def("stored_space", stored_space, pybind11::arg("store"));
  module.def("stored_rows", stored_rows, pybind11::arg("store"), pybind11::arg("view"));
  module.def("stored_rows_of", stored_rows_of, pybind11::arg("store"), pybind11::arg("number"));
  module.def("stored_points", stored_points, pybind11::arg("store"));
  module.def("point_story", point_story, pybind11::arg("store"), pybind11::arg("number"));
}

}  // namespace zz::python
