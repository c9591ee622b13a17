#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/json_text.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/new_file.hpp"
#include "core/base/text.hpp"
#include "host/base/cancellation.hpp"
#include "host/boundary/parallel.hpp"
#include "host/chain/chain.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/library/comparison.hpp"
#include "host/library/pipeline_run.hpp"
#include "host/report/problems.hpp"
#include "host/report/run_summary.hpp"
#include "host/report/search_words.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {
namespace {

struct CompareOptions {
  std::string with;  ///< a value of `compat`
  bool by_rule = false;
  std::string picture;  ///< a file
};

/// A change as a share of what it is a change of.
std::string share(double change, double of) {
  if (change == 0) return "0";
  return of == 0 ? "-" : fmt::format("{:+.3g} %", 100 * change / of);
}

/// The base that changes are counted from.
enum class From { ours, theirs };

void add_figures(std::vector<std::string>& cells, const ComparedRow& row, double Figures::*figure,
                 From from) {
  cells.push_back(row.ours ? figure_text((*row.ours).*figure) : "-");
  cells.push_back(row.theirs ? figure_text((*row.theirs).*figure) : "-");
  if (!row.ours || !row.theirs) return cells.push_back("-");
  const double more = (*row.ours).*figure - (*row.theirs).*figure;
  cells.push_back(from == From::theirs ? share(more, (*row.theirs).*figure)
                                       : share(-more, (*row.ours).*figure));
}

void add_row(TextTable& table, const ComparedRow& row, From from, bool ranges) {
  std::vector<std::string> cells = {row.layer};
  add_figures(cells, row, &Figures::energy, from);
  if (ranges)
    for (const auto& figures : {row.ours, row.theirs})
      cells.push_back(range_words(figures ? figures->energy_range : std::nullopt));
  add_figures(cells, row, &Figures::latency, from);
  if (from == From::ours) {
    for (const auto& side : {row.ours, row.theirs})
      cells.push_back(side && !side->limited_by.empty() ? side->limited_by : "-");
  }
  table.add_row(std::move(cells));
}

/// `ours` and `theirs` are what the two columns of a figure are called after.
std::string layer_table(const ComparedResult& result, const std::string& ours, const std::string& theirs,
                        From from) {
  const auto has_range = [](const ComparedRow& row) {
    return (row.ours && row.ours->energy_range) || (row.theirs && row.theirs->energy_range);
  };
  const bool ranges = (result.total && has_range(*result.total)) ||
                      std::any_of(result.layers.begin(), result.layers.end(), has_range);
  std::vector<TextTable::Column> columns = {
      {"layer"}, {"energy [pJ]" + ours, true}, {theirs, true}, {"change", true}};
  if (ranges) columns.insert(columns.end(), {{"its range" + ours, true}, {theirs, true}});
  columns.insert(columns.end(), {{"latency [cycles]" + ours, true}, {theirs, true}, {"change", true}});
  if (from == From::ours) columns.insert(columns.end(), {{"limited by" + ours}, {theirs}});
  TextTable table(std::move(columns));
  for (const ComparedRow& row : result.layers) add_row(table, row, from, ranges);
  if (result.total) {
    if (!result.layers.empty()) table.add_rule();
    add_row(table, *result.total, from, ranges);
  }
  return table.text();
}

/// The change by each rule; "" where none moves anything.
std::string by_rule(const ComparedResult& result) {
  TextTable table({{"layer"}, {"rule"}, {"energy", true}, {"latency", true}});
  bool any = false;
  const auto add = [&](const ComparedRow& row) {
    for (const auto& [rule, moved] : row.by_rule) {
      table.add_row({row.layer, rule, share(moved.energy, row.theirs->energy),
                     share(moved.latency, row.theirs->latency)});
      any = true;
    }
  };
  for (const ComparedRow& row : result.layers) add(row);
  if (result.total) add(*result.total);
  return any ? table.text() : "";
}

std::string to_table(const Comparison& comparison, bool with_rules) {
  const std::string original = comparison.compat.substr(0, comparison.compat.find(' '));
  std::string text = fmt::format("compared with: {}\n", comparison.compat);
  for (const auto& [what, why] : comparison.left_out)
    text += fmt::format("left out there: {}: {}\n", what, why);
  if (!comparison.refused.empty()) {
    text += fmt::format("refused, because {}\n", core::printable(comparison.refused));
    if (original != comparison.compat)
      text += fmt::format("hence compared by the other rules of {}\n", original);
  }
  text += "\n";
  for (const ComparedResult& result : comparison.results)
    text += settings_line(result.settings) + layer_table(result, "", original, From::theirs) + "\n";
  if (!with_rules || comparison.compat == "") return text;
  bool any = false;
  for (const ComparedResult& result : comparison.results) {
    const std::string rules = by_rule(result);
    if (rules.empty()) continue;
    text += fmt::format("{}what each rule moves, of {}'s figures:\n{}\n", settings_line(result.settings),
                        original, rules);
    any = true;
  }
  if (!any) return text + "no rule moves a figure\n";
  for (const std::string& rule : comparison.rules)
    text += fmt::format("{}: {}\n", rule, text_of_rule(rule));
  return text;
}

std::string to_table(const SideBySide& runs) {
  std::string text =
      fmt::format("first: {}\nsecond: {}\n\n", core::printable(runs.first), core::printable(runs.second));
  for (const ComparedResult& result : runs.results)
    text += settings_line(result.settings) + layer_table(result, ", first", "second", From::ours) + "\n";
  return text;
}

void print_compared(nlohmann::ordered_json json) {
  json["errors"] = errors_json();
  json["exit_status"] = 0;
  fmt::print("{}\n", core::json_text(json, {.indent = 2}));
}

ExitCode compared(const Options& options, const OpenPipeline& session) {
  Run& run = current_run();
  const auto& own = options.own<CompareOptions>();
  try {
    const Comparison comparison = compare(request_of(options), session, {own.with, own.by_rule}, run);
    run.progress.stop_display();
    if (options.format == "json")
      print_compared(comparison_json(comparison));
    else
      fmt::print("{}", to_table(comparison, own.by_rule));
    return ExitCode::done;
  } catch (const ChainFailure& failure) {
    run.progress.stop_display();
    tell(*failure.failure());
    return exit_code_of(*failure.failure());
  }
}

/// One of two runs: results that are there already, or a pipeline that runs now; none where it fails.
std::optional<std::vector<ResultRows>> figures_of_operand(const Options& options, std::size_t operand,
                                                          ExitCode& code) {
  const std::string& path = options.operands[operand];
  if (std::filesystem::is_directory(path) || path.ends_with(".json")) return read_figures(path);
  PipelineRequest request = request_of(options);
  request.path = path;
  const OpenPipeline open = open_pipeline(without_files(request, {}));
  tell(open.diagnostics);
  code = open.code;
  if (code != ExitCode::done) return std::nullopt;
  try {
    return run_figures(open, current_run());
  } catch (const ChainFailure& failure) {
    current_run().progress.stop_display();
    tell(*failure.failure());
    code = exit_code_of(*failure.failure());
    return std::nullopt;
  }
}

ExitCode side_by_side(const Options& options) {
  ExitCode code = ExitCode::done;
  const auto first = figures_of_operand(options, 0, code);
  if (!first) return code;
  const auto second = figures_of_operand(options, 1, code);
  if (!second) return code;
  current_run().progress.stop_display();
  const SideBySide runs{options.operands[0], options.operands[1], pair_up(*first, *second)};
  if (const std::string& picture = options.own<CompareOptions>().picture; !picture.empty())
    core::NewFile::write_whole(picture, side_by_side_page(runs));
  if (options.format == "json")
    print_compared(side_by_side_json(runs));
  else
    fmt::print("{}", to_table(runs));
  return ExitCode::done;
}

int run_compare(const Options& options) {
  const bool two_runs = options.operands.size() == 2;
  OpenPipeline session;
  if (!two_runs) session = open_session(options);
  if (session.code != ExitCode::done) return static_cast<int>(session.code);
  Run& run = current_run();
  run.threads = threads_for(options.threads);
  install_interrupt_handler();
  // Two dozen runs would say the same.
  if (!options.verbose) run.log.show(LogLevel::off, {});
  run.progress.start_display(options.quiet && options.progress == ProgressMode::automatic
                                 ? ProgressMode::never
                                 : options.progress);
  return static_cast<int>(two_runs ? side_by_side(options) : compared(options, session));
}

void declare_compare(OptionList& list, Options& given) {
  auto& own = given.own<CompareOptions>();
  list.add("with", "NAME", own.with,
           "zigzag-3.9, zigzag-3.8.5 or stream-0.0.8; default: zigzag-3.9, on several cores stream-0.0.8",
           words(comparable_originals()));
  list.add("by-rule", own.by_rule, "show which rules cause the differences; the pipeline runs more often");
  list.add("picture", "FILE", own.picture,
           "of two runs: write a page for the browser with their layers side by side");
  declare_run_options(list, given, {.timings = false});
}

void check_compare(Options& given) {
  const auto& own = given.own<CompareOptions>();
  const std::vector<std::string>& known = comparable_originals();
  if (!own.with.empty() && std::find(known.begin(), known.end(), own.with) == known.end())
    throw UsageError(
        fmt::format("--with must be one of {}, but found '{}'", fmt::join(known, ", "), own.with),
        core::suggestion(own.with, known));
  const bool two_runs = given.operands.size() == 2;
  if (two_runs && (own.by_rule || !own.with.empty()))
    throw UsageError("--with and --by-rule are of one pipeline, but two runs are to be compared");
  if (!two_runs && !own.picture.empty())
    throw UsageError("--picture is of two runs: write compare FIRST SECOND");
}

}  // namespace

const Verb compare_verb(
    "compare", "PIPELINE [OTHER]",
    "show two runs side by side, or one pipeline by the rules of zz and of ZigZag or Stream", "table|json",
    1, 2, run_compare, declare_compare, check_compare, pipeline_files);

}  // namespace zz::host
