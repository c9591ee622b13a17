#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/compat/deviation_texts.hpp"

namespace zz::core {

/// The corrections by which the stages of a run read, chose or allowed something else than ZigZag would,
/// and for which layers. By how much that moves figures would take a second run. [any]
class ChoiceDeviations {
 public:
  void add(const DeviationText& text, const std::string& layer);
  /// A sentence for each rule of `compat` that applies, with what to write for its figures; of more than
  /// two rules one sentence with their names. The order of add() is of no consequence.
  std::vector<std::string> sentences(std::string_view compat) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string_view, std::set<std::string>> layers_;  ///< by rule
};

}  // namespace zz::core
