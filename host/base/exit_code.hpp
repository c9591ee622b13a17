#pragma once

namespace zz::host {

/// The exit status of the process. The manual documents it, and scripts rely on it.
enum class ExitCode : int {
  done = 0,
  stage_failed = 1,
  usage = 2,      ///< wrong command line, invalid pipeline or input file
  plugin = 3,     ///< a plugin that is needed cannot be loaded
  no_result = 4,  ///< the search found nothing legal
  interrupted = 130,
};

}  // namespace zz::host
