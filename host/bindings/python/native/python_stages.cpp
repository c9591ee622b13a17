#include "python_stages.hpp"

#include <memory>
#include <pybind11/stl.h>

#include "host/services/host_table.hpp"
#include "host/values/error_sink.hpp"
#include "host/values/handle.hpp"

#include "exception_text.hpp"
#include "stage_tables.hpp"
#include "substage.hpp"
#include "value_view.hpp"

namespace zz::python {
namespace {

/// zz_stage_files.load: the classes of a file as a plugin.
const zz_plugin* load(const zz_host* host, zz_str path, zz_error* error) noexcept {
  const py::gil_scoped_acquire acquired;
  try {
    const std::string file(path.p, path.n);
    const py::list classes = py::module_::import("zz.stage").attr("_load")(file);
    auto* const tables = new StageTables(file, classes);
    return tables->plugin();
  } catch (py::error_already_set& raised) {
    report_exception(*host, error, raised);
  } catch (const std::exception& problem) {
    host->fail(error, ZZ_E_INTERNAL, problem.what(), std::char_traits<char>::length(problem.what()));
  }
  return nullptr;
}

const zz_stage_files stage_files = {sizeof(zz_stage_files), ".py", load};

/// The extension of the host, or an exception.
template <class Table>
const Table& extension(const StagePlace& place, const char* id) {
  if (place.place == nullptr) throw std::runtime_error("the run of this stage has ended");
  return *static_cast<const Table*>(place.host->get_extension(id));
}

void write_log(const StagePlace& place, int level, const std::string& text) {
  const auto& log = extension<zz_log>(place, ZZ_LOG);
  const py::gil_scoped_release released;
  log.write(place.place, level, text.data(), text.size());
}

void count(const StagePlace& place, const std::string& what, std::uint64_t amount) {
  extension<zz_progress>(place, ZZ_PROGRESS).count(place.place, what.data(), what.size(), amount);
}

bool cancelled(const StagePlace& place) { return extension<zz_cancel>(place, ZZ_CANCEL).requested() != 0; }

}  // namespace

void bind_stages(py::module_& module) {
  py::class_<StagePlace, std::shared_ptr<StagePlace>>(module, "_Place")
      .def("log", write_log)
      .def("count", count)
      .def("cancelled", cancelled);
  py::class_<Substage>(module, "Substage",
                       "The results of the chain below: an iterator of (evaluation, extra).")
      .def(py::init([](std::shared_ptr<StagePlace> place, const core::Value& context, std::uint32_t batch) {
        return std::make_unique<Substage>(std::move(place), context, batch);
      }))
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &Substage::next)
      .def("close", &Substage::close, "Ends the iteration before its end.");
  module.def("sum_of", [](const std::vector<core::Value>& evaluations) {
    const auto* const table =
        static_cast<const zz_evaluations*>(host::host_table().get_extension(ZZ_EVALUATIONS));
    std::vector<host::Handle> handles;
    std::vector<zz_value*> given;
    for (const core::Value& evaluation : evaluations)
      given.push_back(handles.emplace_back(evaluation).get());
    zz_error error;
    const host::Handle sum =
        host::Handle::take(table->sum(given.data(), static_cast<std::uint32_t>(given.size()), &error));
    if (!sum) throw py::value_error(error.message);
    return to_python(sum.value());
  });
  module.attr("stage_files") = py::capsule(&stage_files, "zz._zz.stage_files");
}

}  // namespace zz::python
