#include "stage_functions.hpp"

#include <memory>
#include <string_view>

#include "core/value/edit.hpp"
#include "core/value/name.hpp"
#include "host/values/handle.hpp"

#include "exception_text.hpp"
#include "substage.hpp"
#include "value_view.hpp"

namespace zz::python {
namespace {

/// A stage at a place: the zz_stage of the boundary.
struct PythonStage {
  const zz_host* host;
  std::shared_ptr<StagePlace> place;
  py::object instance;
};

/// One iteration: the generator that `run` made.
struct Iteration {
  const PythonStage* stage;
  py::object generator;
  zz_status status = ZZ_OK;  ///< that of a failure, which is final
  bool ended = false;
};

PythonStage& stage_of(zz_stage* stage) { return *reinterpret_cast<PythonStage*>(stage); }
const PythonStage& stage_of(const zz_stage* stage) { return *reinterpret_cast<const PythonStage*>(stage); }

/// Runs a piece of Python and turns what it raises into a status.
template <class Work>
zz_status guarded(const zz_host& host, zz_error* error, Work work) noexcept {
  const py::gil_scoped_acquire acquired;
  try {
    work();
    return ZZ_OK;
  } catch (py::error_already_set& raised) {
    return report_exception(host, error, raised);
  } catch (const core::ValueError& problem) {
    host.fail(error, ZZ_E_INTERNAL, problem.what(), std::char_traits<char>::length(problem.what()));
  } catch (const std::exception& problem) {
    host.fail(error, ZZ_E_INTERNAL, problem.what(), std::char_traits<char>::length(problem.what()));
  }
  return ZZ_E_INTERNAL;
}

zz_status create(const zz_host* host, zz_ref settings, zz_place* at, zz_stage** out,
                 zz_error* error) noexcept {
  return guarded(*host, error, [&] {
    const py::object values = to_plain_python(core::value_of_part(host::from_abi(settings)));
    auto place = std::make_shared<StagePlace>(host, at);
    py::object instance = py::module_::import("zz.stage").attr("_create")(values, place);
    *out = reinterpret_cast<zz_stage*>(new PythonStage{host, std::move(place), std::move(instance)});
  });
}

void destroy(zz_stage* stage) noexcept {
  const py::gil_scoped_acquire acquired;
  const std::unique_ptr<PythonStage> ended(&stage_of(stage));
  ended->place->close_all();
}

/// (evaluation, extra), or an evaluation alone.
zz_result result_of(const StagePlace& place, const py::object& yielded) {
  const bool pair = py::isinstance<py::tuple>(yielded) && py::len(yielded) == 2;
  py::handle evaluation = yielded, extra = py::none();
  if (pair) {
    evaluation = PyTuple_GET_ITEM(yielded.ptr(), 0);
    extra = PyTuple_GET_ITEM(yielded.ptr(), 1);
  }
  const bool possible = evaluation.is_none() || py::isinstance<core::Value>(evaluation) ||
                        py::isinstance<py::list>(evaluation);
  if (!possible) {
    throw py::type_error("the stage yielded " + py::repr(yielded).cast<std::string>() +
                         "; expected (evaluation, extra), as the chain below gives them");
  }
  // Both are made before either is given.
  const core::Value first = from_python(evaluation), second = from_python(extra);
  return {place.give(first), extra.is_none() ? nullptr : place.give(second)};
}

/// One result a call, whatever the room: a generator may fail after it.
zz_status pull(zz_stream* stream, zz_result* out, std::uint32_t, std::uint32_t* count,
               zz_error* error) noexcept {
  auto& iteration = *static_cast<Iteration*>(stream->impl);
  const zz_host& host = *iteration.stage->host;
  *count = 0;
  if (iteration.status != ZZ_OK) {
    constexpr std::string_view again = "it failed before";
    host.fail(error, iteration.status, again.data(), again.size());
  }
  if (iteration.ended) return iteration.status;
  iteration.status = guarded(host, error, [&] {
    const py::object next = py::reinterpret_steal<py::object>(PyIter_Next(iteration.generator.ptr()));
    if (!next && PyErr_Occurred() != nullptr) throw py::error_already_set();
    iteration.ended = !next;
    if (!next) return;
    *out = result_of(*iteration.stage->place, next);
    *count = 1;
  });
  iteration.ended = iteration.ended || iteration.status != ZZ_OK;
  return iteration.status;
}

void close(zz_stream* stream) noexcept {
  const py::gil_scoped_acquire acquired;
  const std::unique_ptr<Iteration> ended(static_cast<Iteration*>(stream->impl));
  if (py::hasattr(ended->generator, "close")) {
    PyObject* const closed = PyObject_CallMethod(ended->generator.ptr(), "close", nullptr);
    if (closed == nullptr && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
      PyErr_Clear();
      PyErr_SetInterrupt();  // comes again, where it can be raised
    }
    if (closed == nullptr && PyErr_Occurred() != nullptr) PyErr_WriteUnraisable(ended->generator.ptr());
    Py_XDECREF(closed);
  }
}

zz_status open(zz_stage* self, zz_value* context, zz_stream* out, zz_error* error) noexcept {
  const PythonStage& stage = stage_of(self);
  return guarded(*stage.host, error, [&] {
    py::object results = stage.instance.attr("run")(py::cast(stage.place->value_in(context)));
    if (results.is_none()) results = py::list();
    auto iteration = std::make_unique<Iteration>(Iteration{&stage, py::iter(results)});
    *out = {iteration.release(), pull, close, nullptr};
  });
}

/// The ability "zz.stage.demand/0": (keep, [metrics]) of the method `demand`.
void demand(const zz_stage* self, zz_demand* out) noexcept {
  *out = {};
  const py::gil_scoped_acquire acquired;
  try {
    const py::tuple stated = stage_of(self).instance.attr("demand")();
    for (const py::handle metric : stated[1]) {
      if (out->n == std::size(out->metric)) return;
      out->metric[out->n++] = core::intern(metric.cast<std::string>());
    }
    out->keep = stated[0].cast<std::uint32_t>();
  } catch (const std::exception&) {
    *out = {};  // everything is wanted, which is always right
  }
}

const void* get_extension(const zz_stage* self, const char* id) noexcept {
  static const zz_stage_demand demand_ability = {sizeof(zz_stage_demand), demand};
  if (self == nullptr || std::string_view(id) != ZZ_STAGE_DEMAND) return nullptr;
  const py::gil_scoped_acquire acquired;
  return py::hasattr(stage_of(self).instance, "demand") ? &demand_ability : nullptr;
}

}  // namespace

void set_functions(zz_stage_desc& stage) {
  stage.create = create;
  stage.destroy = destroy;
  stage.open = open;
  stage.get_extension = get_extension;
}

}  // namespace zz::python
