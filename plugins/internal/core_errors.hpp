#pragma once
#include "core/diagnostics/diagnostics.hpp"
#include "core/diagnostics/interruption.hpp"
#include "zz/stage.hpp"

// Included once per plugin: tells the SDK what the exceptions of the core mean, so that stages let them
// pass.
namespace zz::plugins {

inline zz_status status_of_core_exception(const std::exception& thrown) noexcept {
  if (dynamic_cast<const core::InputError*>(&thrown)) return ZZ_E_INVALID;
  if (dynamic_cast<const core::NoResult*>(&thrown)) return ZZ_E_NO_RESULT;
  if (dynamic_cast<const core::Interrupted*>(&thrown)) return ZZ_E_CANCELLED;
  return ZZ_OK;
}

inline const bool core_exceptions_known = (status_of_exception = &status_of_core_exception, true);

}  // namespace zz::plugins
