#pragma once
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/value/value.hpp"
#include "zz/stage_abi.h"

/// A failing call leaves its message here: the host's side of the opaque zz_error of the ABI. One call
/// writes it, the caller reads it; not shared between threads.
struct zz_error {
  zz_status code = ZZ_OK;
  std::string message;
  /// {code, message, stage, cause} when the failure was handed on as a value (zz_host.fail_as), else null.
  zz::core::Value failure;
};

namespace zz::host {

/// Is called for every failure of a function of zz_values and zz_evaluations, on the thread of the call,
/// also when the caller passed no sink. `problems` is what the message says of files.
/// The guard of the chain sets it once, before plugins load.
using FailureObserver = void (*)(zz_status code, const std::string& message,
                                 const std::vector<core::Diagnostic>& problems) noexcept;
void observe_failures(FailureObserver observer);

/// Fills `error` (which may be null), calls the observer, and returns `code`.
zz_status report(zz_error* error, zz_status code, std::string message,
                 const std::vector<core::Diagnostic>& problems = {}) noexcept;

/// Inside a catch block: reports the current exception with the status of its type
/// (core::InputError and core::ValueError by their problem, core::NoResult, else ZZ_E_INTERNAL).
zz_status report_current_exception(zz_error* error) noexcept;

}  // namespace zz::host
