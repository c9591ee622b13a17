#pragma once
#include <optional>
#include <string>

#include "core/cost/evaluation.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Work that an estimate of a network lacks: operators that multiply, or may do so, and have no cost.
struct MissingWork {
  double nodes = 0;             ///< number of these operators
  std::optional<double> share;  ///< of the multiply-accumulates, 0 to 1; none when nobody knows

  /// The metrics by which results tell it. A share that nobody knows has no metric.
  static constexpr const char* nodes_metric = "uncosted_nodes";
  static constexpr const char* share_metric = "missing_mac_share";
};

MissingWork missing_work(const Workload& workload);

/// As the metrics of a result tell it.
MissingWork missing_work(const Evaluation& evaluation);

/// "12.50 %", or "an unknown share".
std::string share_words(const std::optional<double>& share);

/// "2 operators that multiply, or may do so, lack a cost, an unknown share of the multiply-accumulates"; ""
/// when nothing is missing.
std::string missing_work_words(const MissingWork& missing);

/// The same for the top of pages and tables, as a sentence on their figures.
std::string missing_work_note(const MissingWork& missing);

}  // namespace zz::core
