#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zz::core {

/// A row of docs/deviations.md that moved the figures of a mapping.
struct Deviation {
  std::string_view rule;  ///< the member of Rules
  std::string_view what;  ///< half a sentence: what zz counts, and what ZigZag
  /// Change of the figures against those of the same mapping with the rule, as a share of these.
  double energy = 0, latency = 0;
};

/// The deviations of one evaluated layer. Sums and schedules have those of their layers (Evaluation).
struct LayerDeviations {
  std::string layer;
  std::vector<Deviation> found;
};

/// The deviations of the results of a run, told once.
class DeviationTally {
 public:
  /// The same object counts once.
  void add(const std::vector<std::shared_ptr<const LayerDeviations>>& layers);
  /// For each rule that changed figures a sentence: of how many layers, the largest changes, and what to
  /// write for ZigZag's figures. The order of add() is of no consequence.
  std::vector<std::string> sentences() const;

 private:
  struct Change {
    std::string_view what;
    std::set<std::string> layers;
    double energy = 0, latency = 0;     ///< the largest
    std::string of_energy, of_latency;  ///< layers with these
  };
  std::set<std::shared_ptr<const LayerDeviations>> added_;
  std::map<std::string_view, Change> changes_;  ///< by rule
};

}  // namespace zz::core
