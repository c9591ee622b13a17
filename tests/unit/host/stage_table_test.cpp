#include "host/values/stage_table.hpp"

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

TEST_CASE("a stage goes by its name, its id and each whole alias") {
  zz_stage_desc stage{};
  stage.name = "TemporalMappingGeneratorStage";
  stage.id = "org.zz.TemporalMappingGeneratorStage";
  CHECK(goes_by(stage, "org.zz.TemporalMappingGeneratorStage"));
  CHECK_FALSE(goes_by(stage, ""));
  stage.aliases = "LomaStage|Loma|OrderStage";
  for (const char* name : {"TemporalMappingGeneratorStage", "LomaStage", "Loma", "OrderStage"}) {
    CAPTURE(name);
    CHECK(goes_by(stage, name));
  }
  for (const char* name : {"Stage", "Lom", "LomaStage|Loma", "OrderStag", "|", ""}) {
    CAPTURE(name);
    CHECK_FALSE(goes_by(stage, name));
  }
}
