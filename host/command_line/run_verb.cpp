#include <chrono>
#include <fmt/format.h>

#include "host/base/cancellation.hpp"
#include "host/base/run.hpp"
#include "host/base/standard_output.hpp"
#include "host/base/time_spent.hpp"
#include "host/boundary/parallel.hpp"
#include "host/command_line/network_options.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/library/pipeline_run.hpp"
#include "host/report/problems.hpp"
#include "host/report/result_csv.hpp"
#include "host/report/run_summary.hpp"
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

std::string to_csv(const RunSummary& summary) {
  ResultTable table;
  for (const ResultRows& result : summary.results) table.add_columns(result);
  std::string text = table.heading();
  std::uint64_t number = 0;
  for (const ResultRows& result : summary.results) text += table.rows(++number, result);
  return text;
}

ExitCode run_pipeline(const OpenPipeline& open, const Options& options, RunSummary& summary) {
  try {
    PipelineRun run(open, current_run());
    while (const std::optional<PipelineResult> result = run.next())
      summary.results.push_back(rows_of(result->evaluation, result->extra));
  } catch (const ChainFailure& failure) {
    summary.complete = false;
    tell(is_made(options) ? *in_words_of_options(*failure.failure()) : *failure.failure());
    return exit_code_of(*failure.failure());
  }
  if (summary.results.empty()) {
    tell_error("the pipeline gave no result", ExitCode::no_result);
    return ExitCode::no_result;
  }
  return ExitCode::done;
}

int run_given_pipeline(const Options& options) {
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
    fmt::print(standard_output(), "{}", to_json(summary, static_cast<int>(code)));
  else if (ended == ExitCode::done || ended == ExitCode::interrupted)
    fmt::print(standard_output(), "{}", options.format == "csv" ? to_csv(summary) : to_table(summary));
  if (options.timings) fmt::print(stderr, "{}", times_table(summary));
  return static_cast<int>(code);
}

}  // namespace

const Verb run_verb(
    "run", "PIPELINE", "run a pipeline; the verb may be left out", "table|json|csv", 1, 1,
    run_given_pipeline,
    [](OptionList& list, Options& given) {
      declare_run_options(list, given, {.points = true, .accuracy = true});
    },
    nullptr, pipeline_files);

}  // namespace zz::host
