#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/store/result_store.hpp"
#include "host/base/cancellation.hpp"
#include "host/boundary/parallel.hpp"
#include "host/chain/chain.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/store_verbs.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/library/pipeline_run.hpp"
#include "host/library/run_figures.hpp"
#include "host/report/problems.hpp"
#include "host/report/why.hpp"

namespace zz::host {
namespace {

void print(const std::vector<WhyOfResult>& results, const Options& options, const core::HelpOptions& help) {
  if (options.format == "json") {
    fmt::print("{}\n", core::json_text(why_json(results), {.indent = 2}));
  } else if (options.format == "csv") {
    fmt::print("{}", why_csv(results, options.energy));
  } else {
    for (const WhyOfResult& result : results)
      fmt::print("{}{}", &result == &results.front() ? "" : "\n", why_text(result, options.energy, help));
  }
}

ExitCode explained(const Options& options, const OpenPipeline& session) {
  Run& run = current_run();
  const std::string layer = options.operands.size() > 1 ? options.operands[1] : "";
  const core::HelpOptions help{.factor = options.factor, .search = options.search, .cancelled = [&run] {
                                 return run.cancelled.load();
                               }};
  std::vector<WhyOfResult> results;
  try {
    PipelineRun pipeline(session, run, Telling::nothing);
    while (const std::optional<PipelineResult> result = pipeline.next())
      results.push_back(why_of(rows_of(result->evaluation, result->extra), layer, help));
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
    tell_error("the pipeline gave no result", ExitCode::no_result);
    return ExitCode::no_result;
  }
  print(results, options, help);
  return ExitCode::done;
}

}  // namespace

int why_verb(const Options& options) {
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

}  // namespace zz::host
