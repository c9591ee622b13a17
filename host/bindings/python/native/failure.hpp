#pragma once
#include <pybind11/pybind11.h>

#include "core/base/diagnostics.hpp"
#include "host/base/exit_code.hpp"
#include "host/chain/failure.hpp"
#include "zz/stage_abi.h"

/// Failures as exceptions of the Python package (zz/errors.py). Each carries what a program may want:
/// diagnostics with place and hint, and the stage.
namespace zz::python {

namespace py = pybind11;

/// Words for a value of a wrong type, as those of the binding are none for users.
inline constexpr const char* unexpected_value = "a value is not what is expected here";

/// Throws the exception for a pipeline that may not run.
[[noreturn]] void throw_problems(const core::Diagnostics& problems, host::ExitCode code);

/// The name of the class in zz.errors that a failure becomes.
const char* exception_of(const host::Failure& failure);

/// Throws the exception for a chain that failed; the exception that a stage in Python raised is its cause.
[[noreturn]] void throw_failure(const host::Failure& failure);

/// Exceptions of core that calls from Python may throw become those of the package.
void bind_failures();

/// The exception that a stage in Python raised on this thread becomes the cause of the next failure.
void remember_cause(py::object exception);

/// {severity, message, hint, file, line, column} each.
py::list problems_as_dicts(const std::vector<core::Diagnostic>& problems);

/// Reports the exception that a stage raised: its type, what it says, and the line in the stage's file. A
/// failure of the chain below that the stage did not catch is handed on as it is. Returns the code.
zz_status report_exception(const zz_host& host, zz_error* error, pybind11::error_already_set& raised);

}  // namespace zz::python
