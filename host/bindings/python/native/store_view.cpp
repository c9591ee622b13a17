#include "host/bindings/python/native/store_view.hpp"

#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <pybind11/stl.h>
#include <string>
#include <vector>

#include "core/store/result_store.hpp"

namespace zz::python {
namespace {

namespace py = pybind11;
using core::ContentKey;
using core::ResultStore;
using core::StoredOutcome;

/// As tuples.
py::list outcomes(const ResultStore& store, const py::bytes& bytes) {
  const ContentKey key = core::key_of_bytes(bytes);
  std::vector<StoredOutcome> found;
  {
    const py::gil_scoped_release others_run;
    found = store.outcomes(key);
  }
  py::list all;
  for (const StoredOutcome& one : found)
    all.append(py::make_tuple(one.files, one.status, one.seconds, py::bytes(one.said),
                              one.results.empty() ? py::object(py::none()) : py::bytes(one.results)));
  return all;
}

void add(ResultStore& store, const py::bytes& key, const std::string& files, const std::string& status,
         double seconds, const py::bytes& said, const py::bytes& results) {
  store.add_outcome(core::key_of_bytes(key), {files, status, seconds, said, results});
}

/// {name: value}
std::map<std::string, double> figures(const ResultStore& store, const py::bytes& key) {
  std::map<std::string, double> found;
  for (const auto& [name, figure] : store.figures_under(core::key_of_bytes(key)))
    found[name] = figure.value;
  return found;
}

void add_figure(ResultStore& store, const py::bytes& key, const std::string& name, double value) {
  store.add_figure(core::key_of_bytes(key), name, {value, std::numeric_limits<double>::quiet_NaN()});
}

void add_failure(ResultStore& store, const py::bytes& key, const std::string& reason) {
  store.add_failure(core::key_of_bytes(key), reason);
}

}  // namespace

void bind_store(py::module_& module) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  module.def("trust_server", &ResultStore::trust_server, py::arg("place"));
  py::class_<ResultStore>(module, "ResultStore")
      .def(py::init([](const std::string& place, int seconds) {
             ResultStore::trust_server(place);  // a call of the user's program
             return std::make_unique<ResultStore>(place, ResultStore::Access::write,
                                                  std::chrono::seconds(seconds));
           }),
           py::arg("place"), py::arg("seconds"), Unlocked())
      .def_static("is_on_server", &ResultStore::is_on_server, py::arg("place"))
      .def("outcomes", outcomes, py::arg("key"))
      .def("add_outcome", add, py::arg("key"), py::arg("files"), py::arg("status"), py::arg("seconds"),
           py::arg("said"), py::arg("results"))
      .def("figures", figures, py::arg("key"))
      .def("add_figure", add_figure, py::arg("key"), py::arg("name"), py::arg("value"))
      .def("add_failure", add_failure, py::arg("key"), py::arg("reason"))
      .def("write", &ResultStore::write, Unlocked())
      .def("write_if_due", &ResultStore::write_if_due, Unlocked());
}

}  // namespace zz::python
