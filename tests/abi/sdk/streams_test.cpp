// Streams of results: their ends, failures and faults, and what reducers ask of them.
#include <string>

#include "tests/abi/sdk/tested_stages.hpp"

using namespace zz::literals;
using namespace zz::test;
using zz::Result;
using zz::Value;

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

TEST_CASE("a stage that takes an interruption goes on with what it has") {
  zz::testing::Host host;
  const Balanced balanced;
  host.below = zz::testing::evaluations({{{"edp", 3.0}}, {{"edp", 1.0}}, {{"edp", 2.0}}});
  host.fault = {zz::testing::Fault::cancel, 2};
  const auto run = host.run(zz_plugin_v0, "Takes");
  CHECK(run.code == ZZ_OK);
  REQUIRE(run.results.size() == 1);
  CHECK(run.results[0].evaluation["edp"_n].num() == 3);
  CHECK(run.results[0].extra["before"_n].i64() == 1);
  CHECK(run.results[0].extra["after"_n].i64() == 0);
  CHECK(host.interruption_taken());
  CHECK(zz::testing::wrong_under_faults(host, zz_plugin_v0, "Takes") == "");
  host.below = nullptr;
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
