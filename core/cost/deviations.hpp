#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/cost_model.hpp"

namespace zz::core {

/// A row of docs/deviations.md that moved the figures of a mapping.
struct Deviation {
  std::string_view rule;  ///< the member of Rules
  std::string_view what;  ///< half a sentence: what zz counts, and what ZigZag
  /// Change of the figures against those of the same mapping with the rule, as a share of these.
  double energy = 0, latency = 0;
};

/// What the default changes in the figures of an evaluation, against the newest ZigZag (3.9); nothing with
/// rules that keep its figures. Costs the mapping once more for each rule that can have changed it.
std::vector<Deviation> find_deviations(const CostModel& model, const Evaluation& evaluation);

/// The deviations of many evaluations, told once. [any thread]
class DeviationTally {
 public:
  void add(const CostModel& model, const Evaluation& evaluation);
  /// For each rule that changed figures a sentence: of how many layers, the largest changes, and what to
  /// write for ZigZag's figures. Mappings that a stage above drops later count as well. The order of
  /// add() is of no consequence.
  std::vector<std::string> sentences() const;

 private:
  struct Change {
    std::string_view what;
    std::set<std::string> layers;
    double energy = 0, latency = 0;     ///< the largest
    std::string of_energy, of_latency;  ///< layers with these
  };
  mutable std::mutex mutex_;
  std::map<std::string_view, Change> changes_;  ///< by rule
};

}  // namespace zz::core
