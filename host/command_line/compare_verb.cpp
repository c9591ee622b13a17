#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "host/base/cancellation.hpp"
#include "host/boundary/parallel.hpp"
#include "host/chain/chain.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/library/comparison.hpp"
#include "host/library/pipeline_run.hpp"
#include "host/report/problems.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {
namespace {

std::string exact(double value) {
  std::string text = fmt::format("{}", value);
  return text.size() <= 12 ? text : fmt::format("{:.10g}", value);
}

/// A change as a share of what it is a change of.
std::string share(double change, double of) {
  if (change == 0) return "0";
  return of == 0 ? "-" : fmt::format("{:+.3g} %", 100 * change / of);
}

void add_figures(std::vector<std::string>& cells, const ComparedRow& row, double ComparedFigures::*figure) {
  cells.push_back(row.ours ? exact((*row.ours).*figure) : "-");
  cells.push_back(row.theirs ? exact((*row.theirs).*figure) : "-");
  cells.push_back(row.ours && row.theirs
                      ? share((*row.ours).*figure - (*row.theirs).*figure, (*row.theirs).*figure)
                      : "-");
}

void add_row(TextTable& table, const ComparedRow& row) {
  std::vector<std::string> cells = {row.layer};
  add_figures(cells, row, &ComparedFigures::energy);
  add_figures(cells, row, &ComparedFigures::latency);
  table.add_row(std::move(cells));
}

std::string both_ways(const ComparedResult& result, const std::string& original) {
  TextTable table({{"layer"},
                   {"energy [pJ]", true},
                   {original, true},
                   {"change", true},
                   {"latency [cycles]", true},
                   {original, true},
                   {"change", true}});
  for (const ComparedRow& row : result.layers) add_row(table, row);
  if (result.total) {
    if (!result.layers.empty()) table.add_rule();
    add_row(table, *result.total);
  }
  return table.text();
}

/// What each rule moves; "" where none does.
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

std::string settings_text(const ComparedResult& result) {
  std::string text;
  for (const auto& [name, value] : result.settings)
    text += fmt::format("{}{} = {}", text.empty() ? "with " : ", ", name, value);
  return text.empty() ? "" : text + ":\n";
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
    text += settings_text(result) + both_ways(result, original) + "\n";
  if (!with_rules || comparison.compat == "") return text;
  bool any = false;
  for (const ComparedResult& result : comparison.results) {
    const std::string rules = by_rule(result);
    if (rules.empty()) continue;
    text += fmt::format("{}what each rule moves, of {}'s figures:\n{}\n", settings_text(result), original,
                        rules);
    any = true;
  }
  if (!any) return text + "no rule moves a figure\n";
  for (const std::string& rule : comparison.rules)
    text += fmt::format("{}: {}\n", rule, text_of_rule(rule));
  return text;
}

ExitCode compared(const Options& options, const OpenPipeline& session) {
  Run& run = current_run();
  try {
    const Comparison comparison =
        compare(request_of(options), session, {options.with, options.by_rule}, run);
    run.progress.stop_display();
    if (options.format == "json") {
      nlohmann::ordered_json json = comparison_json(comparison);
      json["errors"] = errors_json();
      json["exit_status"] = 0;
      fmt::print("{}\n", core::json_text(json, {.indent = 2}));
    } else {
      fmt::print("{}", to_table(comparison, options.by_rule));
    }
    return ExitCode::done;
  } catch (const ChainFailure& failure) {
    run.progress.stop_display();
    tell(*failure.failure());
    return exit_code_of(*failure.failure());
  }
}

}  // namespace

int compare_verb(const Options& options) {
  const OpenPipeline session = open_session(options);
  if (session.code != ExitCode::done) return static_cast<int>(session.code);
  Run& run = current_run();
  run.threads = threads_for(options.threads);
  install_interrupt_handler();
  // Two dozen runs would say the same.
  if (!options.verbose) run.log.show(LogLevel::off, {});
  run.progress.start_display(options.quiet && options.progress == ProgressMode::automatic
                                 ? ProgressMode::never
                                 : options.progress);
  return static_cast<int>(compared(options, session));
}

}  // namespace zz::host
