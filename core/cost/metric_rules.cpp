#include "core/cost/metric_rules.hpp"

#include <utility>

namespace zz::core {
namespace {

std::vector<MetricRule>& rules_of_process() {
  static std::vector<MetricRule> rules;
  return rules;
}

}  // namespace

void describe_metrics(std::vector<MetricRule> rules) { rules_of_process() = std::move(rules); }

const std::vector<MetricRule>& described_metrics() { return rules_of_process(); }

MetricSum sum_of_metric(std::string_view name) {
  for (const MetricRule& rule : rules_of_process())
    if (rule.name == name) return rule.sum;
  return MetricSum::add;
}

}  // namespace zz::core
