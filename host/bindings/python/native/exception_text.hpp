#pragma once
#include <pybind11/pybind11.h>

#include "zz/stage_abi.h"

namespace zz::python {

/// Reports the exception that a stage raised: its type, what it says, and the line in the stage's file. A
/// failure of the chain below that the stage did not catch is handed on as it is. Returns the code.
zz_status report_exception(const zz_host& host, zz_error* error, pybind11::error_already_set& raised);

}  // namespace zz::python
