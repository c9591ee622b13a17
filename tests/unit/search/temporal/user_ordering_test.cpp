#include "core/search/temporal/user_ordering.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

const std::vector<RemainingLoop> remaining{{0, 12}, {2, 3}};  // of M 24, N 4, C 3: N is unrolled

Layer ordered(std::vector<OrderingEntry> ordering) {
  Layer layer = gemm(24, 4, 3);
  layer.loops.push_back({"B", 1});
  layer.mapping.name = "default";
  layer.mapping.temporal_ordering = std::move(ordering);
  return layer;
}

UserOrdering searched(std::vector<OrderingEntry> ordering, bool compat = false) {
  return user_ordering(ordered(std::move(ordering)), remaining, OrderingUse::search,
                       rules_of(compat ? "zigzag-3.8.5" : ""));
}

/// "2: ..." for input that fits no unrolling, "4: ..." for what does not fit this one.
std::string refused(std::vector<OrderingEntry> ordering, OrderingUse use = OrderingUse::search) {
  try {
    user_ordering(ordered(std::move(ordering)), remaining, use, {});
  } catch (const InputError& error) {
    return std::string("2: ") + error.what();
  } catch (const NoResult& error) {
    return std::string("4: ") + error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("user ordering: a complete one is the mapping") {
  const UserOrdering complete = searched({{"M", 4}, {"C", 3}, {"M", 3}});
  CHECK(complete.complete);
  CHECK(complete.loops == std::vector<RemainingLoop>{{0, 4}, {2, 3}, {0, 3}});
  CHECK(searched({{"M", 4}, {"C", 3}, {"*", {}}, {"M", 3}}).complete);
  CHECK(searched({{"M", 4}, {"C", {}, true}, {"M", {}, true}}).loops == complete.loops);
  CHECK_FALSE(searched({}).complete);
  CHECK(user_ordering(ordered({}), {}, OrderingUse::search, {}).complete);
  CHECK(user_ordering(ordered({{"*", {}}}), {}, OrderingUse::search, {}).complete);
}

TEST_CASE("user ordering: loops of one iteration are accepted and count for nothing") {
  for (const bool compat : {false, true}) {
    CHECK(searched({{"B", 1}, {"M", 12}, {"N", 1}, {"C", 3}}, compat).loops ==
          std::vector<RemainingLoop>{{0, 12}, {2, 3}});
  }
  const UserOrdering partial = searched({{"B", 1}, {"M", 4}});
  REQUIRE(partial.constraints.size() == 1);
  CHECK(partial.constraints[0].position == 0);
}

TEST_CASE("user ordering: an incomplete one becomes constraints") {
  const UserOrdering partial = searched({{"M", 2}, {"*", {}}, {"C", {}}, {"M", {}}});
  CHECK_FALSE(partial.complete);
  REQUIRE(partial.constraints.size() == 3);
  CHECK(partial.constraints[0].position == 0);
  CHECK(partial.constraints[0].size == 2);
  CHECK(partial.constraints[1].position == -2);
  CHECK(partial.constraints[2].position == -1);
  CHECK_FALSE(partial.constraints[2].size.has_value());
}

TEST_CASE("user ordering: what fits no unrolling of the layer is wrong input") {
  CHECK(has(refused({{"M", 5}, {"M", 6}}), "2: "));
  CHECK(has(refused({{"M", 5}, {"M", 6}}), "ask for 30 iterations of M, which has 24"));
  CHECK(has(refused({{"M", 1L << 62}, {"M", 1L << 62}}), "iterations of M, which has 24"));
  CHECK(
      has(refused({{"Q", 2}}), "layer 'small': temporal_ordering of mapping entry 'default': it names Q"));
  CHECK(has(refused({{"*", {}}, {"*", {}}}), "two \"*\""));
  const std::string both = refused({{"Q", 2}, {"C", 4}});
  CHECK(has(both, "names Q"));
  CHECK(has(both, "ask for 4 iterations of C, which has 3"));
}

TEST_CASE("user ordering: what does not fit the unrolling has a reason") {
  CHECK(has(refused({{"M", 24}, {"*", {}}}), "4: "));
  CHECK(has(refused({{"M", 24}, {"*", {}}}), "ask for 24 iterations of M, of which 12 remain in time"));
  CHECK(has(refused({{"M", 5}}), "ask for 5 iterations of M, of which 12 remain"));
  CHECK(has(refused({{"N", {}}}), "all its 4 iterations are unrolled in space"));
  CHECK(has(refused({{"B", {}}}), "has one iteration only"));
  CHECK(has(refused({{"C", {}}, {"C", {}}}), "asks for 2 loops of C of any size"));
  CHECK(has(refused({{"M", 4}, {"M", {}}, {"M", {}}}), "3 iterations that are left of it have 1 prime"));
  const std::string uncovered = refused({{"M", 4}, {"C", 3}});
  CHECK(has(uncovered, "4: "));
  CHECK(has(uncovered, "cover 4 of the 12 iterations of M that remain in time; add"));
  CHECK(refused({{"M", 4}, {"C", 3}, {"*", {}}}).empty());
  CHECK(refused({{"M", 4}}).empty());
}

TEST_CASE("user ordering: tiles that do not divide their loop are a chain") {
  // 12 rounds of M in tiles of 5: two whole ones and one of 2.
  const UserOrdering ragged = searched({{"M", 5}, {"C", 3}, {"M", 3}});
  CHECK(ragged.complete);
  CHECK(ragged.ragged);
  CHECK(ragged.loops == std::vector<RemainingLoop>{{0, 5}, {2, 3}, {0, 3}});
  CHECK(searched({{"M", 5}, {"C", {}, true}, {"M", {}, true}}).loops == ragged.loops);
  CHECK(searched({{"M", 5}, {"*", {}}, {"C", 3}, {"M", {}, true}}).loops == ragged.loops);
  CHECK(user_ordering(ordered({{"M", 5}, {"C", {}}, {"M", {}}}), remaining, OrderingUse::prescribe, {})
            .loops == ragged.loops);
  CHECK(searched({{"M", 2}, {"M", 4}, {"C", 3}, {"M", 2}}).ragged);  // 8 and 4
  CHECK_FALSE(searched({{"M", 4}, {"C", 3}, {"M", 3}}).ragged);
}

TEST_CASE("user ordering: what is no chain of tiles is told with the nearest that is one") {
  const auto says = [](std::vector<OrderingEntry> ordering, const std::string& text) {
    const std::string refusal = refused(std::move(ordering), OrderingUse::prescribe);
    INFO(refusal);
    CHECK(has(refusal, text));
  };
  says({{"M", 13}, {"C", 3}}, "a tile of 13 is above its loop; the nearest that works is [M, 12]");
  says({{"M", 5}, {"C", 3}, {"M", 4}}, "3 tiles of 5 do all; the nearest that works is [M, 5], [M, 3]");
  says({{"M", 5}, {"M", 3}, {"C", 3}, {"M", 2}}, "a loop stands above those that do all 12");
  says({{"M", 5}, {"M", 3}, {"C", 3}, {"M", 2}}, "the nearest that works is [M, 5], [M, 3]");
  says({{"M", 5}, {"C", 3}, {"M", 2}}, "the nearest that works is [M, 5], [M, 3]");
  says({{"M", 5}, {"C", 3}}, "the nearest that works is [M, 5], [M, 3]");
  // Sizes that were meant as tiles.
  says({{"M", 3}, {"C", 3}, {"M", 7}}, "4 tiles of 3 do all");
  says({{"M", 3}, {"C", 3}, {"M", 7}},
       "tiles of 3 and 6, each of which divides the next, are [M, 3], [M, 2], [M, 2]");
  // A search has no part in them.
  CHECK(has(refused({{"M", 5}, {"*", {}}, {"M", 3}}), "which needs an order that gives every loop"));
}

TEST_CASE("user ordering: ZigZag has no tiles that do not divide their loop") {
  const auto refused_by = [](const char* compat, OrderingUse use) -> std::string {
    try {
      user_ordering(ordered({{"M", 5}, {"C", 3}, {"M", 3}}), remaining, use, rules_of(compat));
    } catch (const NoResult& error) {
      return error.what();
    }
    return "";
  };
  for (const char* compat : {"zigzag-3.8.5", "zigzag-3.9", "stream-0.0.8"}) {
    const std::string refusal = refused_by(compat, OrderingUse::search);
    CHECK(has(refusal, "layer 'small': temporal_ordering of mapping entry 'default'"));
    CHECK(has(refusal, "its tile of 5 does not divide the 12 iterations of M"));
    CHECK(has(refusal, "the nearest that divides is 4"));
  }
  CHECK(refused_by("", OrderingUse::search).empty());
}

TEST_CASE("user ordering: ZigZag's unchecked constraints only with compat") {
  CHECK(searched({{"M", 4}, {"C", 3}}, true).constraints.size() == 2);
  CHECK(searched({{"N", {}}}, true).constraints.size() == 1);
}

TEST_CASE("user ordering: a prescribed one must give every loop") {
  const auto prescribed = [](std::vector<OrderingEntry> ordering) {
    return user_ordering(ordered(std::move(ordering)), remaining, OrderingUse::prescribe, {}).loops;
  };
  CHECK(prescribed({{"M", 4}, {"C", {}}, {"M", {}}, {"N", {}}}) ==
        std::vector<RemainingLoop>{{0, 4}, {2, 3}, {0, 3}});
  CHECK(has(refused({{"M", 12}}, OrderingUse::prescribe), "cover 1 of the 3 iterations of C"));
  CHECK(has(refused({{"M", 12}, {"*", {}}}, OrderingUse::prescribe), "2: "));
  CHECK(has(refused({}, OrderingUse::prescribe), "layer 'small': mapping entry 'default' has no"));
}
