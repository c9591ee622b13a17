#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/value/value.hpp"
#include "host/base/log.hpp"
#include "host/base/progress.hpp"
#include "host/base/report_tables.hpp"
#include "host/base/time_spent.hpp"
#include "host/report/accuracy.hpp"

namespace zz::host {

struct Run;

/// The figures of one evaluation. Energy in pJ, latency in cycles.
struct SummaryRow {
  std::string layer;
  double energy = 0;
  double latency = 0;
  double utilization = 0;  ///< of the arithmetic units over the whole latency; NaN when unknown
  double gap = 0;          ///< that the proof of its mapping leaves, a fraction; NaN when nothing is proven
  std::string unrolling;   ///< "D1: K 32; D2: C 32"
  std::string limited_by;  ///< "dram.rw_port_1", "units", ...; "" when not known
  double clock = 0;        ///< period in ns; 0 when the accelerator does not say
  double area = 0;         ///< mm2; 0 when the accelerator does not say
  std::vector<std::pair<std::string, double>> metrics;  ///< that stages added
  core::Value evaluation;                               ///< with all its figures
};

/// One result of the pipeline: its layers, and their total if there is one.
struct SummaryResult {
  std::vector<std::pair<std::string, std::string>> settings;  ///< of a point of a sweep: name, JSON text
  std::vector<SummaryRow> layers;
  bool has_total = false;
  SummaryRow total;
  std::vector<std::string> search;  ///< what was searched, tried and proven: search_words() of the layers
  std::optional<std::vector<NearSet>> accuracy;  ///< only when it was asked for
};

/// The results of a run, for people and programs.
struct RunSummary {
  std::string pipeline;
  bool complete = true;  ///< false after an interruption or a failure
  double seconds = 0;
  std::vector<SummaryResult> results;
  std::vector<TimeSpent> times;  ///< only when they were measured
  // What the run told besides its results.
  Counters counters;
  std::vector<Warning> warnings;
  std::vector<ReportTable> tables;
};

/// Takes what the run has told up to now.
void add_what_was_told(RunSummary& summary, const Run& run);

/// Reads one (evaluation, extra) pair of the first stage. Evaluations in the `extra` of a sum become its
/// layers. Results that reducers kept besides the best are left out.
SummaryResult summarise(const core::Value& evaluation, const core::Value& extra);

/// Adds what the ledger knows of machines like that of the result.
void add_accuracy(SummaryResult& result);

/// A search has proven that no mapping is better by its objective.
bool is_proven_best(const core::Evaluation& evaluation);
/// What to say under limits of mappings that are not proven best.
inline constexpr const char* not_proven_best =
    "limits are those of these mappings, which are not proven best; other mappings may have others";

/// "with loma_lpf_limit = 3, accelerator.memories[l1].size = 65536:" and a line end; "" without settings.
std::string settings_line(const std::vector<std::pair<std::string, std::string>>& settings);

/// The summary as a table with counters and warnings, and as a JSON document with errors as well.
std::string to_table(const RunSummary& summary);
std::string to_json(const RunSummary& summary, int exit_status);

/// The same without the errors.
nlohmann::ordered_json summary_json(const RunSummary& summary);

/// The times by account, as a table.
std::string times_table(const RunSummary& summary);

}  // namespace zz::host
