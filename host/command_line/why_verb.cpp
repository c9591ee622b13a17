#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/store/result_store.hpp"
#include "host/base/cancellation.hpp"
#include "host/base/standard_output.hpp"
#include "host/boundary/parallel.hpp"
#include "host/chain/chain.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/store_verbs.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/library/pipeline_run.hpp"
#include "host/library/run_figures.hpp"
#include "host/report/problems.hpp"
#include "host/report/why_rows.hpp"
#include "host/report/why_text.hpp"

namespace zz::host {
namespace {

/// As written; `layer` comes with the operands.
using WhyOptions = WhyQuestion;

void print_why(const std::vector<WhyOfResult>& results, const Options& options,
               const WhyQuestion& question) {
  if (options.format == "json") {
    fmt::print(standard_output(), "{}\n", core::json_text(why_json(results, question), {.indent = 2}));
  } else if (options.format == "csv") {
    fmt::print(standard_output(), "{}", why_csv(results, question));
  } else {
    for (const WhyOfResult& result : results)
      fmt::print(standard_output(), "{}{}", &result == &results.front() ? "" : "\n",
                 why_text(result, question));
  }
}

ExitCode explained(const Options& options, const OpenPipeline& session) {
  Run& run = current_run();
  WhyQuestion question = options.own<WhyOptions>();
  if (options.operands.size() > 1) question.layer = options.operands[1];
  run.only_layer = question.layer;
  if (question.search && !question.mapping)
    log(LogLevel::info, "--search has no effect without --mapping: every change is searched");
  if (options.format == "csv") question.mapping = true;  // rows are parts of a mapping
  std::vector<WhyOfResult> results;
  std::string nothing;  // said where there is none
  try {
    PipelineRun pipeline(session, run, Telling::nothing);
    while (const std::optional<PipelineResult> result = pipeline.next())
      results.push_back(why_of(rows_of(result->evaluation, result->extra), question, run));
    if (results.empty()) nothing = pipeline.no_result();
  } catch (const ChainFailure& failure) {
    run.progress.stop_display();
    tell(*failure.failure());
    return exit_code_of(*failure.failure());
  } catch (const core::InputError& error) {
    run.progress.stop_display();
    tell(error);
    return ExitCode::usage;
  }
  run.progress.stop_display();
  if (results.empty()) {
    tell_error(nothing, ExitCode::no_result);
    return ExitCode::no_result;
  }
  print_why(results, options, question);
  return ExitCode::done;
}

int run_why(const Options& options) {
  if (core::ResultStore::is_store(options.operands.front())) return why_point(options);
  if (const OpenPipeline written = open_session(options); written.code != ExitCode::done)
    return static_cast<int>(written.code);
  // A question leaves no files.
  const OpenPipeline session = open_pipeline(without_files(request_of(options), {}));
  if (session.code != ExitCode::done) return static_cast<int>(session.code);
  Run& run = current_run();
  run.threads = threads_for(options.threads);
  install_interrupt_handler();
  run.progress.start_display(options.quiet && options.progress == ProgressMode::automatic
                                 ? ProgressMode::never
                                 : options.progress);
  return static_cast<int>(explained(options, session));
}

void declare_why(OptionList& list, Options& given) {
  auto& own = given.own<WhyOptions>();
  list.add("mapping", own.mapping,
           "explain this mapping as it is: where its cycles go, and what would help without another one");
  list.add(
      "energy", own.energy,
      "show also where the energy goes and what would lower it; with --format=csv instead of the latency");
  list.add(
      "search", own.search,
      "with --mapping: search other unrollings as well, a second of processor time for each layer at most");
  list.add("factor", "N", own.factor, "how many times as wide, as large or as long a part is made");
  list.add("change", "PART", own.changes,
           "ask only about this part: 'dram rw_port_1', a memory, or an array dimension; several times for "
           "several");
  declare_run_options(list, given, {.timings = false});
}

void check_why(Options& given) {
  const auto& own = given.own<WhyOptions>();
  const std::int64_t factor = own.factor;
  if (factor < 2 || factor > 1024) throw UsageError("--factor must lie in [2, 1024]");
  if (own.mapping && !own.changes.empty())
    throw UsageError("--change asks with a new mapping; leave --mapping out");
  if (given.format == "csv" && !own.changes.empty())
    throw UsageError("--format=csv has the parts of mappings; ask about changes with json or text");
}

}  // namespace

const Verb why_verb("why", "PIPELINE [LAYER]",
                    "run a pipeline and say what limits its layers, and what changes would save; or of a "
                    "design: STORE POINT",
                    "text|json|csv", 1, 2, run_why, declare_why, check_why, [] {
                      return Candidates{Completes::layers, {}, pipeline_files().endings};
                    });

}  // namespace zz::host
