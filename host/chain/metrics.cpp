#include "host/chain/metrics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/schema/types.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::host {
namespace {

core::MetricSum sum_of(const zz_metric& metric) {
  if (metric.sum == ZZ_SUM_MAX) return core::MetricSum::largest;
  return metric.sum == ZZ_SUM_NONE ? core::MetricSum::none : core::MetricSum::add;
}

const char* words_of(core::MetricSum sum) {
  constexpr const char* words[] = {"added up", "the largest", "not summed"};
  return words[static_cast<int>(sum)];
}

class MetricCollector {
 public:
  explicit MetricCollector(core::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void add(const ResolvedStage& stage) {
    for (const zz_metric& metric : metrics_of(*stage.stage)) add(stage, metric);
  }

  std::vector<core::MetricRule> take() { return std::move(rules_); }

 private:
  void add(const ResolvedStage& stage, const zz_metric& metric) {
    if (core::find_field(*core::type_of<core::Evaluation>(), core::intern(metric.name)) != nullptr) {
      diagnostics_.error(
          stage.mark(),
          fmt::format("{} describes '{}' as a metric of its own, but that is a field of every "
                      "evaluation",
                      stage.name(), metric.name));
      return;
    }
    const core::MetricSum sum = sum_of(metric);
    const auto known = std::find_if(rules_.begin(), rules_.end(),
                                    [&](const core::MetricRule& rule) { return rule.name == metric.name; });
    if (known == rules_.end()) {
      rules_.push_back(
          {metric.name, sum, text_or_empty(metric.unit), (metric.flags & ZZ_METRIC_COLUMN) != 0});
      owners_.push_back(stage.name());
    } else if (known->sum != sum) {
      const std::string& other = owners_[static_cast<std::size_t>(known - rules_.begin())];
      diagnostics_.error(
          stage.mark(), fmt::format("the metric '{}' of several layers is {} for {}, and {} for {}",
                                    metric.name, words_of(sum), stage.name(), words_of(known->sum), other));
    } else {
      known->column = known->column || (metric.flags & ZZ_METRIC_COLUMN) != 0;
    }
  }

  core::Diagnostics& diagnostics_;
  std::vector<core::MetricRule> rules_;
  std::vector<std::string> owners_;  ///< of each rule: who said it first
};

}  // namespace

void describe_metrics(const ResolvedPipeline& pipeline, core::Diagnostics& diagnostics) {
  MetricCollector metrics(diagnostics);
  for (const ResolvedStage* stage : all_stages(pipeline.stages)) metrics.add(*stage);
  core::describe_metrics(metrics.take());
}

}  // namespace zz::host
