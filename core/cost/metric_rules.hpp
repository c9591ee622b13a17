#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace zz::core {

/// What the figure of several layers together is.
enum class MetricSum { add, largest, none };

/// A metric that some stage describes (zz_metric in stage_abi.h).
struct MetricRule {
  std::string name;
  MetricSum sum = MetricSum::add;
  std::string unit;     ///< "" when none
  bool column = false;  ///< in the table at the end of the run
};

/// Says what metrics mean, for the whole process: sums of evaluations and tables of results read it. Called
/// once, before stages run. Metrics that are not described are added up.
void describe_metrics(std::vector<MetricRule> rules);

/// All that are described, in that order.
const std::vector<MetricRule>& described_metrics();

/// MetricSum::add for a metric that is not described.
MetricSum sum_of_metric(std::string_view name);

}  // namespace zz::core
