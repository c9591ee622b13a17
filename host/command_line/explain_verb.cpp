#include <fmt/format.h>

#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/report/explain.hpp"

namespace zz::host {

int explain_verb(const Options& options) {
  PipelineSession session;
  const ExitCode code = open_session(options, session);
  if (options.format == "text") {
    fmt::print("{}", explain_as_text(session.chain));
  } else if (code == ExitCode::done) {
    // Of a pipeline that is wrong there is nothing that a program could go on with.
    fmt::print("{}", options.format == "json" ? explain_as_json(session.chain)
                                              : normal_form(session.pipeline, session.chain));
  }
  return static_cast<int>(code);
}

}  // namespace zz::host
