#include <doctest/doctest.h>

#include "host/command_line/new_plugin.hpp"

namespace {

using namespace zz::host;

TEST_CASE("new plugin: one name in several spellings") {
  for (const char* given : {"pareto_front", "pareto-front", "ParetoFront", "paretoFront",
                            "ParetoFrontStage", "pareto_front_stage"}) {
    CAPTURE(given);
    const PluginNames names = plugin_names(given);
    CHECK(names.plugin == "pareto_front");
    CHECK(names.stage == "ParetoFrontStage");
    CHECK(names.file == "pareto_front_stage");
  }
  CHECK(plugin_names("DVFS").plugin == "dvfs");
  CHECK(plugin_names("DVFS").stage == "DVFSStage");
  CHECK(plugin_names("k_best2").stage == "KBest2Stage");
  // Letters that end a word are no word of their own.
  CHECK(plugin_names("multistage").plugin == "multistage");
  CHECK(plugin_names("multistage").stage == "MultistageStage");
}

TEST_CASE("new plugin: what cannot be the name of a class is refused") {
  for (const char* given : {"", "2fast", "a b", "../up", "caf\xc3\xa9", "-a", "a.b"}) {
    CAPTURE(given);
    CHECK_THROWS_AS(plugin_names(given), NewPluginError);
  }
}

}  // namespace
