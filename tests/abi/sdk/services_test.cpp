// What the SDK lets a stage ask of its host - files of its own, a chain that is its setting - against the
// in-memory host of zz/testing.hpp.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "zz/stage.hpp"
#include "zz/testing.hpp"

using zz::Result;
using zz::Results;
using zz::Value;

namespace {

// A row of a file that a stage reads.
struct Price {
  std::string memory;
  double read = 2;
  std::string kind = "sram";
  std::string more;
  static constexpr auto params = zz::params(
      zz::param<&Price::memory>("memory", "its name").required(),
      zz::param<&Price::read>("read", "one access").unit("pJ").allowed("[0, inf]").alias("r_cost"),
      zz::param<&Price::kind>("kind", "what it is made of").allowed("sram|dram"),
      zz::param<&Price::more>("more", "another file").input_path());
};

struct ReadsFiles : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.ReadsFiles", .name = "ReadsFiles", .summary = "reads", .flags = ZZ_STAGE_LEAF};
  std::string rows, settings, anything;
  static constexpr auto params =
      zz::params(zz::param<&ReadsFiles::rows>("rows", "a list").input_path(),
                 zz::param<&ReadsFiles::settings>("settings", "a map").input_path(),
                 zz::param<&ReadsFiles::anything>("anything", "a file").input_path());
  std::vector<Price> prices;
  void prepare() {
    if (!rows.empty()) prices = read_rows<Price>(rows);
  }
  Result run(Value) {
    if (!settings.empty()) return read_settings<Price>(settings);
    if (!anything.empty()) return read_yaml(anything);
    std::string text;
    for (const Price& price : prices)
      text += price.memory + ' ' + std::to_string(price.read) + ' ' + price.kind + ' ' + price.more + '\n';
    count("prices", prices.size());
    return zz::make({{"text", text}});
  }
};

struct Maps : zz::Stage {
  static constexpr zz::Description description{.id = "org.example.Maps",
                                               .name = "Maps",
                                               .summary = "runs a chain of its own",
                                               .flags = ZZ_STAGE_LEAF};
  zz::Chain mapper{"[CostModelStage]"};
  static constexpr auto params = zz::params(zz::param<&Maps::mapper>("mapper", "maps a layer"));
  Results run(Value ctx) {
    const Value described = mapper.describe(ctx);
    for (Result& r : mapper.substage(ctx)) {
      r.extra = described;
      co_yield std::move(r);
    }
  }
};

struct Balanced {  // every value that was made in the scope is gone at its end
  int64_t before = zz::testing::Host::live_values();
  ~Balanced() { CHECK(zz::testing::Host::live_values() == before); }
};

}  // namespace

ZZ_PLUGIN("org.example.sdk_services_test", ReadsFiles, Maps)

TEST_CASE("a stage reads files that are in memory") {
  zz::testing::Host host;
  const Balanced balanced;
  host.inputs["tables/prices.yaml"] =
      zz::make(zz::list({zz::Literal({{"memory", "l1"}, {"read", 0.5}}),
                         zz::Literal({{"memory", "dram"}, {"kind", "dram"}})}));
  auto run = host.run(zz_plugin_v0, "ReadsFiles", {{"rows", "tables/prices.yaml"}});
  CHECK(run.message == "");
  REQUIRE(run.results.size() == 1);
  CHECK(run.results[0].evaluation["text"].str() == "l1 0.500000 sram \ndram 2.000000 dram \n");
  CHECK(host.counts["prices"] == 2);

  host.inputs["one.yaml"] = zz::make({{"memory", "dram"}, {"read", 3}});
  run = host.run(zz_plugin_v0, "ReadsFiles", {{"settings", "one.yaml"}});
  REQUIRE(run.results.size() == 1);
  CHECK(run.results[0].evaluation.json() == R"({"memory": "dram", "read": 3})");

  host.inputs["any.yaml"] = zz::make(zz::list({1, -2.5, "text", nullptr}));
  run = host.run(zz_plugin_v0, "ReadsFiles", {{"anything", "any.yaml"}});
  REQUIRE(run.results.size() == 1);
  CHECK(run.results[0].evaluation.json() == R"([1, -2.5, "text", null])");

  run = host.run(zz_plugin_v0, "ReadsFiles", {{"rows", "price.yaml"}});
  CHECK(run.code == ZZ_E_INVALID);
  CHECK(run.message ==
        "price.yaml: error: the inputs of this host have no such file; known: any.yaml, one.yaml, "
        "tables/prices.yaml");
  host.inputs.clear();
}

TEST_CASE("a stage runs a chain that is its setting, and says what decides about it") {
  zz::testing::Host host;
  const Balanced balanced;
  CHECK(host.run(zz_plugin_v0, "Maps").message ==
        "the list of stages is empty, or this host makes no chains of settings");
  host.chains["mapper"] = zz::testing::evaluations({{{"edp", 3.0}}, {{"edp", 1.0}}});
  const auto run = host.run(zz_plugin_v0, "Maps");
  CHECK(run.code == ZZ_OK);
  REQUIRE(run.results.size() == 2);
  CHECK(run.results[1].extra.json() == R"([{"stage": "mapper"}])");
  CHECK(zz::testing::wrong_under_faults(host, zz_plugin_v0, "Maps") == "");
  host.chains.clear();
}
