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

/// The results of a run in the form that was asked for: figures and words, no evaluations.
class KeptResults {
 public:
  RunSummary summary;
  JsonResults documents;     ///< of --format=json
  ResultTable table;         ///< of --format=csv
  std::uint64_t number = 0;  ///< of results
  core::MachineLimits limits;

  void add(const core::Value& evaluation, const core::Value& extra, const Options& options) {
    if (add_part(evaluation, extra, options)) return;
    ++number;
    if (options.format == "json")
      documents.add(rows_of(evaluation, extra, limits), options.accuracy);
    else if (options.format == "csv")
      table.add(number, rows_of(evaluation, extra, limits));
    else
      show_result(summary, evaluation, extra, options.max_rows, limits);
  }
  /// A list of which a part is missing is none.
  void drop_unfinished_list() {
    if (in_list_) documents.drop_list();
  }

 private:
  /// Takes a part of a list; false for anything else.
  bool add_part(const core::Value& evaluation, const core::Value& extra, const Options& options) {
    const std::optional<PartOfList> part = part_of_list(evaluation);
    if (!part || (!part->is_first && !in_list_)) return false;
    in_list_ = !part->is_last;
    const Settings settings = settings_of(extra);
    if (part->is_first) {
      ++number;
      if (options.format == "json")
        documents.begin_list(settings);
      else
        begin_list(summary, settings);
    }
    if (options.format == "json")
      documents.add_part(rows_of_part(part->evaluation, part->extra, limits), options.accuracy);
    else if (options.format == "csv")
      table.add(number, {settings, rows_of_part(part->evaluation, part->extra, limits), {}});
    else
      show_part(summary, part->evaluation, part->extra, options.max_rows, limits);
    return true;
  }

  bool in_list_ = false;
};

ExitCode run_pipeline(const OpenPipeline& open, const Options& options, KeptResults& kept) {
  try {
    PipelineRun run(open, current_run());
    while (const std::optional<PipelineResult> result = run.next())
      kept.add(result->evaluation, result->extra, options);
    if (kept.number == 0) {
      tell_error(run.no_result(), ExitCode::no_result);
      return ExitCode::no_result;
    }
  } catch (const ChainFailure& failure) {
    kept.summary.complete = false;
    if (exit_code_of(*failure.failure()) != ExitCode::interrupted) kept.drop_unfinished_list();
    tell(is_made(options) ? *in_words_of_options(*failure.failure()) : *failure.failure());
    return exit_code_of(*failure.failure());
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
  run.rows_alone = true;
  install_interrupt_handler();
  run.progress.start_display(options.quiet && options.progress == ProgressMode::automatic
                                 ? ProgressMode::never
                                 : options.progress);
  KeptResults kept;
  RunSummary& summary = kept.summary;
  summary.pipeline = session.pipeline.path;
  summary.accuracy = options.accuracy;
  const std::int64_t handles_before = zz_value::live.load();
  const ExitCode ended = run_pipeline(session, options, kept);
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
  const auto print = [](const std::string& text) { fmt::print(standard_output(), "{}", text); };
  const bool shown = ended == ExitCode::done || ended == ExitCode::interrupted;
  if (options.format == "json")
    write_json(summary, kept.documents, static_cast<int>(code), print);
  else if (shown && options.format == "csv")
    kept.table.write(print);
  else if (shown)
    print(to_table(summary));
  if (options.timings) fmt::print(stderr, "{}", times_table(summary));
  return static_cast<int>(code);
}

}  // namespace

const Verb run_verb(
    "run", "PIPELINE", "run a pipeline; the verb may be left out", "table|json|csv", 1, 1,
    run_given_pipeline,
    [](OptionList& list, Options& given) {
      declare_run_options(list, given, {.points = true, .results = true});
    },
    nullptr, pipeline_files);

}  // namespace zz::host
