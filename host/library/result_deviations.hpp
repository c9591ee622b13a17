#pragma once
#include <cstdint>
#include <set>
#include <string>

#include "core/compat/rules.hpp"
#include "core/cost/deviation.hpp"
#include "core/value/value.hpp"

namespace zz::core {
struct Evaluation;
}

namespace zz::host {

/// The deviations of the results of a run: how many of their figures are not those of ZigZag or Stream.
class ResultDeviations {
 public:
  ResultDeviations();
  /// Adds those of one (evaluation, extra) pair of a first stage. Either may be a list of such pairs. The
  /// order of calls is of no consequence.
  void add(const core::Value& evaluation, const core::Value& extra);
  /// One line, or "" where no figure differs: "figures of 9 of 21 layers differ from ZigZag's, by up to
  /// +26.7 % a rule; ...". Stream is named where a result is a schedule.
  std::string sentence() const;

 private:
  void add_all(const core::Value& list);
  void add_figures(const core::Evaluation& evaluation);

  /// By the rules of one original.
  struct Found {
    core::Rules original;
    std::set<std::string> layers, networks;
    double most = 0;
  };
  static void add_one(Found& found, const core::LayerDeviations& one);

  std::set<std::int64_t> layers_;  ///< of all results, by id
  // Nothing here grows with the number of results. Which original counts is known at the end.
  Found zigzag_, stream_;
  bool of_schedules_ = false;  ///< a result is a schedule
};

}  // namespace zz::host
