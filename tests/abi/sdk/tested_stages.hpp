// The stages that the tests of the C++ SDK open, and what they share.
#pragma once
#include <cstdint>
#include <doctest/doctest.h>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "zz/stage.hpp"
#include "zz/testing.hpp"

extern "C" const zz_plugin zz_plugin_v0;  // of description_test.cpp, with all of these stages

namespace zz::test {

using namespace zz::literals;

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

// Hands up what came before an interruption, with what cancelled() says before and after it is taken.
struct Takes : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.Takes", .name = "Takes", .summary = "takes an interruption"};
  Results run(Value ctx) {
    std::vector<Result> results;
    bool interrupted = false;
    try {
      for (Result& r : substage(ctx)) results.push_back(std::move(r));
    } catch (const zz::Below& failure) {
      if (failure.code != ZZ_E_CANCELLED) throw;
      interrupted = true;
    }
    const bool before = cancelled();
    if (interrupted) zz::take_interruption();
    const Value extra = zz::make({{"before", before}, {"after", cancelled()}});
    for (const Result& r : results) co_yield Result(r.evaluation, extra);
  }
};

inline zz::testing::Answer edps(std::initializer_list<double> numbers) {
  zz::testing::Answer answer;
  for (const double edp : numbers) answer.results.emplace_back(zz::make("evaluation", {{"edp", edp}}));
  return answer;
}

struct Balanced {  // every value that was made in the scope is gone at its end
  int64_t before = zz::testing::Host::live_values();
  ~Balanced() { CHECK(zz::testing::Host::live_values() == before); }
};

}  // namespace zz::test
