#include "host/chain/guard.hpp"

#include <doctest/doctest.h>

#include "core/value/name.hpp"
#include "host/base/cancellation.hpp"
#include "host/chain/chain.hpp"
#include "host/chain/score.hpp"
#include "host/values/handles.hpp"
#include "tests/unit/host/made_up_stages.hpp"

namespace {

using namespace zz;
using test::made_up_forwarder;
using test::made_up_leaf;
using test::placed;

struct Outcome {
  int results = 0;
  host::FailurePointer failure;
};

Outcome run(std::vector<host::ResolvedStage> stages) {
  host::ResolvedPipeline resolved;
  resolved.stages = std::move(stages);
  host::Chain chain(resolved);
  Outcome outcome;
  zz_stream stream{};
  zz_error sink;
  if (host::open_place(chain.first(), chain.root_context(), &stream, &sink) != ZZ_OK) {
    outcome.failure = host::from_value(sink.failure);
    return outcome;
  }
  while (true) {
    zz_result result{};
    std::uint32_t count = 0;
    if (stream.pull(&stream, &result, 1, &count, &sink) != ZZ_OK) {
      outcome.failure = host::from_value(sink.failure);
      zz_error again;
      CHECK(stream.pull(&stream, &result, 1, &count, &again) == outcome.failure->code);
      break;
    }
    if (count == 0) break;
    host::release(result.evaluation);
    host::release(result.extra);
    ++outcome.results;
  }
  stream.close(&stream);
  return outcome;
}

constexpr const char* leaf_label = "stage 2 Leaf in made_up.so (p.yaml:4)";

}  // namespace

TEST_CASE("results travel up through a chain") {
  CHECK(run({placed(1, made_up_forwarder, "", 0), placed(2, made_up_leaf, "", 3)}).results == 3);
  CHECK(run({placed(1, made_up_leaf, "empty", 3)}).results == 0);
}

TEST_CASE("what a stage does wrong is told with its name and place") {
  for (const std::string bad : {"count", "silent", "status", "stream"}) {
    CAPTURE(bad);
    const Outcome outcome = run({placed(1, made_up_forwarder, "", 0), placed(2, made_up_leaf, bad, 3)});
    REQUIRE(outcome.failure != nullptr);
    CHECK(outcome.failure->stage == leaf_label);
    CHECK(outcome.failure->message.find("this is a bug in that stage") != std::string::npos);
  }
}

TEST_CASE("a failure keeps its words and its origin on the way up") {
  const Outcome plain = run({placed(1, made_up_forwarder, "", 0), placed(2, made_up_leaf, "message", 3)});
  REQUIRE(plain.failure != nullptr);
  CHECK(plain.failure->code == ZZ_E_INVALID);
  CHECK(plain.failure->message == "the port is too narrow");
  CHECK(plain.failure->stage == leaf_label);
  CHECK(plain.failure->cause == nullptr);

  const Outcome wrapped =
      run({placed(1, made_up_forwarder, "wrap", 0), placed(2, made_up_leaf, "message", 3)});
  REQUIRE(wrapped.failure != nullptr);
  CHECK(wrapped.failure->message == "none of the sizes fits");
  CHECK(wrapped.failure->stage == "stage 1 Forwarder in made_up.so (p.yaml:3)");
  REQUIRE(wrapped.failure->cause != nullptr);
  CHECK(wrapped.failure->cause->stage == leaf_label);
}

TEST_CASE("a row that cannot be scored is named, and its reason told once") {
  zz_stage_desc leaf = made_up_leaf;
  leaf.flags |= ZZ_STAGE_ONE;
  host::ResolvedPipeline resolved;
  resolved.stages = {placed(1, made_up_forwarder, "", 0), placed(2, leaf, "message", 1)};
  host::Chain chain(resolved);
  zz_scorer* scorer = nullptr;
  zz_error sink;
  const zz_name metric = core::intern("energy_total");
  REQUIRE(host::score_table.bind(&chain.first(), chain.root_context(), core::intern("row"), &metric, 1,
                                 &scorer, &sink) == ZZ_OK);
  const core::Value rows = core::Value::list({core::Value::integer(7), core::Value::integer(8)});
  double figure = 0;
  CHECK(host::score_table.score(scorer, host::to_abi(rows.ref()), 1, 1, &figure, &sink) == ZZ_E_INVALID);
  host::score_table.unbind(scorer);
  CHECK(host::to_string(*host::from_value(sink.failure)) ==
        std::string(leaf_label) + ": row 1 cannot be scored: the port is too narrow");
}

TEST_CASE("a stage that quotes the failure below does not make it said twice") {
  const auto below = host::make_failure(ZZ_E_INVALID, "the port is too narrow", "stage 2 Leaf");
  const auto told = [&](const char* message, const char* stage) {
    return host::to_string(*host::make_failure(ZZ_E_INVALID, message, stage, below));
  };
  CHECK(told("size 4: the port is too narrow", "stage 1 Sweep") ==
        "stage 1 Sweep: size 4\n  because of stage 2 Leaf: the port is too narrow");
  CHECK(told("the port is too narrow", "stage 1 Sweep") ==
        "stage 1 Sweep\n  because of stage 2 Leaf: the port is too narrow");
  CHECK(told("size 4: the port is too narrow", "stage 2 Leaf") ==
        "stage 2 Leaf: size 4: the port is too narrow");
  CHECK(told("no size fits", "stage 1 Sweep") ==
        "stage 1 Sweep: no size fits\n  because of stage 2 Leaf: the port is too narrow");
}

TEST_CASE("a setting that a stage above replaces makes a fresh stage below") {
  CHECK(run({placed(1, made_up_forwarder, "", 7), placed(2, made_up_leaf, "", 3)}).results == 7);
}

TEST_CASE("a cancelled run stops at the next pull") {
  host::request_cancel();
  const Outcome outcome = run({placed(1, made_up_leaf, "", 3)});
  host::reset_cancel();
  REQUIRE(outcome.failure != nullptr);
  CHECK(outcome.failure->code == ZZ_E_CANCELLED);
}

TEST_CASE("opening without a context or below the last stage is refused") {
  host::ResolvedPipeline resolved;
  resolved.stages = {placed(1, made_up_leaf, "", 1)};
  host::Chain chain(resolved);
  zz_stream stream{};
  zz_error sink;
  CHECK(host::open_place(chain.first(), nullptr, &stream, &sink) == ZZ_E_INTERNAL);
  CHECK(host::open_below(&chain.first(), chain.root_context(), &stream, &sink) == ZZ_E_UNSUPPORTED);
  CHECK(host::open_below(nullptr, chain.root_context(), &stream, &sink) == ZZ_E_INTERNAL);
}
