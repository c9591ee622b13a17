#pragma once
#include <pybind11/pybind11.h>

#include "core/base/diagnostics.hpp"
#include "host/chain/failure.hpp"
#include "host/command_line/exit_code.hpp"

/// Failures as exceptions of the Python package (zz/errors.py). Each carries what a program may want:
/// diagnostics with place and hint, and the stage.
namespace zz::python {

namespace py = pybind11;

/// Throws the exception for a pipeline that may not run.
[[noreturn]] void throw_problems(const core::Diagnostics& problems, host::ExitCode code);

/// Throws the exception for a chain that failed; the exception that a stage in Python raised is its cause.
[[noreturn]] void throw_failure(const host::Failure& failure);

/// Exceptions of core that calls from Python may throw become those of the package.
void bind_failures();

/// The exception that a stage in Python raised on this thread becomes the cause of the next failure.
void remember_cause(py::object exception);

/// {severity, message, hint, file, line, column} each.
py::list problems_as_dicts(const std::vector<core::Diagnostic>& problems);

}  // namespace zz::python
