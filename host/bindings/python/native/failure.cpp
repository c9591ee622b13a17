#include "host/bindings/python/native/failure.hpp"

#include "core/value/edit.hpp"
#include "host/bindings/python/native/python_stages.hpp"
#include "host/bindings/python/native/value_view.hpp"

namespace zz::python {
namespace {

/// The exception, by what its pickles are made of: message, diagnostics, stage.
[[noreturn]] void raise(const char* name, const std::string& message, const py::list& problems,
                        const std::string& stage, const py::object& cause = py::none()) {
  const py::object type = py::module_::import("zz.errors").attr(name);
  const py::object exception = type(message, problems, stage);
  if (!cause.is_none()) PyException_SetCause(exception.ptr(), py::object(cause).release().ptr());
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw py::error_already_set();
}

std::string all_as_text(const std::vector<core::Diagnostic>& problems) {
  std::string text;
  for (const core::Diagnostic& problem : problems) {
    if (problem.severity != core::Severity::error) continue;
    text += (text.empty() ? "" : "\n") + core::to_string(problem);
  }
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

/// The exception of a stage in Python waits here for the failure that it becomes. Several threads may
/// fail at once, and the first failure is the one that is told: any of them is a truthful cause.
PyObject* waiting_cause = nullptr;

py::object take_cause() {
  if (waiting_cause == nullptr) return py::none();
  return py::reinterpret_steal<py::object>(std::exchange(waiting_cause, nullptr));
}

}  // namespace

const char* exception_of(const host::Failure& failure) {
  switch (failure.code) {
    case ZZ_E_CANCELLED:
      return "Cancelled";
    case ZZ_E_NO_RESULT:
      return host::is_not_found(failure) ? "NotFound" : "NoResult";
    case ZZ_E_INVALID:
      return "InputError";
    default:
      return "StageError";
  }
}

void remember_cause(py::object exception) {
  Py_XDECREF(std::exchange(waiting_cause, exception.release().ptr()));
}

py::list problems_as_dicts(const std::vector<core::Diagnostic>& problems) {
  py::list list;
  for (const core::Diagnostic& problem : problems) {
    py::dict entry;
    entry["severity"] = problem.severity == core::Severity::error ? "error" : "warning";
    entry["message"] = problem.message;
    entry["hint"] = problem.hint;
    entry["file"] = problem.mark.file;
    entry["line"] = problem.mark.line;
    entry["column"] = problem.mark.column;
    list.append(entry);
  }
  return list;
}

void throw_problems(const core::Diagnostics& problems, host::ExitCode code) {
  raise(code == host::ExitCode::plugin ? "PluginError" : "InputError", all_as_text(problems.all()),
        problems_as_dicts(problems.all()), "");
}

void throw_failure(const host::Failure& failure) {
  const py::object cause = take_cause();
  raise(exception_of(failure), host::to_string(failure), py::list(), host::root_cause(failure).stage,
        cause);
}

void bind_failures() {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const core::InputError& error) {
      try {
        raise("InputError", all_as_text(error.diagnostics()), problems_as_dicts(error.diagnostics()), "");
      } catch (py::error_already_set& set) {
        set.restore();
      }
    } catch (const core::ValueError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const py::cast_error&) {  // whose words are the binding's
      PyErr_SetString(PyExc_TypeError, unexpected_value);
    }
  });
}

namespace {

zz_status code_of(const py::object& exception) {
  const py::module_ errors = py::module_::import("zz.errors");
  if (py::isinstance(exception, errors.attr("NoResult"))) return ZZ_E_NO_RESULT;
  if (py::isinstance(exception, errors.attr("Cancelled"))) return ZZ_E_CANCELLED;
  if (PyErr_GivenExceptionMatches(exception.ptr(), PyExc_KeyboardInterrupt) != 0) return ZZ_E_CANCELLED;
  if (py::isinstance(exception, errors.attr("InputError"))) return ZZ_E_INVALID;
  return ZZ_E_INTERNAL;
}

}  // namespace

zz_status report_exception(const zz_host& host, zz_error* error, py::error_already_set& raised) {
  const py::object exception = raised.value();
  if (py::object below = py::getattr(exception, "_failure", py::none()); !below.is_none()) {
    const StagePlace place(&host, nullptr);
    zz_value* const failure = place.give(from_python(below));
    host.fail_as(error, failure);
    place.release(failure);
    return static_cast<zz_status>(exception.attr("_code").cast<int>());
  }
  std::string text;
  try {
    // One of Python's C functions that the native module called has no trace.
    const py::object trace = raised.trace() ? py::object(raised.trace()) : py::none();
    text = py::module_::import("zz.stage").attr("_exception_text")(exception, trace).cast<std::string>();
  } catch (const std::exception& again) {  // of Python, or of the binding
    text = again.what();
  }
  const zz_status code = code_of(exception);
  if (py::isinstance(exception, py::module_::import("zz.errors").attr("NotFound"))) {
    const StagePlace place(&host, nullptr);
    zz_value* const failure = place.give(host::to_value(
        std::make_shared<const host::Failure>(host::Failure{code, text, "", nullptr, {}, true})));
    host.fail_as(error, failure);
    place.release(failure);
  } else {
    host.fail(error, code, text.data(), text.size());
  }
  if (raised.trace()) PyException_SetTraceback(exception.ptr(), raised.trace().ptr());
  remember_cause(exception);
  return code;
}

}  // namespace zz::python
