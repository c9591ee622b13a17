#include <doctest/doctest.h>
#include <string>

#include "core/cost/evaluation.hpp"
#include "host/chain/chain_checks.hpp"
#include "tests/unit/host/made_up_stages.hpp"

using namespace zz;

namespace {

zz_stage_desc describing(const zz_metric& metric) {
  zz_stage_desc stage = test::made_up_forwarder;
  stage.size = sizeof stage;
  stage.metrics = &metric;
  stage.n_metrics = 1;
  return stage;
}

/// The problem of a pipeline of these stages.
std::string problem(const zz_stage_desc& first, const zz_stage_desc& second) {
  host::ResolvedPipeline resolved;
  resolved.stages = {test::placed(1, first, "", 0), test::placed(2, second, "", 0)};
  core::Diagnostics diagnostics;
  host::describe_metrics(resolved, diagnostics);
  std::string text;
  for (const core::Diagnostic& one : diagnostics.all()) text += one.message;
  return text;
}

}  // namespace

TEST_CASE("metrics of stages mean what the stages say") {
  const zz_metric added{"carbon", ZZ_SUM_ADD, 0, "g", "grams", nullptr};
  const zz_metric shown{"carbon", ZZ_SUM_ADD, ZZ_METRIC_COLUMN, "g", "grams", nullptr};
  const zz_metric largest{"carbon", ZZ_SUM_MAX, 0, "g", "grams", nullptr};
  const zz_metric field{"energy_total", ZZ_SUM_ADD, 0, "pJ", "energy", nullptr};
  const zz_stage_desc one = describing(added);

  CHECK(problem(one, describing(shown)).empty());
  REQUIRE(core::described_metrics().size() == 1);
  CHECK(core::described_metrics()[0].column);
  CHECK(core::described_metrics()[0].unit == "g");

  CHECK(
      problem(one, describing(largest)).find("the metric 'carbon' of several layers is the largest for") ==
      0);
  CHECK(
      problem(one, describing(field)).find("'energy_total' as a metric of its own, but that is a field") !=
      std::string::npos);
  // A table of minor 0.1 ends before.
  zz_stage_desc old = describing(largest);
  old.size = 128;
  CHECK(problem(one, old).empty());
  core::describe_metrics({});
}
