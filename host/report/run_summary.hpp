#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/log.hpp"
#include "host/base/progress.hpp"
#include "host/base/report_tables.hpp"
#include "host/base/time_spent.hpp"
#include "host/report/json_trees.hpp"
#include "host/report/result_rows.hpp"
#include "host/report/search_words.hpp"

namespace zz::host {

struct Run;

/// The results of a run, for people and programs.
struct RunSummary {
  std::string pipeline;
  bool complete = true;  ///< false after an interruption or a failure
  double seconds = 0;
  std::vector<ResultRows> results;
  std::uint64_t rows = 0, further_rows = 0;  ///< of show_result(): in `results`, and counted only
  bool accuracy = false;         ///< show what the ledger knows of machines like that of each result
  std::vector<TimeSpent> times;  ///< only when they were measured
  // Told besides the results.
  Counters counters;
  std::vector<Warning> warnings;
  std::vector<std::string> notes;  ///< small print
  std::vector<ReportTable> tables;
};

/// Takes what the run has told up to now.
void add_what_was_told(RunSummary& summary, const Run& run);

/// Said under limits of mappings that are not proven best.
inline constexpr const char* not_proven_best =
    "limits are those of these mappings, which are not proven best; other mappings may have others";

/// "with loma_lpf_limit = 3, accelerator.memories[l1].size = 65536:" and a line end; "" without settings.
std::string settings_line(const Settings& settings);

/// Takes one more result for the table, of which `most` rows are shown; what is beyond them is counted, but
/// a result with a total is shown whole or not at all, the first one always. Evaluations that the table
/// does not look at are let go.
void show_result(RunSummary& summary, const core::Value& evaluation, const core::Value& extra,
                 std::uint64_t most, core::MachineLimits& limits);
/// A result that is a list comes in parts.
void begin_list(RunSummary& summary, Settings settings);
/// The same as show_result() for one more part of it.
void show_part(RunSummary& summary, const core::Value& evaluation, const core::Value& extra,
               std::uint64_t most, core::MachineLimits& limits);

/// The summary as a table with counters and warnings.
std::string to_table(const RunSummary& summary);

/// The results of a JSON document, in few bytes each.
class JsonResults {
 public:
  /// A result: its rows, how the search went and, with `accuracy`, what is known of such machines.
  void add(const ResultRows& result, bool accuracy);
  /// A result that is a list, to which the parts that follow belong.
  void begin_list(const Settings& settings);
  void add_part(const std::vector<ResultRow>& rows, bool accuracy);
  /// Leaves the last list out.
  void drop_list();
  /// Prints them as they stand in the document's list.
  void write(const std::function<void(const std::string&)>& print) const;
  bool empty() const { return results_.size() == (is_dropped_ ? 1 : 0); }

 private:
  /// The rows of a list, and what is said of all of them.
  struct List {
    std::size_t first = 0, end = 0;  ///< among `parts_`
    SearchWords search;
    std::vector<ResultRow> fused;
    nlohmann::ordered_json accuracy;  ///< null where nobody asks
  };
  void write_list(const List& list, nlohmann::ordered_json document,
                  const std::function<void(const std::string&)>& print) const;

  JsonTrees results_;                  ///< of a list without its rows
  JsonTrees parts_;                    ///< rows of lists
  std::map<std::size_t, List> lists_;  ///< by their places in `results_`
  bool is_dropped_ = false;            ///< the last list
};

/// The summary as a JSON document with errors as well, part by part; its results are `results`, and those
/// of the summary are not looked at.
void write_json(const RunSummary& summary, const JsonResults& results, int exit_status,
                const std::function<void(const std::string&)>& print);

/// The same with the results of the summary and without the errors.
nlohmann::ordered_json summary_json(const RunSummary& summary);

/// The times by account, as a table.
std::string times_table(const RunSummary& summary);

}  // namespace zz::host
