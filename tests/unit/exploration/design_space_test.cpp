#include "core/exploration/design_space.hpp"

#include <doctest/doctest.h>
#include <string>

#include "core/base/diagnostics.hpp"

namespace {

using zz::core::DesignSpace;
using Json = nlohmann::ordered_json;

DesignSpace space_of(const char* text) { return {Json::parse(text), "axes"}; }

std::string refused(const char* text) {
  try {
    space_of(text);
  } catch (const zz::core::InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("design space: points are numbered with the first axis slowest") {
  const DesignSpace space = space_of(R"({"a": [1, 2], "b, c": [[10, "x"], [20, "y"], [30, "z"]]})");
  CHECK(space.size() == 6);
  CHECK(space.names() == std::vector<std::string>{"a", "b", "c"});
  CHECK(space.values(4) == std::vector<nlohmann::json>{2, 20, "y"});
  for (std::uint64_t number = 0; number < space.size(); ++number)
    CHECK(space.number_of(space.steps_of(number)) == number);
  CHECK(zz::core::points_between({0, 1}, {1, 2}) == 4);
}

TEST_CASE("design space: ranges of numbers") {
  const DesignSpace space =
      space_of(R"({"a": {"from": 8, "to": 64, "factor": 2}, "b": {"from": 1, "to": 2, "step": 0.1}})");
  CHECK(space.axes()[0].steps.size() == 4);
  CHECK(space.axes()[0].steps.back() == std::vector<nlohmann::json>{64});
  CHECK(space.axes()[0].steps.back().front().is_number_integer());
  CHECK(space.axes()[1].steps.size() == 11);
  CHECK(space_of(R"({"a": {"from": 3, "to": 10, "step": 4}})").axes()[0].steps.size() == 2);
}

TEST_CASE("design space: what is no space is told") {
  CHECK(refused("[]").find("must be a map") != std::string::npos);
  CHECK(refused(R"({"a": []})").find("at least one value") != std::string::npos);
  CHECK(refused(R"({"a": {"from": 8, "to": 4, "step": 1}})").find("is empty: it goes from 8 to 4") !=
        std::string::npos);
  CHECK(refused(R"({"a": {"from": 8, "to": 16}})").find("needs either 'step' or 'factor'") !=
        std::string::npos);
  CHECK(refused(R"({"a": {"from": 8, "to": 16, "factr": 2}})").find("did you mean 'factor'?") !=
        std::string::npos);
  CHECK(refused(R"({"a": {"from": 8, "to": 16, "factor": 1}})").find("above 1") != std::string::npos);
  CHECK(refused(R"({"a": {"from": 8, "to": 16, "step": "2"}})").find("needs a number as 'step'") !=
        std::string::npos);
  CHECK(refused(R"({"a, b": [[1]]})").find("must be a list of 2") != std::string::npos);
  CHECK(refused(R"({"a": [1], "a, b": [[1, 2]]})").find("varies 'a' twice") != std::string::npos);
}
