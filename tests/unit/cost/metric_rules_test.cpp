#include <doctest/doctest.h>

#include "core/cost/evaluation.hpp"

using namespace zz::core;

namespace {

/// Rules for one test.
struct Described {
  explicit Described(std::vector<MetricRule> rules) { describe_metrics(std::move(rules)); }
  ~Described() { describe_metrics({}); }
};

Evaluation with_metrics(std::vector<std::pair<std::string, double>> metrics) {
  Evaluation evaluation;
  evaluation.metrics = std::move(metrics);
  return evaluation;
}

using Metrics = decltype(Evaluation::metrics);

}  // namespace

TEST_CASE("sums of metrics are what the stage says that describes them") {
  const Described described(
      {{"peak", MetricSum::largest, "W", false}, {"rate", MetricSum::none, "", true}});
  const Evaluation first = with_metrics({{"peak", 3}, {"rate", 0.5}, {"carbon", 2}});
  const Evaluation second = with_metrics({{"rate", 0.25}, {"peak", 1}, {"carbon", 5}, {"late", 4}});
  CHECK(add(first, second).metrics == Metrics{{"peak", 3}, {"carbon", 7}, {"late", 4}});
  CHECK(add(Evaluation(), first).metrics == Metrics{{"peak", 3}, {"carbon", 2}});
  CHECK(scale(first, 4).metrics == Metrics{{"peak", 3}, {"carbon", 8}});
}

TEST_CASE("metrics that nobody describes are added up") {
  CHECK(add(with_metrics({{"peak", 3}}), with_metrics({{"peak", 1}})).metrics == Metrics{{"peak", 4}});
}

TEST_CASE("sums of certificates are what their rows say, without any description") {
  Evaluation first, second;
  first.certificate.lower_bound = 3;
  first.certificate.gap = 0.5;
  second.certificate.lower_bound = 4;
  second.certificate.gap = 0.25;
  second.certificate.fused_groups = 2;
  const Evaluation sum = scale(add(first, second), 2);
  CHECK(sum.certificate.lower_bound == 14);
  CHECK(sum.certificate.gap == 0.5);
  CHECK(sum.certificate.fused_groups == 2);
  CHECK_FALSE(sum.certificate.states);
}

TEST_CASE("a result shows its certificate before what stages add") {
  Evaluation evaluation = with_metrics({{"carbon", 1}});
  evaluation.certificate.states = 8;
  CHECK(metrics_of(evaluation) == Metrics{{"optimum_states", 8}, {"carbon", 1}});
  set_metric(evaluation, "optimum_states", std::nullopt);
  set_metric(evaluation, "carbon", 2);
  set_metric(evaluation, "slack", 3);
  CHECK(metrics_of(evaluation) == Metrics{{"carbon", 2}, {"slack", 3}});
  CHECK(find_metric(evaluation, "optimum_states") == nullptr);
  CHECK(*find_metric(evaluation, "slack") == 3);
}
