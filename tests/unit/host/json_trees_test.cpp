#include "host/report/json_trees.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <nlohmann/json.hpp>

using zz::host::JsonTrees;
using Json = nlohmann::ordered_json;

TEST_CASE("documents come back as they were, alike or not") {
  const Json all[] = {
      {{"layer", "a"}, {"energy", 1.5}, {"parts", {1, 2, -3}}, {"known", true}, {"why", nullptr}},
      {{"layer", "b"}, {"energy", 2.5}, {"parts", {4, 5, -6}}, {"known", false}, {"why", nullptr}},
      {{"energy", 2}, {"layer", "a"}},
      Json::object(),
      Json::array(),
      "text",
      std::numeric_limits<std::uint64_t>::max(),
      std::numeric_limits<std::int64_t>::min(),
      {{"k", {{"{", "}"}, {"[", "k"}}}, {"", ""}},
  };
  JsonTrees documents;
  for (const Json& one : all) documents.add(one);
  REQUIRE(documents.size() == std::size(all));
  for (std::size_t i = 0; i < std::size(all); ++i) {
    CHECK(documents.at(i).dump() == all[i].dump());
    CHECK(documents.at(i).type() == all[i].type());
  }
}
