#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/json_text.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/new_file.hpp"
#include "core/base/quantities.hpp"
#include "core/base/text.hpp"
#include "core/cost/part_words.hpp"
#include "core/cost/rates.hpp"
#include "host/base/cancellation.hpp"
#include "host/base/standard_output.hpp"
#include "host/boundary/parallel.hpp"
#include "host/chain/chain.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/library/comparison.hpp"
#include "host/library/pipeline_run.hpp"
#include "host/report/merged_rows.hpp"
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
  if (of == 0) return "-";
  const double percent = 100 * change / of;
  return std::abs(percent) < 999.5 ? fmt::format("{:+.3g} %", percent) : fmt::format("{:+.0f} %", percent);
}

/// A figure of both sides, and what the second has more of the first; with `of_second` what the first has
/// more of the second.
void add_figures(std::vector<std::string>& cells, const ComparedRow& row, double Figures::*figure,
                 bool of_second) {
  cells.push_back(row.ours ? figure_text((*row.ours).*figure) : "-");
  cells.push_back(row.theirs ? figure_text((*row.theirs).*figure) : "-");
  if (!row.ours || !row.theirs) return cells.push_back("-");
  const double more = (*row.ours).*figure - (*row.theirs).*figure;
  cells.push_back(of_second ? share(more, (*row.theirs).*figure) : share(-more, (*row.ours).*figure));
}

template <class Has>
bool any_side(const ComparedResult& result, const Has& has) {
  const auto either = [&](const ComparedRow& row) {
    return (row.ours && has(*row.ours)) || (row.theirs && has(*row.theirs));
  };
  return (result.total && either(*result.total)) ||
         std::any_of(result.layers.begin(), result.layers.end(), either);
}

bool has_ranges(const ComparedResult& result) {
  return any_side(result, [](const ResultRow& row) { return row.energy_range.has_value(); });
}

/// Both sides, as `text_of` says them.
template <class TextOf>
void add_sides(std::vector<std::string>& cells, const ComparedRow& row, const TextOf& text_of) {
  for (const auto& side : {row.ours, row.theirs}) cells.push_back(side ? text_of(*side) : "-");
}

std::string range_of(const ResultRow& row) { return range_words(row.energy_range); }

/// One pipeline both ways: the second column of a figure is called after the original.
std::string both_ways_table(const ComparedResult& result, const std::string& original) {
  const bool ranges = has_ranges(result);
  std::vector<TextTable::Column> columns = {
      {"layer"}, {"energy [pJ]", true}, {original, true}, {"change", true}};
  if (ranges) columns.insert(columns.end(), {{"its range", true}, {original, true}});
  columns.insert(columns.end(), {{"latency [cycles]", true}, {original, true}, {"change", true}});
  TextTable table(std::move(columns));
  const auto add = [&](const ComparedRow& row) {
    std::vector<std::string> cells = {row.layer};
    add_figures(cells, row, &Figures::energy, true);
    if (ranges) add_sides(cells, row, range_of);
    add_figures(cells, row, &Figures::latency, true);
    table.add_row(std::move(cells));
  };
  for (const ComparedRow& row : result.layers) add(row);
  if (result.total) {
    if (!result.layers.empty()) table.add_rule();
    add(*result.total);
  }
  return table.text();
}

