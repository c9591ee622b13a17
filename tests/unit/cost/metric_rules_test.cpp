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
