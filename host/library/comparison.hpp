#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/base/run.hpp"
#include "host/chain/failure.hpp"
#include "host/library/open_pipeline.hpp"
#include "host/library/side_by_side.hpp"

namespace zz::host {

/// A pipeline by the rules of zz, and with `compat`.
///
/// Energy and latency of a layer are those of its evaluation; in a schedule, those of its nodes on their
/// cores, one after the other. The total of a schedule is the schedule's.
struct Comparison {
  std::string pipeline;
  std::string compat;  ///< of the other way, with the exceptions without which it is refused
  /// Names of what the original lacks, hence is left out of the other way, and why.
  std::vector<std::pair<std::string, std::string>> left_out;
  /// Why the original refuses the pipeline; "" where it does not. There may be figures all the same, with
  /// exceptions from its rules.
  std::string refused;
  /// The rules that cause differences, in the order in which they were dropped.
  std::vector<std::string> rules;
  std::vector<ComparedResult> results;
  int runs = 0;  ///< of the pipeline, refused ones included
};

struct ComparisonOptions {
  std::string with{};    ///< a value of `compat`; "": zigzag-3.9, or stream-0.0.8 on several cores
  bool by_rule = false;  ///< find the rules that cause the differences
};

/// Names that `ComparisonOptions::with` may have.
const std::vector<std::string>& comparable_originals();

/// The name under which the rules of schedules are told, which are dropped together.
inline constexpr const char* rules_of_schedules = "schedules";
/// The name of what is left out of the other way, among `Comparison::rules`.
inline constexpr const char* what_is_left_out = "left out";

/// Half a sentence on an entry of Comparison::rules: what zz does, and what the original.
std::string text_of_rule(const std::string& rule);

/// Runs the pipeline both ways. Cuts that a search finds are handed to the other way as `hint_loops`. No
/// files are written, and nothing is logged.
///
/// With `by_rule` the rules of the original are dropped one after the other, in the order of rules.def; the
/// share of a rule is what its turn changes, so that shares are exact and add up to the whole difference.
/// Where all figures are the same after several turns, those between are not run.
///
/// `open` is what `request` opens to, without errors. Works for `run`, whose cancellation ends it. Throws
/// ChainFailure where the way of zz fails, or on cancellation.
Comparison compare(const PipelineRequest& request, const OpenPipeline& open,
                   const ComparisonOptions& options, Run& run);

/// The same as JSON: {pipeline, with, refused, left_out, rules, results, runs}.
nlohmann::ordered_json comparison_json(const Comparison& comparison);

}  // namespace zz::host
