// What a stage's class says of itself reaches the host's table: settings, ports, defaults.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <string>
#include <string_view>

#include "tests/abi/sdk/tested_stages.hpp"

using namespace zz::literals;
using namespace zz::test;
using zz::Value;

ZZ_PLUGIN("org.example.sdk_test", Settings, Yields, Forwards, Best, Throws, Careless, Takes)

namespace {

std::string default_of(std::string_view stage, std::string_view name) {
  const zz_stage_desc& desc = zz::testing::Host::find(zz_plugin_v0, stage);
  for (uint32_t i = 0; i < desc.n_params; ++i)
    if (desc.params[i].name == name) return desc.params[i].def ? desc.params[i].def : "(none)";
  return "(no such setting)";
}

}  // namespace

TEST_CASE("defaults come from the members' initialisers, as YAML text") {
  CHECK(default_of("Settings", "flag") == "true");
  CHECK(default_of("Settings", "count") == "3");
  CHECK(default_of("Settings", "ratio") == "0.1");
  CHECK(default_of("Settings", "limit") == ".inf");
  CHECK(default_of("Settings", "word") == "energy");
  CHECK(default_of("Settings", "text") == "\"a \\\"b\\\"\"");
  CHECK(default_of("Settings", "number_like") == "\"12\"");
  CHECK(default_of("Settings", "maybe") == "(none)");
  CHECK(default_of("Settings", "many") == "[1, 2.5]");
  CHECK(default_of("Settings", "any") == "(none)");
}

TEST_CASE("the table says what the class says") {
  CHECK(std::string(zz_plugin_v0.id) == "org.example.sdk_test");
  REQUIRE(zz_plugin_v0.n_stages == 7);
  const zz_stage_desc& settings = *zz_plugin_v0.stages[0];
  CHECK(settings.n_params == 10);
  CHECK(settings.params[1].kind == ZZ_I64);
  CHECK(std::string(settings.params[1].unit) == "cycles");
  CHECK(std::string(settings.params[1].allowed) == "[1, 64]");
  CHECK(std::string(settings.params[1].aliases) == "n|number");
  CHECK(settings.params[9].kind == ZZ_NULL);
  CHECK(settings.params[9].flags == ZZ_REQUIRED);
  CHECK(std::string(settings.aliases) == "Old|Older");
  REQUIRE(settings.n_consumes == 2);
  CHECK(std::string(settings.consumes[0].type) == "layer");
  CHECK(settings.consumes[1].flags == ZZ_OPTIONAL);
  CHECK(settings.n_provides == 0);
  CHECK(settings.n_writes == 1);
}

TEST_CASE("settings are assigned, and refused with the author's words") {
  zz::testing::Host host;
  const Balanced balanced;
  const Value ctx = zz::make({{"layer", nullptr}});
  auto run = host.run(zz_plugin_v0, "Settings",
                      {{"flag", false},
                       {"count", 5},
                       {"ratio", 1},
                       {"many", zz::list({1, 2})},
                       {"maybe", 7},
                       {"any", {{"deep", zz::list({"a", "b"})}}},
                       {"word", nullptr}},
                      ctx);
  REQUIRE(run.code == ZZ_OK);
  REQUIRE(run.results.size() == 1);
  CHECK(
      run.results[0].evaluation.json() ==
      R"({"flag": false, "count": 5, "ratio": 1, "word": "energy", "many": [1, 2], "any": {"deep": ["a", "b"]}, "maybe": 7})");
  run = host.run(zz_plugin_v0, "Settings", {{"count", 65}}, ctx);
  CHECK(run.code == ZZ_E_INVALID);
  CHECK(run.message == "count is too large");
  run = host.run(zz_plugin_v0, "Settings", {{"count", "many"}}, ctx);
  CHECK(run.code == ZZ_E_INVALID);
  CHECK(run.message == "'count': '\"many\"' has another type");
}

TEST_CASE("a constructor that throws is reported by create") {
  zz::testing::Host host;
  const auto run = host.run(zz_plugin_v0, "Throws", {}, {});
  CHECK(run.code == ZZ_E_INTERNAL);
  CHECK(run.message == "no constructor today");
  CHECK(default_of("Throws", "x") == "(none)");
}
