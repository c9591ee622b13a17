#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/compat/rules.hpp"

namespace zz::core {

/// A row of docs/deviations.md that moved the figures of a mapping or schedule.
struct Deviation {
  bool Rules::*member;
  std::string_view rule;  ///< the name of the member
  std::string_view what;  ///< half a sentence: what zz counts, and what the original
  /// Change of the figures against those of the same mapping or schedule with the rule, as a share of
  /// these.
  double energy = 0, latency = 0;
};

/// How much a figure changes, as a share of `before`; 0 where that is 0.
double change(double now, double before);

/// The deviations of one evaluated layer, or of a schedule besides those of its layers. Sums and schedules
/// have those of their layers (Evaluation).
struct LayerDeviations {
  std::string layer;
  std::vector<Deviation> found;
  bool of_schedule = false;       ///< `layer` is the network then
  bool original_refuses = false;  ///< the original cannot do what was evaluated: `compat` is no advice
};

/// The deviations of the results of a run, told once.
class DeviationTally {
 public:
  /// The same object counts once.
  void add(const std::vector<std::shared_ptr<const LayerDeviations>>& layers);
  /// For each rule of `compat` that changed figures a sentence: of how many layers, the largest changes,
  /// and what to write for the original's figures; where `compat` is refused, what compares both ways.
  /// The order of add() is of no consequence.
  std::vector<std::string> sentences(std::string_view compat, bool compat_is_refused = false) const;

 private:
  struct Change {
    bool Rules::*member = nullptr;
    std::string_view what;
    bool of_schedule = false;
    std::set<std::string> layers;
    double energy = 0, latency = 0;     ///< the largest
    std::string of_energy, of_latency;  ///< layers with these
  };
  std::set<std::shared_ptr<const LayerDeviations>> added_;
  std::map<std::string_view, Change> changes_;  ///< by rule
  bool original_refuses_ = false;
};

}  // namespace zz::core
