#include "host/plugins/stage_table.hpp"

#include <doctest/doctest.h>

using namespace zz::host;

TEST_CASE("a stage that writes a figure changes what follows from it") {
  const char* written[] = {"energy_total"};
  zz_stage_desc stage{};
  stage.writes = written;
  stage.n_writes = 1;
  CHECK(writes_metric(stage, "energy_total"));
  CHECK(writes_metric(stage, "edp"));
  CHECK_FALSE(writes_metric(stage, "latency_total2"));
  CHECK_FALSE(writes_metric(stage, "mac_utilization2"));
  written[0] = "latency_total2";
  CHECK(writes_metric(stage, "edp"));
  CHECK(writes_metric(stage, "mac_utilization2"));
  written[0] = "*";
  CHECK(writes_metric(stage, "carbon"));
}
