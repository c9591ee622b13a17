#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.hpp"
#include "host/base/run.hpp"
#include "host/base/standard_output.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/library/named_parts.hpp"
#include "host/library/pipeline_run.hpp"
#include "host/report/explain.hpp"
#include "host/report/problems.hpp"

namespace zz::host {
namespace {

/// Creates the stages, which check their settings, and rehearses: no search runs.
ExitCode check_stages(const OpenPipeline& open) {
  try {
    PipelineRun run(open, current_run());
    core::Diagnostics problems;
    check_named_parts(open.chain, problems);
    tell(problems);
    if (problems.has_errors()) return ExitCode::usage;
    run.rehearse();
    return ExitCode::done;
  } catch (const ChainFailure& failure) {
    tell(*failure.failure());
    return exit_code_of(*failure.failure());
  }
}

int run_check(const Options& options) {
  const OpenPipeline session = open_session(options);
  ExitCode code = session.code;
  if (code == ExitCode::done) code = check_stages(session);
  if (code == ExitCode::done && options.format == "json") {
    const nlohmann::ordered_json json{{"errors", errors_json()},
                                      {"exit_status", 0},
                                      {"not_looked_at", not_looked_at_json(session.chain)}};
    fmt::print(standard_output(), "{}\n", core::json_text(json, {.indent = 2}));
  } else if (code == ExitCode::done && !options.quiet) {
    std::string left;
    for (const ResolvedStage* stage : stages_not_looked_at(session.chain.stages))
      left +=
          fmt::format("{}{} {}", left.empty() ? "; not looked at: " : ", ", stage->position, stage->name());
    fmt::print(standard_output(), "{}: {} stages, no errors{}\n", session.pipeline.path,
               session.chain.stages.size(), left);
  }
  return static_cast<int>(code);
}

int run_explain(const Options& options) {
  const OpenPipeline session = open_session(options);
  if (options.format == "text") {
    fmt::print(standard_output(), "{}", explain_as_text(session.chain));
  } else if (session.code == ExitCode::done) {
    // A program cannot use the description of a wrong pipeline.
    fmt::print(standard_output(), "{}",
               options.format == "json" ? explain_as_json(session.chain)
                                        : normal_form(session.pipeline, session.chain));
  }
  return static_cast<int>(session.code);
}

void declare_looking(OptionList& list, Options& given) {
  declare_run_options(list, given);
  list.add("allow-code", given.allow_code,
           "load the plugins and Python files that the pipeline names, and look at their stages");
}

}  // namespace

const Verb check_verb("check", "PIPELINE", "check a pipeline without running it", "text|json", 1, 1,
                      run_check, declare_looking, nullptr, pipeline_files);

const Verb explain_verb("explain", "PIPELINE",
                        "show the chain as it would run, and where each setting comes from",
                        "text|json|yaml", 1, 1, run_explain, declare_looking, nullptr, pipeline_files);

}  // namespace zz::host
