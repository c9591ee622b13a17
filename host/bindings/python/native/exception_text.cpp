#include "exception_text.hpp"

#include "failure.hpp"
#include "substage.hpp"
#include "value_view.hpp"

namespace zz::python {
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
    text = py::module_::import("zz.stage")
               .attr("_exception_text")(exception, raised.trace())
               .cast<std::string>();
  } catch (py::error_already_set& again) {
    text = again.what();
  }
  const zz_status code = code_of(exception);
  host.fail(error, code, text.data(), text.size());
  if (raised.trace()) PyException_SetTraceback(exception.ptr(), raised.trace().ptr());
  remember_cause(exception);
  return code;
}

}  // namespace zz::python
