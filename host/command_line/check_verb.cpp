#include <fmt/format.h>

#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"

namespace zz::host {

int check_verb(const Options& options) {
  PipelineSession session;
  const ExitCode code = open_session(options, session);
  if (code == ExitCode::done && !options.quiet) {
    fmt::print("{}: {} stages, no errors\n", session.pipeline.path, session.chain.stages.size());
  }
  return static_cast<int>(code);
}

}  // namespace zz::host
