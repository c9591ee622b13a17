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

TEST_CASE("a stage reads files that are in memory, checked and completed") {
  zz::testing::Host host;
  const Balanced balanced;
  host.inputs["tables/prices.yaml"] =
      "# what accesses cost\n"
      "- memory: l1\n"
      "  r_cost: 0.5   # an older name\n"
      "- {memory: 12, kind: dram, more: sub/../deep.yaml}\n"
      "-\n"
      "  memory: \"l\\\"3\"\n";
  auto run = host.run(zz_plugin_v0, "ReadsFiles", {{"rows", "tables/prices.yaml"}});
  CHECK(run.message == "");
  REQUIRE(run.results.size() == 1);
  CHECK(run.results[0].evaluation["text"].str() ==
        "l1 0.500000 sram \n12 2.000000 dram tables/deep.yaml\nl\"3 2.000000 sram \n");
  CHECK(host.counts["prices"] == 3);

  host.inputs["one.yaml"] = "---\nmemory: dram\nread: 3\n";
  run = host.run(zz_plugin_v0, "ReadsFiles", {{"settings", "one.yaml"}});
  REQUIRE(run.results.size() == 1);
  CHECK(run.results[0].evaluation.json() == R"({"memory": "dram", "read": 3, "kind": "sram", "more": ""})");

  host.inputs["any.yaml"] =
      "list:\n- 1\n- -2.5\n- 1e3\n- 1.0e+3\n- 0x1F\n- 010\n- yes\n- 'it''s'\n- \"12\"\n- ~\n- [a, {b: c, "
      "d: }]\n"
      "map: {x: 1,\n  y: [2,\n3], }\n"
      "nested:\n  deeper:\n    - - 1\n      - 2\n    - key: a b # c\n      url: http://x#y\n"
      "empty:\n";
  run = host.run(zz_plugin_v0, "ReadsFiles", {{"anything", "any.yaml"}});
  CHECK(run.message == "");
  REQUIRE(run.results.size() == 1);
  CHECK(
      run.results[0].evaluation.json() ==
      R"({"list": [1, -2.5, "1e3", 1000, 31, 8, true, "it's", "12", null, ["a", {"b": "c", "d": null}]], )"
      R"("map": {"x": 1, "y": [2, 3]}, )"
      R"("nested": {"deeper": [[1, 2], {"key": "a b", "url": "http://x#y"}]}, "empty": null})");
}

TEST_CASE("what is wrong with a file in memory is told with its place, all at once") {
  zz::testing::Host host;
  const Balanced balanced;
  const auto message = [&](const char* setting, std::string text) {
    host.inputs["prices.yaml"] = std::move(text);
    const auto run = host.run(zz_plugin_v0, "ReadsFiles", {{setting, "prices.yaml"}});
    CHECK(run.code == ZZ_E_INVALID);
    return run.message;
  };
  CHECK(
      message("rows",
              "- {memory: a, read: -1}\n- memmory: b\n  kind: sam\n- 3\n- {memory: c, read: 1, r_cost: 2}\n"
              "- {memory: , read: [1]}\n") ==
      "prices.yaml:1:21: error: 'read' of row 1 of prices.yaml must lie in [0, inf] pJ, but found the "
      "number -1\n"
      "prices.yaml:2:3: error: unknown key 'memmory' of row 2 of prices.yaml; did you mean 'memory'?\n"
      "prices.yaml:3:9: error: 'kind' of row 2 of prices.yaml must be one of sram, dram, but found the "
      "text 'sam'\n"
      "prices.yaml:4:3: error: row 3 of prices.yaml must be a map (lines of 'key: value'), but found the "
      "number 3\n"
      "prices.yaml:5:24: error: 'read' of row 4 of prices.yaml is given twice\n"
      "prices.yaml:6:4: error: 'memory' of row 5 of prices.yaml must not be empty\n"
      "prices.yaml:6:20: error: 'read' of row 5 of prices.yaml must be a number, but found a list");
  CHECK(message("rows", "memory: a") ==
        "prices.yaml:1:1: error: prices.yaml must be a list, but found a map");
  CHECK(message("settings", "{memory: a, size: 2}")
            .find("'size' of prices.yaml; known: memory, read, kind, more") != std::string::npos);
  const std::pair<const char*, const char*> wrong_syntax[] = {
      {"# nothing\n", "2:1: error: the file is empty: a YAML document is expected"},
      {"a: [1, 2\nb: 3\n", "2:1: error: ',' or ']' is expected here"},
      {"a: {b: 1", "1:4: error: there is no '}' for this bracket"},
      {"a: 'b\n", "1:4: error: this text has no closing quote on its line"},
      {"a: 1\n  b: 2\n", "2:3: error: this line begins too far right for the map above"},
      {"a: b: c\n", "1:5: error: a ':' that begins no value here: quote the text if it belongs to it"},
      {"a: |\n  text\n",
       "1:4: error: '|' at the beginning of a text means something in YAML that this host does not read"},
      {"a:\n\tb: 1\n", "2:2: error: a line begins with a tab: YAML wants blanks"},
      {"a: 1\nb\n", "2:1: error: a line of a map is written 'key: value'"},
      {"- a\nb: 1\n", "2:1: error: the document is over, and more follows"}};
  for (const auto& wrong : wrong_syntax) {
    const char* const text = wrong.first;
    CAPTURE(text);
    CHECK(message("anything", text) == std::string("prices.yaml:") + wrong.second);
  }
  const auto run = host.run(zz_plugin_v0, "ReadsFiles", {{"rows", "price.yaml"}});
  CHECK(run.message == "price.yaml: error: the inputs of this host have no such file; known: prices.yaml");
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
