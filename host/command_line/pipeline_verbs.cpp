#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <utility>

#include "core/base/json_text.hpp"
#include "core/base/new_file.hpp"
#include "host/base/cancellation.hpp"
#include "host/base/run.hpp"
#include "host/base/time_spent.hpp"
#include "host/boundary/parallel.hpp"
#include "host/command_line/network_options.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/library/named_parts.hpp"
#include "host/library/pipeline_run.hpp"
#include "host/report/explain.hpp"
#include "host/report/problems.hpp"
#include "host/report/run_summary.hpp"
#include "host/serve/server.hpp"
#include "host/values/handles.hpp"

namespace zz::host {
namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

ExitCode run_pipeline(const OpenPipeline& open, const Options& options, RunSummary& summary) {
  try {
    PipelineRun run(open, current_run());
    while (const std::optional<PipelineResult> result = run.next())
      summary.results.push_back(rows_of(result->evaluation, result->extra));
  } catch (const ChainFailure& failure) {
    summary.complete = false;
    const bool has_options = options.verb == "map" || options.verb == "fused";
    tell(has_options ? *in_words_of_options(*failure.failure()) : *failure.failure());
    return exit_code_of(*failure.failure());
  }
  if (summary.results.empty()) {
    tell_error("the pipeline gave no result", ExitCode::no_result);
    return ExitCode::no_result;
  }
  return ExitCode::done;
}

}  // namespace

int run_verb(const Options& options) {
  const Stopwatch whole;
  if (options.timings) measure_time_spent();
  const OpenPipeline session = open_session(options);
  if (session.code != ExitCode::done) return static_cast<int>(session.code);

  Run& run = current_run();
  run.threads = threads_for(options.threads);
  install_interrupt_handler();
  run.progress.start_display(options.quiet && options.progress == ProgressMode::automatic
                                 ? ProgressMode::never
                                 : options.progress);
  RunSummary summary;
  summary.pipeline = session.pipeline.path;
  summary.accuracy = options.accuracy;
  const std::int64_t handles_before = zz_value::live.load();
  const ExitCode ended = run_pipeline(session, options, summary);
  // A stage logs an error when no caller waits for its answer, as while streams close.
  const ExitCode code = ended == ExitCode::done && run.log.errors() > 0 ? ExitCode::stage_failed : ended;
  if (const std::int64_t forgotten = zz_value::live.load() - handles_before; forgotten != 0) {
    log(LogLevel::debug,
        fmt::format("{} values were never released: a stage breaks rule O2 of docs/abi.md", forgotten));
  }
  summary.seconds = whole.seconds();
  summary.times = time_spent();
  run.progress.stop_display();
  run.log.write_repetitions();
  add_what_was_told(summary, run);
  // A failed chain shows no results; an interrupted one shows those it has.
  if (options.format == "json")
    fmt::print("{}", to_json(summary, static_cast<int>(code)));
  else if (ended == ExitCode::done || ended == ExitCode::interrupted)
    fmt::print("{}", to_table(summary));
  if (options.timings) fmt::print(stderr, "{}", times_table(summary));
  return static_cast<int>(code);
}

namespace {

/// Runs a verb that makes its pipeline itself.
int run_made_pipeline(const Options& options) {
  if (!options.print_pipeline) return run_verb(options);
  const OpenPipeline session = open_session(options);
  if (session.code == ExitCode::done) fmt::print("{}", short_form(session.pipeline, session.chain));
  return static_cast<int>(session.code);
}

}  // namespace

int map_verb(const Options& options) { return run_made_pipeline(options); }

int fused_verb(const Options& options) { return run_made_pipeline(options); }

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

}  // namespace

int check_verb(const Options& options) {
  const OpenPipeline session = open_session(options);
  ExitCode code = session.code;
  if (code == ExitCode::done) code = check_stages(session);
  if (code == ExitCode::done && options.format == "json") {
    const nlohmann::ordered_json json{{"errors", errors_json()},
                                      {"exit_status", 0},
                                      {"not_looked_at", not_looked_at_json(session.chain)}};
    fmt::print("{}\n", core::json_text(json, {.indent = 2}));
  } else if (code == ExitCode::done && !options.quiet) {
    std::string left;
    for (const ResolvedStage* stage : stages_not_looked_at(session.chain.stages))
      left +=
          fmt::format("{}{} {}", left.empty() ? "; not looked at: " : ", ", stage->position, stage->name());
    fmt::print("{}: {} stages, no errors{}\n", session.pipeline.path, session.chain.stages.size(), left);
  }
  return static_cast<int>(code);
}

int explain_verb(const Options& options) {
  const OpenPipeline session = open_session(options);
  if (options.format == "text") {
    fmt::print("{}", explain_as_text(session.chain));
  } else if (session.code == ExitCode::done) {
    // A program cannot use the description of a wrong pipeline.
    fmt::print("{}", options.format == "json" ? explain_as_json(session.chain)
                                              : normal_form(session.pipeline, session.chain));
  }
  return static_cast<int>(session.code);
}

int serve_verb(const Options& options) {
  const LogLevel level = options.verbose ? LogLevel::debug
                         : options.quiet ? LogLevel::warning
                                         : LogLevel::info;
  const auto located = [](std::vector<std::string> paths) {
    for (std::string& path : paths) path = std::filesystem::absolute(path).string();
    return paths;
  };
  SessionOptions session{.plugins = located(options.plugins),
                         .plugin_paths = located(options.plugin_paths),
                         .code_folders = located(options.code_folders),
                         .threads = options.threads};
  if (!options.folder.empty()) {
    std::error_code problem;
    std::filesystem::current_path(options.folder, problem);
    if (problem)
      throw UsageError(fmt::format("--folder: cannot work in '{}': {}", options.folder, problem.message()));
  }
  // Else the next file that is opened would take its place.
  for (const auto& [file, name] : {std::pair{STDIN_FILENO, "input"}, std::pair{STDOUT_FILENO, "output"}})
    if (::fcntl(file, F_GETFD) < 0)
      throw UsageError(
          fmt::format("a server talks through standard input and output; its {} is closed", name));
  core::write_only_below(std::filesystem::current_path().string());
  start_programs_only_below(session.code_folders, SessionOptions::code_hint);
  Server server(std::move(session), level);
  return static_cast<int>(server.serve(STDIN_FILENO));
}

}  // namespace zz::host
