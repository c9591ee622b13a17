#pragma once
#include "core/base/diagnostics.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Hands the warnings that a reader collected to the log.
inline void log_warnings(const Stage& stage, const core::Diagnostics& diagnostics) {
  for (const core::Diagnostic& diagnostic : diagnostics.all())
    if (diagnostic.severity == core::Severity::warning)
      stage.log(Level::warning, core::to_string(diagnostic));
}

}  // namespace zz::plugins
