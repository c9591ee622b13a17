// The C++ SDK against the in-memory host of zz/testing.hpp: no zz-host, no core library.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "zz/stage.hpp"
#include "zz/testing.hpp"

using namespace zz::literals;
using zz::Result;
using zz::Results;
using zz::Value;

namespace {

struct Settings : zz::Stage {
  static constexpr zz::Description description{.id = "org.example.Settings",
                                               .name = "Settings",
                                               .aliases = "Old|Older",
                                               .summary = "every type",
                                               .flags = ZZ_STAGE_LEAF};
  bool flag = true;
  int64_t count = 3;
  double ratio = 0.1;
  double limit = std::numeric_limits<double>::infinity();
  std::string word = "energy";
  std::string text = "a \"b\"";
  std::string number_like = "12";
  std::optional<int64_t> maybe;
  std::vector<double> many = {1, 2.5};
  Value any;
  static constexpr auto params = zz::params(
      zz::param<&Settings::flag>("flag", "a truth value"),
      zz::param<&Settings::count>("count", "a number").unit("cycles").allowed("[1, 64]").alias("n|number"),
      zz::param<&Settings::ratio>("ratio", "a fraction"),
      zz::param<&Settings::limit>("limit", "an infinity"), zz::param<&Settings::word>("word", "a word"),
      zz::param<&Settings::text>("text", "a text"),
      zz::param<&Settings::number_like>("number_like", "a text"),
      zz::param<&Settings::maybe>("maybe", "or not"), zz::param<&Settings::many>("many", "a list"),
      zz::param<&Settings::any>("any", "whatever").required());
  static constexpr zz::Port consumes[] = {zz::object("layer", "layer", "the layer"),
                                          zz::port("budget", ZZ_F64, "pJ").optional()};
  static constexpr const char* writes[] = {"*"};

  void prepare() {
    if (count > 64) throw zz::Error(ZZ_E_INVALID, "count is too large");
  }
  Result run(Value) {
    return zz::make({{"flag", flag},
                     {"count", count},
                     {"ratio", ratio},
                     {"word", word},
                     {"many", many},
                     {"any", any},
                     {"maybe", maybe.value_or(-1)}});
  }
};

// Yields in every way there is, and counts on nothing being destroyed twice.
struct Yields : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.Yields", .name = "Yields", .summary = "yields", .flags = ZZ_STAGE_LEAF};
  int64_t fail_after = 100;
  static constexpr auto params =
      zz::params(zz::param<&Yields::fail_after>("fail_after", "how many come first"));

  Results run(Value ctx) {
    Value evaluation = zz::make("evaluation", {{"edp", 1.0}});
    Result kept(evaluation, ctx);
    co_yield kept;
    if (fail_after <= 1) throw zz::Error(ZZ_E_INVALID, "after one");
    co_yield {evaluation, ctx};
    if (fail_after <= 2) throw std::runtime_error("after two");
    co_yield Result{evaluation, ctx};
    if (fail_after <= 3) throw 3;
    co_yield Result(evaluation);
    co_yield evaluation;
    co_yield std::move(kept);
  }
};

struct Forwards : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.Forwards", .name = "Forwards", .summary = "forwards", .flags = ZZ_STAGE_FORWARDS};
  bool catches = false;
  int64_t batch = 1;
  static constexpr auto params =
      zz::params(zz::param<&Forwards::catches>("catches", "goes on after a failure"),
                 zz::param<&Forwards::batch>("batch", "results asked for at a time"));

  Results run(Value ctx) {
    std::optional<zz::Below> lost;
    try {
      for (Result& r : substage(ctx, static_cast<uint32_t>(batch))) co_yield std::move(r);
    } catch (const zz::Below& below) {
      if (!catches) throw;
      lost = below;
    }
    if (lost) {
      log(zz::Level::warning, lost->what());
      Value record = zz::make({{"code", lost->code}, {"failure", lost->failure}});
      co_yield Result({}, record);
    }
  }
};

struct Best : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.Best", .name = "Best", .summary = "reduces", .flags = ZZ_STAGE_REDUCES};
  zz_demand demand() const { return {1, 1, {"edp"_n.id()}}; }

  struct Scorer {
    Scorer(Best&, Value, zz::Name, std::span<const zz::Name> metrics) : metrics(metrics.size()) {
      if (metrics.size() > 1) throw zz::Error(ZZ_E_UNSUPPORTED, "one metric at a time");
    }
    std::size_t metrics;
    void score(zz::Ref rows, uint32_t first, uint32_t n, double* out) {
      for (uint32_t i = 0; i < n; ++i) out[i] = rows.at(first + i)["x"_n].num();
    }
  };
  Result run(Value ctx) {
    Result best;
    for (Result& r : substage(ctx))
      if (!best.evaluation || r.evaluation["edp"_n].num() < best.evaluation["edp"_n].num())
        best = std::move(r);
    if (!best.evaluation) throw zz::Error(ZZ_E_NO_RESULT, "nothing below");
    output("best.json", best.evaluation.json());
    return best;
  }
};