/// Two runs, the total first. Layers that are alike on both sides have one row.
std::string two_runs_table(const ComparedResult& result) {
  const bool ranges = has_ranges(result);
  const bool used = any_side(result, [](const ResultRow& row) { return !std::isnan(row.utilization); });
  const bool limits = any_side(result, [](const ResultRow& row) { return !row.limited_by.empty(); });
  const bool gaps = any_side(result, [](const ResultRow& row) { return !std::isnan(row.gap); });
  std::vector<TextTable::Column> columns = {
      {"layer"}, {"energy [pJ], first", true}, {"second", true}, {"change", true}};
  const auto add_columns = [&](const char* name, bool right) {
    columns.insert(columns.end(), {{fmt::format("{}, first", name), right}, {"second", right}});
  };
  if (ranges) add_columns("its range", true);
  add_columns("latency [cycles]", true);
  columns.push_back({"change", true});
  if (used) add_columns("utilisation", true);
  if (gaps) add_columns("gap", true);
  if (limits) add_columns("limited by", false);
  TextTable table(std::move(columns));
  const auto add = [&](const std::string& name, const ComparedRow& row) {
    std::vector<std::string> cells = {name};
    add_figures(cells, row, &Figures::energy, false);
    if (ranges) add_sides(cells, row, range_of);
    add_figures(cells, row, &Figures::latency, false);
    if (used)
      add_sides(cells, row, [](const ResultRow& side) {
        return std::isnan(side.utilization) ? "-" : fmt::format("{:.2f} %", 100 * side.utilization);
      });
    if (gaps) add_sides(cells, row, [](const ResultRow& side) { return gap_text(side.gap); });
    if (limits)
      add_sides(cells, row, [](const ResultRow& side) {
        return side.limited_by.empty() ? "-" : core::limiter_words(side.limited_by);
      });
    table.add_row(std::move(cells));
  };
  if (result.total) add("total", *result.total);
  if (result.total && !result.layers.empty()) table.add_rule();
  for (const MergedRow& row : merged_rows(table_layers(result))) add(row.name, result.layers[row.first]);
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

bool is_schedule(const std::optional<ResultRow>& total) { return total && total->is_schedule; }

/// A line on the cycles of layers on several cores; "" where there are none.
std::string cycles_of_cores_note(const ComparedResult& result) {
  const bool any = result.total && (is_schedule(result.total->ours) || is_schedule(result.total->theirs));
  if (!any || result.layers.empty()) return "";
  return "on several cores the cycles of a layer are those of its nodes on all cores together; "
         "the total is the schedule's, energy of links and transfers included\n";
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
    text += settings_line(result.settings) + both_ways_table(result, original) +
            cycles_of_cores_note(result) + "\n";
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

/// A line on the layers that a run on several cores alone counts, beside one on one core; "" of others.
std::string several_cores_note(const ComparedResult& result) {
  if (!result.total || !result.total->ours || !result.total->theirs) return "";
  const bool first = is_schedule(result.total->ours), second = is_schedule(result.total->theirs);
  if (first == second) return "";
  int layers = 0, both = 0;
  double cycles = 0;
  for (const ComparedRow& row : result.layers) {
    const auto& mine = first ? row.ours : row.theirs;
    both += row.ours && row.theirs ? 1 : 0;
    if (!mine || (first ? row.theirs : row.ours)) continue;
    ++layers;
    cycles += mine->latency;
  }
  if (layers == 0 || both == 0) return "";  // or they are two networks
  return fmt::format(
      "the {} run, on several cores, alone has {} layer{} with {:.0f} cycles of cores: work on elements, "
      "as "
      "pooling and additions, has no cost on one core without a vector unit\n",
      first ? "first" : "second", layers, layers == 1 ? "" : "s", cycles);
}

/// Speed, power and area of both runs, as far as they are known; "" where they are of neither.
std::string rates_table(const ComparedResult& result) {
  if (!result.total) return "";
  TextTable table({{"of the whole"}, {"first", true}, {"second", true}, {"change", true}});
  bool any = false;
  for (const core::RateRow& rate : core::rate_rows) {
    const auto of = [&](const std::optional<ResultRow>& side) {
      return side ? side->metric(rate.name) : std::numeric_limits<double>::quiet_NaN();
    };
    const double first = of(result.total->ours), second = of(result.total->theirs);
    if (std::isnan(first) && std::isnan(second)) continue;
    any = true;
    const auto text = [](double figure) { return std::isnan(figure) ? "-" : core::four_digits(figure); };
    table.add_row(
        {rate.unit.empty() ? std::string(rate.name) : fmt::format("{} [{}]", rate.name, rate.unit),
         text(first), text(second),
         std::isnan(first) || std::isnan(second) ? "-" : share(second - first, first)});
  }
  return any ? "\n" + table.text() : "";
}

std::string to_table(const SideBySide& runs) {
  std::string text =
      fmt::format("first: {}\nsecond: {}\n\n", core::printable(runs.first), core::printable(runs.second));
  for (const ComparedResult& result : runs.results) {
    text += settings_line(result.settings) + two_runs_table(result) + rates_table(result) + "\n" +
            cycles_of_cores_note(result) + several_cores_note(result);
    const auto& layers = result.layers;
    const auto any = [&](auto is) { return std::any_of(layers.begin(), layers.end(), is); };
    const bool first = any([](const ComparedRow&row) { return row.ours.has_value(); }),
               second = any([](const ComparedRow&row) { return row.theirs.has_value(); });
    if (first && second && !any([](const ComparedRow& row) { return row.ours && row.theirs; }))
      text += "no layer has the same name in both runs\n";
    else if (result.total && first != second)
      text += fmt::format("the {} run tells no layers\n", first ? "second" : "first");
  }
  return text;
}

void print_compared(nlohmann::ordered_json json) {
  json["errors"] = errors_json();
  json["exit_status"] = 0;
  fmt::print(standard_output(), "{}\n", core::json_text(json, {.indent = 2}));
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
      fmt::print(standard_output(), "{}", to_table(comparison, own.by_rule));
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
  if (is_of_earlier_run(path)) return read_figures(path);
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
    fmt::print(standard_output(), "{}", to_table(runs));
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
