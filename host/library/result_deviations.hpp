#pragma once
#include <string_view>

#include "core/cost/deviation_tally.hpp"
#include "core/value/value.hpp"

namespace zz::host {

/// The deviations of the results of a run.
struct ResultDeviations {
  core::DeviationTally tally;
  bool of_schedules = false;  ///< a result is a schedule

  /// Adds those of one (evaluation, extra) pair of a first stage. Either may be a list of such pairs.
  void add(const core::Value& evaluation, const core::Value& extra);
  /// The program whose figures the results would have: the setting `compat` for it.
  std::string_view original() const { return of_schedules ? "stream-0.0.8" : "zigzag-3.9"; }

 private:
  void add_all(const core::Value& list);
};

}  // namespace zz::host