struct Throws : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.Throws", .name = "Throws", .summary = "cannot be made"};
  Throws() { throw std::runtime_error("no constructor today"); }
  int64_t x = 0;
  static constexpr auto params = zz::params(zz::param<&Throws::x>("x", "never read"));
  Results run(Value) { co_return; }
};

// What the faults of zz/testing.hpp are there to find: it goes on when it should stop, and forgets a value.
struct Careless : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.Careless", .name = "Careless", .summary = "careless"};
  // What it forgets can still be reached, so that the address sanitizer, which would be right, does not
  // complain.
  static std::vector<zz_value*>& forgotten() {
    static auto* const values = new std::vector<zz_value*>;
    return *values;
  }
  bool leaks = false;
  static constexpr auto params =
      zz::params(zz::param<&Careless::leaks>("leaks", "keeps what a failure leaves over"));
  Results run(Value ctx) {
    try {
      for (Result& r : substage(ctx)) co_yield std::move(r);
    } catch (const zz::Below&) {
      if (leaks) forgotten().push_back(Value(ctx).release());
    }
  }
};

}  // namespace

ZZ_PLUGIN("org.example.sdk_test", Settings, Yields, Forwards, Best, Throws, Careless)

namespace {

std::string default_of(std::string_view stage, std::string_view name) {
  const zz_stage_desc& desc = zz::testing::Host::find(zz_plugin_v0, stage);
  for (uint32_t i = 0; i < desc.n_params; ++i)
    if (desc.params[i].name == name) return desc.params[i].def ? desc.params[i].def : "(none)";
  return "(no such setting)";
}

zz::testing::Answer edps(std::initializer_list<double> numbers) {
  zz::testing::Answer answer;
  for (const double edp : numbers) answer.results.emplace_back(zz::make("evaluation", {{"edp", edp}}));
  return answer;
}

struct Balanced {  // every value that was made in the scope is gone at its end
  int64_t before = zz::testing::Host::live_values();
  ~Balanced() { CHECK(zz::testing::Host::live_values() == before); }
};

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
  REQUIRE(zz_plugin_v0.n_stages == 6);
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

TEST_CASE("what a consumer sees does not depend on how much he asks for") {
  zz::testing::Host host;
  const Balanced balanced;
  const Value ctx = zz::make({{"layer", nullptr}});
  for (const uint32_t cap : {1u, 2u, 3u, 64u}) {
    CAPTURE(cap);
    auto run = host.run(zz_plugin_v0, "Yields", {}, ctx, {cap});
    CHECK(run.code == ZZ_OK);
    REQUIRE(run.results.size() == 6);
    for (const Result& result : run.results) CHECK(result.evaluation["edp"_n].num() == 1.0);
    CHECK(run.results[5].extra.size() == 1);

    run = host.run(zz_plugin_v0, "Yields", {{"fail_after", 1}}, ctx, {cap});
    CHECK(run.results.size() == 1);
    CHECK(run.code == ZZ_E_INVALID);
    CHECK(run.message == "after one");
    run = host.run(zz_plugin_v0, "Yields", {{"fail_after", 2}}, ctx, {cap});
    CHECK(run.results.size() == 2);
    CHECK(run.code == ZZ_E_INTERNAL);
    CHECK(run.message == "after two");
    run = host.run(zz_plugin_v0, "Yields", {{"fail_after", 3}}, ctx, {cap});
    CHECK(run.results.size() == 3);
    CHECK(run.message == "something was thrown that is not a std::exception");
  }
}

TEST_CASE("end and failure are final; a stream may be closed anywhere") {
  zz::testing::Host host;
  const Balanced balanced;
  const Value ctx = zz::make({{"layer", nullptr}});
  const zz_stage_desc& desc = host.find(zz_plugin_v0, "Yields");
  zz_stage* stage = nullptr;
  zz_error err;
  const Value settings = zz::make(nullptr, {{"fail_after", 2}});
  REQUIRE(desc.create(&host.table(), settings.raw(), nullptr, &stage, &err) == ZZ_OK);
  for (uint32_t pulls = 0; pulls < 5; ++pulls) {
    zz_stream stream{};
    REQUIRE(desc.open(stage, ctx.handle(), &stream, &err) == ZZ_OK);
    for (uint32_t i = 0; i < pulls; ++i) {
      zz_result out{};
      uint32_t n = 9;
      const zz_status code = stream.pull(&stream, &out, 1, &n, &err);
      CHECK((code == ZZ_OK) == (i < 2));
      CHECK(n == (i < 2 ? 1 : 0));
      Value::take(out.evaluation), Value::take(out.extra);
    }
    stream.close(&stream);
  }
  desc.destroy(stage);
}

TEST_CASE("a failure below passes unchanged, or is caught and recorded") {
  zz::testing::Host host;
  const Balanced balanced;
  host.below = [](Value) {
    auto answer = edps({3, 1});
    answer.code = ZZ_E_NO_RESULT;
    answer.message = "layer '/conv' has no legal mapping";
    return answer;
  };
  const Value ctx = zz::make({{"layer", nullptr}});
  for (const int batch : {1, 2, 64}) {
    auto run = host.run(zz_plugin_v0, "Forwards", {{"batch", batch}}, ctx);
    CHECK(run.results.size() == 2);
    CHECK(run.code == ZZ_E_NO_RESULT);
    CHECK(run.message == "layer '/conv' has no legal mapping");
    run = host.run(zz_plugin_v0, "Forwards", {{"batch", batch}, {"catches", true}}, ctx);
    CHECK(run.code == ZZ_OK);
    REQUIRE(run.results.size() == 3);
    CHECK(run.results[2].extra["failure.message"_n].str() == "layer '/conv' has no legal mapping");
  }
  CHECK(host.log.find("no legal mapping\n") != std::string::npos);
  host.below = nullptr;
  CHECK(host.run(zz_plugin_v0, "Forwards", {}, ctx).message == "there is nothing below");
}

TEST_CASE("the k-th pull below fails, throws, is cancelled or ends the chain") {
  using zz::testing::Fault;
  zz::testing::Host host;
  const Balanced balanced;
  host.below = zz::testing::evaluations({{{"edp", 3.0}}, {{"edp", 1.0}}});
  const auto forwarded = [&](Fault fault) {
    host.fault = fault;
    return host.run(zz_plugin_v0, "Forwards");
  };
  CHECK(forwarded({}).results.size() == 2);
  CHECK_FALSE(host.fault_struck());
  auto run = forwarded({Fault::fail, 2});
  CHECK(run.results.size() == 1);
  CHECK(run.code == ZZ_E_INVALID);
  CHECK(run.message == "a failure on purpose");
  run = forwarded({Fault::throws, 1});
  CHECK(run.code == ZZ_E_INTERNAL);
  CHECK(run.message == "thrown on purpose");
  CHECK(forwarded({Fault::cancel, 3}).code == ZZ_E_CANCELLED);
  run = forwarded({Fault::end, 2});
  CHECK(run.results.size() == 1);
  CHECK(run.code == ZZ_OK);
  CHECK(forwarded({Fault::fail, 4}).code == ZZ_OK);
  CHECK_FALSE(host.fault_struck());
  host.below = nullptr;
}

TEST_CASE("faults at every pull tell a careful stage from a careless one") {
  zz::testing::Host host;
  host.below = zz::testing::evaluations({{{"edp", 3.0}}, {{"edp", 1.0}}, {{"edp", 2.0}}});
  for (const char* careful : {"Forwards", "Best", "Yields"}) {
    CAPTURE(careful);
    CHECK(zz::testing::wrong_under_faults(host, zz_plugin_v0, careful) == "");
  }
  CHECK(zz::testing::wrong_under_faults(host, zz_plugin_v0, "Careless") ==
        "the run is cancelled at pull 1: the stage goes on (F4)\n"
        "the run is cancelled at pull 2: the stage goes on (F4)\n"
        "the run is cancelled at pull 3: the stage goes on (F4)\n"
        "the run is cancelled at pull 4: the stage goes on (F4)\n");
  const std::string leaky =
      zz::testing::wrong_under_faults(host, zz_plugin_v0, "Careless", {{"leaks", true}});
  CHECK(leaky.find("the chain below fails at pull 1: references are not given back") != std::string::npos);
}

TEST_CASE("a reducer, its demand and its scorer") {
  zz::testing::Host host;
  const Balanced balanced;
  host.below = [](Value) { return edps({3, 1, 1, 2}); };
  const Value ctx = zz::make({{"layer", nullptr}});
  auto run = host.run(zz_plugin_v0, "Best", {}, ctx);
  REQUIRE(run.results.size() == 1);
  CHECK(run.results[0].evaluation["edp"_n].num() == 1);
  CHECK(host.files["best.json"] == R"({"edp": 1})");
  host.below = [](Value) { return edps({}); };
  CHECK(host.run(zz_plugin_v0, "Best", {}, ctx).code == ZZ_E_NO_RESULT);

  const zz_stage_desc& desc = host.find(zz_plugin_v0, "Best");
  zz_stage* stage = nullptr;
  zz_error err;
  const Value none = zz::make(nullptr, {{"none", 0}});
  REQUIRE(desc.create(&host.table(), none.raw(), nullptr, &stage, &err) == ZZ_OK);
  CHECK(desc.get_extension(stage, "zz.stage.unknown/0") == nullptr);
  const auto* demand = static_cast<const zz_stage_demand*>(desc.get_extension(stage, ZZ_STAGE_DEMAND));
  REQUIRE(demand);
  zz_demand wanted{};
  demand->demand(stage, &wanted);
  CHECK(wanted.keep == 1);
  CHECK(wanted.metric[0] == "edp"_n.id());

  const auto* score = static_cast<const zz_stage_score*>(desc.get_extension(stage, ZZ_STAGE_SCORE));
  REQUIRE(score);
  const zz_name metrics[] = {"edp"_n.id(), "energy"_n.id()};
  zz_stage_scorer* scorer = nullptr;
  CHECK(score->bind(stage, ctx.handle(), 0, metrics, 2, &scorer, &err) == ZZ_E_UNSUPPORTED);
  REQUIRE(score->bind(stage, ctx.handle(), 0, metrics, 1, &scorer, &err) == ZZ_OK);
  const Value rows =
      zz::make(zz::list({zz::Literal({{"x", 1.5}}), zz::Literal({{"x", 2.5}}), zz::Literal({{"y", 0}})}));
  double out[2] = {};
  CHECK(score->score(scorer, rows.raw(), 0, 2, out, &err) == ZZ_OK);
  CHECK(out[1] == 2.5);
  CHECK(score->score(scorer, rows.raw(), 1, 2, out, &err) == ZZ_E_MISSING);
  CHECK(err.text == "'x' is missing");
  score->unbind(scorer);
  desc.destroy(stage);
  CHECK(host.find(zz_plugin_v0, "Yields").get_extension(nullptr, ZZ_STAGE_DEMAND) == nullptr);
}

TEST_CASE("a constructor that throws is reported by create") {
  zz::testing::Host host;
  const auto run = host.run(zz_plugin_v0, "Throws", {}, {});
  CHECK(run.code == ZZ_E_INTERNAL);
  CHECK(run.message == "no constructor today");
  CHECK(default_of("Throws", "x") == "(none)");
}

TEST_CASE("values: reading, making, changing") {
  zz::testing::Host host;
  const Balanced balanced;
  const Value tree = zz::make({{"list", zz::list({1, 2.5, "x", nullptr, true})},
                               {"map", {{"a", 1}, {"b", {{"c", 2}}}}},
                               {"numbers", std::vector<double>{1, 2}}});
  CHECK(tree.json() ==
        R"({"list": [1, 2.5, "x", null, true], "map": {"a": 1, "b": {"c": 2}}, "numbers": [1, 2]})");
  CHECK(tree["map"]["b"]["c"].i64() == 2);
  CHECK(tree["map.b.c"].num() == 2.0);
  CHECK(tree["list"][0].i64() == 1);
  CHECK(tree["list"][4].boolean());
  CHECK(tree["map"].key(1) == "b");
  CHECK_FALSE(tree["nowhere"]["deeper"].exists());
  CHECK(tree["nowhere"].num(7.0) == 7.0);
  CHECK_THROWS_WITH_AS(static_cast<void>(tree["nowhere"]["deeper"].num()), "'nowhere' is missing",
                       zz::Error);
  int items = 0;
  for (zz::Ref item : tree["list"]) items += item.exists();
  CHECK(items == 5);

  const Value changed = zz::with(tree, {{"map.b.c", 3}, {"list", zz::removed}, {"new"_n, tree["map"]}});
  CHECK(changed["map.b.c"].i64() == 3);
  CHECK(tree["map.b.c"].i64() == 2);
  CHECK_FALSE(changed["list"].exists());
  CHECK_THROWS_WITH_AS(zz::with(tree, {{"no.such", 1}}), "no such part: no.such", zz::Error);

  Value part;
  {
    const Value whole = zz::make({{"inner", {{"x", 1}}}});
    part = whole.hold(whole["inner"]);
  }
  CHECK(part["x"].i64() == 1);
  CHECK(zz::make_list(std::vector<Value>{part, part}).size() == 2);
  CHECK(Value().is_null());
}

TEST_CASE("of several failures in a loop, the lowest index counts") {
  zz::testing::Host host;
  std::vector<uint32_t> seen(10);
  zz::for_each(10, [&](uint32_t i) { seen[i] = i; });
  CHECK(seen[9] == 9);
  CHECK_THROWS_WITH_AS(zz::for_each(10,
                                    [](uint32_t i) {
                                      if (i >= 4)
                                        throw zz::Error(ZZ_E_INVALID, "index " + std::to_string(i));
                                    }),
                       "index 4", zz::Error);
}
